"""The talk of a team about one speech: members in turn, then a critic, until all are content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, model_validator

from arena.debaters.cot_plan import Plan, Point, outlined
from arena.debaters.dialogue import Dialogue
from arena.debaters.forms import Form
from arena.debaters.personas import Persona
from arena.llm.repair import contradiction
from arena.records import Step


class Contribution(Form):
    """What a member says, and whether the plan satisfies it."""

    contribution: str = Field(pattern=r"\S")
    marker: Literal["satisfied", "open"]


class Objection(Form):
    """What the critic says, and whether it is persuaded."""

    objection: str
    marker: Literal["persuaded", "objects"]

    @model_validator(mode="after")
    def _stated(self) -> Objection:
        if self.marker == "objects" and not self.objection.strip():
            raise contradiction(
                "no_objection", en="`objects` needs an objection", zh="`objects` 须有 `objection`"
            )
        return self


class TeamPlan(Plan):
    """The plan that is drawn from the talk: at most three main points."""

    points: list[Point] = Field(min_length=1, max_length=3)


class PlanningDebate:
    """One speech's talk.

    Args:
        work: the dialogue that it is held in.
        team: the members' personas; without any, members are nobody in particular.
        options: `n_personas` and `max_rounds`.
    """

    def __init__(self, work: Dialogue, team: Sequence[Persona], options: Any) -> None:  # noqa: ANN401
        self._work, self._options = work, options
        self._persona = "persona" if team else ""
        self._last: dict[int, str] = {}
        if team:
            lines = [f"{number}. {one.line()}" for number, one in enumerate(team, start=1)]
            work.show("persona", "\n".join(lines))

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the talk."""
        return self._work.trace

    async def hold(self) -> None:
        """Rounds until every member is satisfied and the critic persuaded, or to the cap."""
        most = self._options.max_rounds
        for number in range(1, most + 1):
            told = {"round": str(number), "rounds": str(most)}
            members = range(1, self._options.n_personas + 1)
            content = [await self._member(member, told) for member in members]
            persuaded = await self._critic(told)
            if all(content) and persuaded:
                self._work.note("protocol", rounds=number, consensus=True)
                return
        self._work.note("protocol", rounds=most, consensus=False, cap="max_rounds")

    async def plan(self) -> str:
        """The plan as text; where none can be understood, what each member said last.

        Raises:
            ContentFault: no member said anything of use either.
        """
        found = await self._work.attempt("plan", TeamPlan, agent="Planner")
        if found is not None:
            self._work.note("Planner", **found.model_dump(mode="json"))
            return outlined(found, self._work.language)
        if not self._last:
            assert self._work.last is not None
            raise self._work.last
        self._work.note("Planner", fallback="the members' last words")
        said = [self._last[member] for member in sorted(self._last)]
        return "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(said, start=1))

    async def _member(self, member: int, told: dict[str, str]) -> bool:
        found = await self._work.attempt(
            "discuss",
            Contribution,
            agent="Member",
            switch=self._persona,
            number=str(member),
            **told,
        )
        if found is None:
            return False
        self._last[member] = found.contribution
        self._work.say("Member", found.contribution, str(member))
        self._work.note("Member", member=member, round=int(told["round"]), marker=found.marker)
        return found.marker == "satisfied"

    async def _critic(self, told: dict[str, str]) -> bool:
        found = await self._work.attempt("object", Objection, agent="Critic", **told)
        if found is None:
            return False
        if found.objection.strip():
            self._work.say("Critic", found.objection)
        self._work.note("Critic", round=int(told["round"]), marker=found.marker)
        return found.marker == "persuaded"

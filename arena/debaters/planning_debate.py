"""The discussion in which a team plans one speech: rounds of its members and a critic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, model_validator

from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.answer_forms import Reasoned
from arena.debaters.cot_plan import PLAN_WORDS, Plan, Point, format_plan
from arena.debaters.personas import Persona
from arena.llm.repair import contradiction
from arena.records import Step

#: Length of a turn: its reasoning and what it says, in words.
_TURN_WORDS = 250
_SKIPPED = "no turn in this round"


class Contribution(Reasoned):
    """A member's contribution, and whether the plan satisfies it."""

    contribution: str = Field(pattern=r"\S")
    marker: Literal["satisfied", "open"]


class Objection(Reasoned):
    """The critic's objection, or that it is persuaded."""

    objection: str
    marker: Literal["persuaded", "objects"]

    @model_validator(mode="after")
    def _check_objection(self) -> Objection:
        if self.marker == "objects" and not self.objection.strip():
            raise contradiction(
                "no_objection", en="`objects` needs an objection", zh="`objects` 须有 `objection`"
            )
        return self


class Related(Reasoned):
    """A turn that first says which earlier turn it takes up, by its number, and its stance to it.

    Attributes:
        answers: number of that turn; 0 for none.
    """

    answers: int
    stance: Literal["supports", "opposes", "opens"]


class RelatedContribution(Contribution, Related):
    """A member's contribution that takes up an earlier turn."""


class RelatedObjection(Objection, Related):
    """The critic's objection that takes up an earlier turn."""


class TeamPlan(Plan):
    """The plan that results from the discussion: at most three main points."""

    points: list[Point] = Field(min_length=1, max_length=3)


class PlanningDebate:
    """The discussion of one speech.

    Args:
        dialogue: dialogue in which the discussion is held.
        team: personas of the members; empty where members have none.
        options: `n_personas`, `max_rounds` and `flow`.
    """

    def __init__(
        self,
        dialogue: AgentDialogue,
        team: Sequence[Persona],
        options: Any,  # noqa: ANN401 - Options of `debate_to_write`
    ) -> None:
        self._dialogue, self._options = dialogue, options
        self._flags = " ".join(["flow"] * options.flow + ["persona"] * bool(team))
        self._turns = 0
        self._contributions: dict[int, str] = {}  # the last one of each member
        if team:
            lines = [f"{number}. {persona.line()}" for number, persona in enumerate(team, start=1)]
            dialogue.add_quotation("persona", "\n".join(lines))

    @property
    def trace(self) -> Sequence[Step]:
        """The steps of the discussion."""
        return self._dialogue.trace

    async def run(self) -> None:
        """Play rounds until every member is satisfied and the critic persuaded, or to the cap."""
        most = self._options.max_rounds
        for number in range(1, most + 1):
            members = range(1, self._options.n_personas + 1)
            satisfied = [await self._ask_member(member, number) for member in members]
            persuaded = await self._ask_critic(number)
            if all(satisfied) and persuaded:
                self._dialogue.add_step("protocol", rounds=number, consensus=True)
                return
        self._dialogue.add_step("protocol", rounds=most, consensus=False, cap="max_rounds")

    async def plan(self) -> str:
        """Ask for the plan; where it is unusable, return the last contribution of each member.

        Returns:
            empty where no member gave a usable contribution either.
        """
        dialogue = self._dialogue
        plan = await dialogue.attempt(
            dialogue.ask("plan", TeamPlan, agent="Planner", length=dialogue.words(PLAN_WORDS)),
            agent="Planner",
            fallback="the members' last words" if self._contributions else "no plan",
        )
        if plan is not None:
            dialogue.add_step("Planner", **plan.model_dump(mode="json"))
            return format_plan(plan, dialogue.language)
        texts = [text for _, text in sorted(self._contributions.items())]
        return "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(texts, start=1))

    async def _ask_member(self, member: int, number: int) -> bool:
        """Ask a member for its contribution, and tell whether the plan satisfies it."""
        dialogue = self._dialogue
        answer = dialogue.ask(
            "discuss",
            RelatedContribution if self._options.flow else Contribution,
            agent="Member",
            length=dialogue.words(_TURN_WORDS),
            flag=self._flags,
            number=str(member),
            **self._round_variables(number),
        )
        contribution = await dialogue.attempt(answer, agent="Member", fallback=_SKIPPED)
        if contribution is None:
            return False
        self._contributions[member] = contribution.contribution
        relation = self._add_turn(contribution, "Member", contribution.contribution, str(member))
        dialogue.add_step(
            "Member", member=member, round=number, marker=contribution.marker, **relation
        )
        return contribution.marker == "satisfied"

    async def _ask_critic(self, number: int) -> bool:
        """Ask the critic for its objection, and tell whether it is persuaded."""
        dialogue = self._dialogue
        answer = dialogue.ask(
            "object",
            RelatedObjection if self._options.flow else Objection,
            agent="Critic",
            length=dialogue.words(_TURN_WORDS),
            flag="flow" if self._options.flow else "",
            **self._round_variables(number),
        )
        objection = await dialogue.attempt(answer, agent="Critic", fallback=_SKIPPED)
        if objection is None:
            return False
        relation = {}
        if objection.objection.strip():
            relation = self._add_turn(objection, "Critic", objection.objection)
        dialogue.add_step("Critic", round=number, marker=objection.marker, **relation)
        return objection.marker == "persuaded"

    def _add_turn(self, answer: Reasoned, agent: str, text: str, *words: str) -> dict[str, Any]:
        """Add a turn to the dialogue; return its relation to the others, for the trace.

        Turns have numbers only where they name the turns that they take up. A turn that names
        none of those before it opens a line of its own.
        """
        self._turns += 1
        if not isinstance(answer, Related):
            self._dialogue.add_turn(agent, text, *words)
            return {}
        label = self._dialogue.term("numbered_turn").format(self._turns)
        self._dialogue.add_turn(agent, text, *words, label)
        known = answer.stance != "opens" and 1 <= answer.answers < self._turns
        return {
            "turn": self._turns,
            "answers": answer.answers if known else 0,
            "stance": answer.stance if known else "opens",
        }

    def _round_variables(self, number: int) -> dict[str, str]:
        return {"round": str(number), "rounds": str(self._options.max_rounds)}

"""The personas of `debate_to_write`: a pool made for the motion, and the team chosen from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from arena.debater import Seat, motion_variables
from arena.debaters.agent_dialogue import contest_flags, fallback_step
from arena.debaters.answer_forms import AnswerForm
from arena.errors import ContentFault, UnparseableReply
from arena.languages import Stage
from arena.llm.model import Form as Answer
from arena.llm.model import LanguageModel, schema_of
from arena.prompts import Prompts, quote
from arena.records import Step

#: How often a pool is requested; with the repair that each request includes, four calls at most.
_ATTEMPTS = 2
#: Size of a pool.
_FEWEST, _MOST = 5, 10
#: Lengths of a pool and of a choice, in words.
_POOL_WORDS, _TEAM_WORDS = 600, 350
_Text = Annotated[str, Field(pattern=r"\S")]


class Persona(AnswerForm):
    """A persona: a description and the claim that it makes, a sentence each."""

    description: _Text
    claim: _Text

    def line(self) -> str:
        """Return the persona on one line."""
        return " — ".join(" ".join(part.split()) for part in (self.description, self.claim))


class Pool(AnswerForm):
    """The personas from which a team is chosen."""

    personas: list[Persona] = Field(min_length=_FEWEST, max_length=_MOST)


class Pick(AnswerForm):
    """A persona chosen from the pool, by its number, and the reason."""

    number: int
    reason: str


class Team(AnswerForm):
    """The members chosen for a team."""

    members: list[Pick]


@dataclass(slots=True, kw_only=True)
class PersonaSelection:
    """The selection of one side's team.

    Attributes:
        stage: stage before which the team is selected, for the paths of the calls.
        model: the model that is asked.
        trace: the steps of the selection.
    """

    seat: Seat
    prompts: Prompts
    stage: Stage
    model: LanguageModel
    trace: list[Step] = field(default_factory=list)

    async def select(self, size: int) -> Sequence[Persona]:
        """Return a team of the given size; empty where the model gives no usable pool.

        Where it names no usable team, or too few, the first of the pool fill it up.
        """
        pool = await self._ask_pool(size)
        if not pool:
            return ()
        reasons = await self._ask_team(pool, size)
        picked = list(reasons)[:size]
        filled = [n for n in range(1, len(pool) + 1) if n not in picked][: size - len(picked)]
        self.trace.append(
            {
                "agent": "Personas",
                "pool": [persona.model_dump() for persona in pool],
                "chosen": [*picked, *filled],
                "reasons": [reasons[number] for number in picked],
                "filled": len(filled),
            }
        )
        return [pool[number - 1] for number in (*picked, *filled)]

    async def _ask_pool(self, size: int) -> Sequence[Persona]:
        """Ask for a pool of personas with distinct claims, at least as many as the team needs."""
        least = max(_FEWEST, size)
        for number in range(1, _ATTEMPTS + 1):
            try:
                pool = await self._ask(
                    "personas", Pool, f"personas/{number}", words=_POOL_WORDS, least=str(least)
                )
                return _distinct(pool.personas, size)
            except ContentFault as fault:
                last = number == _ATTEMPTS
                fallback = "members without personas" if last else "the pool is requested again"
                self.trace.append(fallback_step("Personas", fallback, fault))
        return ()

    async def _ask_team(self, pool: Sequence[Persona], size: int) -> dict[int, str]:
        """Ask for the members of the team.

        Returns:
            reasons by number in the pool, in the order of the choice; unknown numbers left out.
        """
        lines = [f"{number}. {persona.line()}" for number, persona in enumerate(pool, start=1)]
        candidates = quote(self.seat.language.terms["candidates"], "\n".join(lines))
        variables = {"candidates": candidates, "number": str(size)}
        try:
            team = await self._ask("team", Team, "selector/1", words=_TEAM_WORDS, **variables)
        except ContentFault as fault:
            self.trace.append(fallback_step("Selector", "the first of the pool", fault))
            return {}
        return {pick.number: pick.reason for pick in team.members if 1 <= pick.number <= len(pool)}

    async def _ask(
        self, name: str, form: type[Answer], path: str, *, words: int, **variables: str
    ) -> Answer:
        seat = self.seat
        variables = {**motion_variables(seat), "schema": schema_of(form).text(), **variables}
        prompt = self.prompts.render(name, seat.language.code, variables, flags=contest_flags(seat))
        path, length = f"{self.stage}/{path}", seat.language.limit(words)
        return await self.model.ask(prompt, form, path=path, words=length)


def _distinct(personas: Sequence[Persona], size: int) -> Sequence[Persona]:
    """Return the personas with distinct claims.

    Raises:
        UnparseableReply: there are fewer than the team needs.
    """
    by_claim = {persona.claim.strip(): persona for persona in personas}
    if len(by_claim) < size:
        raise UnparseableReply(f"{len(by_claim)} distinct claims for a team of {size}.")
    return list(by_claim.values())

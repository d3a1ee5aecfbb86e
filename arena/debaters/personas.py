"""The personas of `debate_to_write`: a pool for the motion, and the team chosen from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from arena.debater import Seat, motion_of
from arena.debaters.forms import Form
from arena.errors import ContentFault, Refusal
from arena.languages import Stage
from arena.llm.model import Form as Answer
from arena.llm.model import schema_of
from arena.prompts import Prompts, quote
from arena.records import Step

#: With the repair that belongs to each, a pool that does not parse is asked for three times more.
_ASKS = 2
_FEWEST, _MOST = 5, 10
_Text = Annotated[str, Field(pattern=r"\S")]


class Persona(Form):
    """Who somebody is, and what they maintain, in a sentence each."""

    description: _Text
    claim: _Text

    def line(self) -> str:
        """The persona on one line."""
        return " — ".join(" ".join(part.split()) for part in (self.description, self.claim))


class Pool(Form):
    """Those from whom a team is chosen."""

    personas: list[Persona] = Field(min_length=_FEWEST, max_length=_MOST)


class Pick(Form):
    """One choice from the pool, by its number."""

    number: int
    reason: str


class Team(Form):
    """The choice."""

    members: list[Pick]


@dataclass(slots=True, kw_only=True)
class Casting:
    """One side's search for its team; `trace` tells how it went."""

    seat: Seat
    prompts: Prompts
    stage: Stage
    trace: list[Step] = field(default_factory=list)

    async def team(self, size: int) -> Sequence[Persona]:
        """A team of that size; nobody where no usable pool could be had.

        Raises:
            Refusal: the model declined.
        """
        pool = await self._pool(size)
        if not pool:
            self.trace.append({"agent": "Personas", "fallback": "no personas"})
            return ()
        reasons = await self._selection(pool, size)
        chosen = list(reasons)[:size]
        filled = [n for n in range(1, len(pool) + 1) if n not in chosen][: size - len(chosen)]
        self.trace.append(
            {
                "agent": "Personas",
                "pool": [one.model_dump() for one in pool],
                "chosen": [*chosen, *filled],
                "reasons": [reasons[number] for number in chosen],
                "filled": len(filled),
            }
        )
        return [pool[number - 1] for number in (*chosen, *filled)]

    async def _pool(self, size: int) -> Sequence[Persona]:
        least = max(_FEWEST, size)
        for number in range(1, _ASKS + 1):
            found = await self._ask("personas", Pool, f"personas/{number}", least=str(least))
            distinct = {one.claim.strip(): one for one in found.personas} if found else {}
            if len(distinct) >= size:
                return list(distinct.values())
            if found:
                self.trace.append({"agent": "Personas", "fault": "too few", "of": len(distinct)})
        return ()

    async def _selection(self, pool: Sequence[Persona], size: int) -> dict[int, str]:
        """The chosen numbers that exist, with the reasons, in the order of the choice."""
        lines = [f"{number}. {one.line()}" for number, one in enumerate(pool, start=1)]
        shown = quote(self.seat.language.terms["candidates"], "\n".join(lines))
        asked = {"candidates": shown, "number": str(size)}
        found = await self._ask("team", Team, "selector/1", **asked)
        picks = found.members if found else []
        return {one.number: one.reason for one in picks if 1 <= one.number <= len(pool)}

    async def _ask(
        self, name: str, form: type[Answer], path: str, **variables: str
    ) -> Answer | None:
        seat = self.seat
        filled = {**motion_of(seat), "schema": schema_of(form).text(), **variables}
        prompt = self.prompts.render(name, seat.language.code, filled)
        try:
            return await seat.model.ask(prompt, form, path=f"{self.stage}/{path}")
        except Refusal:
            raise
        except ContentFault as fault:
            self.trace.append({"agent": "Personas", "fault": type(fault).__name__})
            return None

"""`americano`: the speech's parts worked out one after the other, then composed.

Hu et al. 2024, "AMERICANO: Argument Generation with Discourse-driven Decomposition and Agent
Interaction", arXiv 2310.20352, generates along the structure of an argument, with criticism of
what was generated. Parts, order and caps are ours.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Debater, Draft, Forecast, Turn
from arena.debaters.dialogue import Dialogue
from arena.debaters.refining import refine
from arena.prompts import Prompts

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "americano")
#: The parts of an argument, in the order in which each builds on those before.
PARTS = ("claim", "reasons", "concession")


class Options(BaseModel):
    """How often each part may be criticised and refined."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    max_revisions: int = Field(default=1, ge=0, le=20)


class Americano(Debater):
    """Claim, reasons and evidence, concession: each written, criticised and refined in turn."""

    contests = ("debate", "essay")
    Options = Options

    async def speak(self, turn: Turn) -> Draft:
        """The parts, then a call that makes a speech of them and sees nothing else of the work."""
        work = Dialogue(self.seat, turn, prompts=_PROMPTS)
        parts = [await self._part(part, work) for part in PARTS]
        whole = Dialogue(self.seat, turn, prompts=_PROMPTS)
        whole.show("plan", "\n".join(parts))
        text = await whole.write("compose", agent="Composer")
        whole.note("Composer", marker="finished")
        return Draft(text=text, trace=[*work.trace, *whole.trace])

    async def _part(self, part: str, work: Dialogue) -> str:
        named = work.term(part)
        draft = await work.write("part", agent="Writer", switch=part, part=named)
        work.say("Writer", draft, named)
        work.note("Writer", marker="finished", part=part)
        text = await refine(work, draft, most=self.options.max_revisions, part=named)
        return f"{named}\n{text}"

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Per speech three parts, each with a critique and perhaps a rewrite, and the whole."""
        most = options.max_revisions
        rounds = (min(1, most), min(1.7, 2 * most), 2 * most)
        calls = tuple(3.0 * (1 + len(PARTS) * (1 + n)) for n in rounds)
        speech = words * 1.4
        return Forecast.per_call(
            (calls[0], calls[1], calls[2]),
            read=(700 + 2 * speech, 1000 + 4 * speech, 1500 + 8 * speech),
            said=(0.2 * speech, 0.4 * speech, 1.2 * speech),
        )

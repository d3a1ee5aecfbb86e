"""`americano`: the parts of a speech are written one after the other, then composed.

Hu et al. 2024, "AMERICANO: Argument Generation with Discourse-driven Decomposition and Agent
Interaction", arXiv 2310.20352, generates along the structure of an argument and criticises what
was generated. The parts, their order and the caps are this project's.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from pydantic import Field

from arena.debater import Draft, Forecast, Turn
from arena.debaters.agent_dialogue import AgentDialogue
from arena.debaters.roles import RoleDebater, RoleOptions
from arena.debaters.self_reflect import refine
from arena.prompts import Prompts

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "americano")
#: The parts of an argument in the order of writing; each builds on those before.
PARTS = ("claim", "reasons", "concession")
#: Length of a part, in words.
_PART_WORDS = 250


class Options(RoleOptions):
    """The cap on the critiques of each part."""

    roles = ("writer", "reviewer", "composer")
    max_revisions: int = Field(default=1, ge=0, le=20)


class Americano(RoleDebater):
    """A debater that writes claim, reasons with evidence, and concession, each with critiques."""

    contests = ("debate", "essay")
    Options = Options

    async def speak(self, turn: Turn) -> Draft:
        """Write the parts, then ask for a speech made of them.

        The composer sees the finished parts, not the drafts and critiques. A part that was refused
        or left empty is left out.
        """
        dialogue = AgentDialogue(self.seat, turn, prompts=_PROMPTS, roles=self.options)
        parts = [await self._write_part(part, dialogue) for part in PARTS]
        plan = "\n".join(filter(None, parts))
        composition = AgentDialogue(self.seat, turn, prompts=_PROMPTS, roles=self.options)
        if plan:
            composition.add_quotation("plan", plan)
        text = await composition.write(
            "compose",
            agent="Composer",
            length=self.seat.words,
            flag="planned" if plan else "",
        )
        composition.add_step("Composer", marker="finished")
        return Draft(text=text, trace=[*dialogue.trace, *composition.trace])

    async def _write_part(self, part: str, dialogue: AgentDialogue) -> str:
        name, length = dialogue.term(part), dialogue.words(_PART_WORDS)
        variables = {"part": name, "most": str(length)}
        draft = await dialogue.attempt(
            dialogue.write("part", agent="Writer", length=length, flag=part, **variables),
            agent="Writer",
            fallback="the part is left out",
        )
        if draft is None:
            return ""
        dialogue.add_turn("Writer", draft, name)
        dialogue.add_step("Writer", marker="finished", part=part)
        most = self.options.max_revisions
        text = await refine(dialogue, draft, max_revisions=most, length=length, **variables)
        return f"{name}\n{text}"

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401 - an Options
        """Expect, per speech, three parts, each with a critique and perhaps a rewrite."""
        most = options.max_revisions
        rounds = (min(1, most), min(1.7, 2 * most), 2 * most)
        calls = tuple(3.0 * (1 + len(PARTS) * (1 + n)) for n in rounds)
        speech = words * 1.4
        return Forecast.per_call(
            calls,
            read=(700 + 2 * speech, 1000 + 4 * speech, 1500 + 8 * speech),
            said=(0.2 * speech, 0.4 * speech, 1.2 * speech),
        )

"""How a dimension judge of `debatrix` reads a debate, by mode: what it compares in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from arena.debates.transcript import render_speech, render_transcript
from arena.judge import Hearing
from arena.llm.concurrency import together
from arena.prompts import Prompts, quote
from judges.methods.setting import pair_prompts, setting, speaker

Mode = Literal["full", "non_iterative", "single_pass"]

_DEBATES = Prompts(files("judges") / "prompts" / "debatrix")


def prompts(hearing: Hearing) -> Prompts:
    """The prompts for what is heard: a debate, or a pair of answers."""
    return pair_prompts(hearing) if hearing.pair else _DEBATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a dimension judge has before it when it compares: the prompt and its variables."""

    prompt: str
    variables: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The judge of one dimension at one hearing."""

    hearing: Hearing
    dimension: str

    async def read(self, mode: Mode) -> Reading:
        """Read the debate.

        Raises:
            ContentFault: an analysis was refused or empty.
            InfrastructureFault: the provider failed for good.
        """
        if mode == "single_pass":
            transcript = render_transcript(self.hearing.speeches, self.hearing.language)
            return Reading(
                prompt="compare_raw", variables={**self._about(), "transcript": transcript}
            )
        analyses = await (self._one_by_one() if mode == "full" else self._side_by_side())
        memory = self._remembered(analyses)
        return Reading(prompt="compare", variables={**self._about(), "memory": memory})

    async def _one_by_one(self) -> list[str]:
        """Each speech in the light of the judge's own analyses, never of the earlier speeches."""
        analyses: list[str] = []
        for number in range(1, len(self.hearing.speeches) + 1):
            memory = self._remembered(analyses) or self.hearing.language.terms["nothing_yet"]
            analyses.append(await self._analyse("analyse", number, memory=memory))
        return analyses

    async def _side_by_side(self) -> list[str]:
        """Each speech in the light of the raw speeches before it: nothing waits for anything."""
        speeches, language = self.hearing.speeches, self.hearing.language
        return await together(
            *(
                self._analyse(
                    "analyse_raw",
                    number,
                    transcript=render_transcript(speeches[: number - 1], language),
                )
                for number in range(1, len(speeches) + 1)
            )
        )

    async def _analyse(self, prompt: str, number: int, **before: str) -> str:
        speech = self.hearing.speeches[number - 1]
        variables = {
            **self._about(),
            **before,
            "number": str(number),
            "speaker": speaker(self.hearing, speech),
            "speech": render_speech(speech, self.hearing.language),
        }
        rendered = prompts(self.hearing).render(prompt, self.hearing.language.code, variables)
        path = f"{self.dimension}/analyse/{number}"
        return await self.hearing.model.write(rendered, path=path)

    def _remembered(self, analyses: Sequence[str]) -> str:
        label = self.hearing.language.terms["analysis"]
        return "\n".join(
            quote(label, analysis, str(number), speaker(self.hearing, speech))
            for number, (analysis, speech) in enumerate(
                zip(analyses, self.hearing.speeches, strict=False), start=1
            )
        )

    def _about(self) -> dict[str, str]:
        terms = self.hearing.language.terms
        return {
            **setting(self.hearing),
            "dimension": terms[self.dimension],
            "description": terms[f"about_{self.dimension}"],
        }

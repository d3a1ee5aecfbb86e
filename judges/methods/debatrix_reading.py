"""How a dimension judge of `debatrix` reads a debate, by mode, before it compares the sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from arena.debates.transcript import render_speech, render_transcript
from arena.judge import Hearing
from arena.languages import SIDES
from arena.llm.concurrency import together
from arena.prompts import Prompts, quote
from judges.methods.absences import Absences
from judges.methods.setting import pair_prompts, setting_variables, speaker_label

Mode = Literal["full", "non_iterative", "single_pass"]

#: What the prompt shows in place of an analysis that the model did not deliver.
_MISSING: Mapping[str, str] = {
    "en": "(This analysis is missing. Nothing follows from that for or against either side.)",
    "zh": "（缺少这份分析。不能由此得出对任何一方有利或不利的结论。）",
}
_DEBATES = Prompts(files("judges") / "prompts" / "debatrix")

#: Length of an analysis that the prompts ask for.
_ANALYSIS_WORDS = 350


def prompts(hearing: Hearing) -> Prompts:
    """Return the prompts for debates, or those for pairs of answers."""
    return pair_prompts(hearing) if hearing.pair else _DEBATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The prompt by which a dimension judge compares the sides, and its variables."""

    prompt: str
    variables: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The judge of one dimension at one hearing.

    Attributes:
        absences: collects the analyses that the model does not deliver.
    """

    hearing: Hearing
    dimension: str
    absences: Absences

    async def read(self, mode: Mode) -> Reading:
        """Read the debate.

        Raises:
            ContentFault: more than half of a side's speeches could not be analysed.
            InfrastructureFault: the provider failed for good.
        """
        if mode == "single_pass":
            transcript = render_transcript(self.hearing.speeches, self.hearing.language)
            return Reading(
                prompt="compare_raw",
                variables={**self._dimension_variables(), "transcript": transcript},
            )
        in_turn = mode == "full"
        analyses = await (self._analyse_in_turn() if in_turn else self._analyse_at_once())
        for side in SIDES:
            self.absences.check_half(
                self._path(number)
                for number, speech in enumerate(self.hearing.speeches, start=1)
                if speech.side == side
            )
        memory = self._quote_analyses(analyses)
        return Reading(
            prompt="compare", variables={**self._dimension_variables(), "memory": memory}
        )

    async def _analyse_in_turn(self) -> list[str]:
        """Analyse each speech by a prompt that shows the analyses of the earlier ones."""
        analyses: list[str] = []
        for number in range(1, len(self.hearing.speeches) + 1):
            memory = self._quote_analyses(analyses) or self.hearing.language.terms["nothing_yet"]
            analyses.append(await self._analyse("analyse", number, memory=memory))
        return analyses

    async def _analyse_at_once(self) -> list[str]:
        """Analyse all speeches at the same time, by prompts that show the earlier speeches."""
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

    async def _analyse(self, prompt: str, number: int, **earlier: str) -> str:
        """Return the analysis of one speech, or a note that it is missing.

        `earlier` is what the prompt shows of the others.
        """
        speech = self.hearing.speeches[number - 1]
        variables = {
            **self._dimension_variables(),
            **earlier,
            "number": str(number),
            "speaker": speaker_label(self.hearing, speech),
            "speech": render_speech(speech, self.hearing.language),
        }
        rendered = prompts(self.hearing).render(prompt, self.hearing.language.code, variables)
        path = self._path(number)
        writing = self.hearing.model.write(
            rendered, path=path, words=self.hearing.language.limit(_ANALYSIS_WORDS)
        )
        analysis = await self.absences.attempt(writing, path)
        return analysis or _MISSING[self.hearing.language.code]

    def _path(self, number: int) -> str:
        return f"{self.dimension}/analyse/{number}"

    def _quote_analyses(self, analyses: Sequence[str]) -> str:
        label = self.hearing.language.terms["analysis"]
        return "\n".join(
            quote(label, analysis, str(number), speaker_label(self.hearing, speech))
            for number, (analysis, speech) in enumerate(
                zip(analyses, self.hearing.speeches, strict=False), start=1
            )
        )

    def _dimension_variables(self) -> dict[str, str]:
        terms = self.hearing.language.terms
        return {
            **setting_variables(self.hearing),
            "dimension": terms[self.dimension],
            "description": terms[f"about_{self.dimension}"],
        }

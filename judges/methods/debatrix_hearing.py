"""A hearing of `debatrix`: speeches are analysed, dimensions judged, and a panel judge decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arena.debates.transcript import render_speech, render_transcript
from arena.judge import Hearing, Judgement
from arena.languages import SIDES
from arena.llm.concurrency import together
from arena.llm.repair import contradiction
from arena.llm.schemas import schema_of
from arena.prompts import Prompts, quote
from arena.records import Verdict
from judges.methods.absences import Absences
from judges.methods.debatrix import DIMENSIONS, Mode, Options
from judges.methods.setting import (
    PAIRED,
    REASON_WORDS,
    Better,
    BetterOrTie,
    pair_prompts,
    setting_variables,
    speaker_label,
)
from ratings import CON_WINS, PRO_WINS, TIE

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
class Reader:
    """The judge of one dimension at one hearing.

    Attributes:
        absences: collects the analyses that the model does not deliver.
    """

    hearing: Hearing
    dimension: str
    absences: Absences

    async def read(self, mode: Mode) -> tuple[str, dict[str, str]]:
        """Read the debate; return the prompt that compares the sides, and its variables."""
        variables = self._dimension_variables()
        if mode == "single_pass":
            transcript = render_transcript(self.hearing.speeches, self.hearing.language)
            return "compare_raw", {**variables, "transcript": transcript}
        in_turn = mode == "full"
        analyses = await (self._analyse_in_turn() if in_turn else self._analyse_at_once())
        for side in SIDES:
            self.absences.check_half(
                self._path(number)
                for number, speech in enumerate(self.hearing.speeches, start=1)
                if speech.side == side
            )
        return "compare", {**variables, "memory": self._quote_analyses(analyses)}

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
        """Return the analysis of one speech, or a note that it is missing."""
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


_OUTCOMES = {"Pro": PRO_WINS, "tie": TIE, "Con": CON_WINS}


class Comparison(BaseModel):
    """A model's verdict; the winner's mark is never the lower one."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    judgement: str = Field(min_length=1)
    pro_mark: float = Field(ge=1, le=10)
    con_mark: float = Field(ge=1, le=10)
    winner: Literal["Pro", "Con", "tie"]

    @model_validator(mode="after")
    def _check_consistency(self) -> Comparison:
        lead = self.pro_mark - self.con_mark
        if (self.winner == "Pro" and lead < 0) or (self.winner == "Con" and lead > 0):
            en, zh = "the winner has the lower mark", "胜方的分数低于对方"
            raise contradiction("winner_has_lower_mark", en=en, zh=zh)
        return self


class DecidedComparison(Comparison):
    """A verdict where a tie is not allowed."""

    winner: Literal["Pro", "Con"]


class PairComparison(Comparison):
    """A verdict on a pair of answers."""

    model_config = PAIRED
    winner: BetterOrTie


class DecidedPairComparison(PairComparison):
    """A verdict on a pair of answers where a tie is not allowed."""

    winner: Better


#: The forms by whether a pair of answers is judged, and whether a tie is excluded.
_FORMS: Mapping[tuple[bool, bool], type[Comparison]] = {
    (False, False): Comparison,
    (False, True): DecidedComparison,
    (True, False): PairComparison,
    (True, True): DecidedPairComparison,
}


async def hold_hearing(hearing: Hearing, options: Options) -> Judgement:
    """Judge all dimensions at the same time, then ask the panel judge.

    The panel judge reads the verdicts on the dimensions, the heaviest first.
    """
    absences = Absences(language=hearing.language)
    readers = [Reader(hearing=hearing, dimension=name, absences=absences) for name in DIMENSIONS]
    verdicts = await together(*(_judge_dimension(reader, options) for reader in readers))
    weights: dict[str, float] = options.weights.model_dump()
    terms = hearing.language.terms
    judgements = [
        quote(
            terms["judgement"],
            verdict.comment,
            terms[verdict.dimension],
            f"{terms['weight']} {weights[verdict.dimension]:g}",
        )
        for verdict in sorted(verdicts, key=lambda verdict: -weights[verdict.dimension])
        if weights[verdict.dimension] > 0
    ]
    variables = {**setting_variables(hearing), "judgements": "\n".join(judgements)}
    overall = await _ask(hearing, options, "overall/panel", "panel", variables)
    judgement = Judgement(verdicts=(*verdicts, overall), rationale=overall.comment)
    return absences.add_to(judgement)


async def _judge_dimension(reader: Reader, options: Options) -> Verdict:
    prompt, variables = await reader.read(options.mode)
    return await _ask(reader.hearing, options, f"{reader.dimension}/compare", prompt, variables)


async def _ask(
    hearing: Hearing, options: Options, path: str, prompt: str, variables: Mapping[str, str]
) -> Verdict:
    """Ask for the verdict on a path's dimension; the preset says whether it may be a tie."""
    dimension = path.partition("/")[0]
    decided = options.preset == "debatrix" and dimension in ("argument", "overall")
    form = _FORMS[hearing.pair, decided]
    rendered = prompts(hearing).render(
        prompt,
        hearing.language.code,
        {**variables, "schema": schema_of(form).text()},
        flags=frozenset(() if decided else ("tie_allowed",)),
    )
    comparison = await hearing.model.ask(
        rendered, form, path=path, words=hearing.language.limit(REASON_WORDS)
    )
    return Verdict(
        dimension=dimension,
        outcome=_OUTCOMES[comparison.winner],
        pro_mark=comparison.pro_mark,
        con_mark=comparison.con_mark,
        comment=comparison.judgement,
    )

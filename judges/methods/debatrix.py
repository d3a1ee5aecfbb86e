"""`debatrix`: a debate is analysed by dimension, speech after speech; a panel judge decides.

Liang et al. 2024, "Debatrix: Multi-dimensional Debate Judge with Iterative Chronological Analysis
Based on LLM", arXiv 2403.08010, as the Agent4Debate arena uses it (arXiv 2408.04472): a ternary
result per dimension and overall, ties allowed everywhere in that preset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from arena.debater import Forecast
from arena.debates.transcript import render_speech, render_transcript
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, SPEECHES
from arena.llm.concurrency import together
from arena.llm.repair import contradiction
from arena.llm.schemas import schema_of
from arena.presets import PAPER
from arena.prompts import Prompts, quote
from arena.records import Sampling, Verdict
from judges.methods.absences import Absences
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


class Weights(BaseModel):
    """The dimensions, each with its weight for the panel judge; 0 leaves it out of its prompt."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    argument: float = Field(default=3, ge=0, allow_inf_nan=False)
    source: float = Field(default=2, ge=0, allow_inf_nan=False)
    language: float = Field(default=2, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _check_any(self) -> Weights:
        if not any(weight for _, weight in self):
            raise ValueError("at least one weight must be above 0")
        return self


#: What has a judge of its own: the fields of `Weights`.
DIMENSIONS = tuple(Weights.model_fields)


class Options(BaseModel):
    """Options of `debatrix`.

    Attributes:
        preset: where a tie is allowed: everywhere (`arena`), or not on argument and overall
            (`debatrix`, as in the original, which is also called `paper`).
        mode: what a dimension judge reads: its earlier analyses and one new speech at a time
            (`full`), the raw earlier speeches with each new one (`non_iterative`), or the whole
            raw debate at once (`single_pass`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    preset: Literal["arena", "debatrix", "paper"] = "arena"
    mode: Mode = "full"
    weights: Weights = Weights()

    @field_validator("preset")
    @classmethod
    def _name_the_paper(cls, preset: str) -> str:
        # Benches that were stored under its first name keep their identity.
        return "debatrix" if preset == PAPER else preset


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


class Debatrix(Judge):
    """One judge per dimension, each of which reads by itself, and a panel judge over them.

    The first answer of a pair is read first; with `swap` the pair is also judged in the other
    order.
    """

    Options = Options
    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")
    rewords = True

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Those that have a judge of their own, and overall."""
        return (*DIMENSIONS, "overall")

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each dimension, as the panel judge's prompt shows it."""
        weights: dict[str, float] = self.options.weights.model_dump()
        return weights

    async def judge(self, hearing: Hearing) -> Judgement:
        """Judge all dimensions at the same time, then ask the panel judge.

        The panel judge reads the verdicts on the dimensions, the heaviest first.
        """
        absences = Absences(language=hearing.language)
        readers = [
            Reader(hearing=hearing, dimension=name, absences=absences) for name in DIMENSIONS
        ]
        verdicts = await together(*map(self._judge_dimension, readers))
        weights, terms = self.weights, hearing.language.terms
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
        overall = await self._ask(hearing, "overall/panel", "panel", variables)
        judgement = Judgement(verdicts=(*verdicts, overall), rationale=overall.comment)
        return absences.add_to(judgement)

    async def _judge_dimension(self, reader: Reader) -> Verdict:
        prompt, variables = await reader.read(self.options.mode)
        path = f"{reader.dimension}/compare"
        return await self._ask(reader.hearing, path, prompt, variables)

    async def _ask(
        self, hearing: Hearing, path: str, prompt: str, variables: Mapping[str, str]
    ) -> Verdict:
        """Ask for the verdict on a path's dimension; the preset says whether it may be a tie."""
        dimension = path.partition("/")[0]
        decided = self.options.preset == "debatrix" and dimension in ("argument", "overall")
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

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast an analysis per dimension and speech, a verdict per dimension, and the panel's.

        With three dimensions and six speeches these are 22 calls; 4 in a single pass.
        """
        judged = len(DIMENSIONS)
        every = judged * speeches
        read_so_far = judged * speeches * (speeches + 1) // 2  # one speech, then two, ...
        # raw speeches and analyses (or judgements), each once for every prompt that it stands in
        calls, raw, analyses = {
            "full": (every + judged + 1, every, read_so_far + judged),
            "non_iterative": (every + judged + 1, read_so_far, every + judged),
            "single_pass": (judged + 1, every, judged),
        }[options.mode]
        speech = words * 1.4
        return Forecast(
            calls=(calls, calls, 2 * calls),
            input_tokens=(
                700 * calls + 0.6 * raw * speech + 120 * analyses,
                1100 * calls + raw * speech + 300 * analyses,
                2 * (1500 * calls + 2 * raw * speech + 900 * analyses),
            ),
            output_tokens=(calls * 120, calls * 300, calls * 900),
        )


#: The forms by whether a pair of answers is judged, and whether a tie is excluded.
_FORMS: Mapping[tuple[bool, bool], type[Comparison]] = {
    (False, False): Comparison,
    (False, True): DecidedComparison,
    (True, False): PairComparison,
    (True, True): DecidedPairComparison,
}

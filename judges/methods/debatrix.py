"""`debatrix`: a debate is analysed by dimension, speech after speech; a panel judge decides.

Liang et al. 2024, "Debatrix: Multi-dimensional Debate Judge with Iterative Chronological Analysis
Based on LLM", arXiv 2403.08010, as the Agent4Debate arena uses it (arXiv 2408.04472): a ternary
result per dimension and overall, ties allowed everywhere in that preset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arena.debater import Forecast
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES
from arena.llm.concurrency import together
from arena.llm.model import schema_of
from arena.llm.repair import contradiction
from arena.prompts import quote
from arena.records import Sampling, Verdict
from judges.methods.absences import Absences
from judges.methods.debatrix_reading import Mode, Reader, prompts
from judges.methods.pair_forms import PAIRED, Better, BetterOrTie
from judges.methods.setting import REASON_WORDS, setting_variables
from ratings import CON_WINS, PRO_WINS, TIE

_OUTCOMES = {"Pro": PRO_WINS, "tie": TIE, "Con": CON_WINS}


class Weights(BaseModel):
    """The weight of each dimension for the panel judge; 0 leaves it out of its prompt."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    argument: float = Field(default=3, ge=0, allow_inf_nan=False)
    source: float = Field(default=2, ge=0, allow_inf_nan=False)
    language: float = Field(default=2, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _check_any(self) -> Weights:
        if not any((self.argument, self.source, self.language)):
            raise ValueError("at least one weight must be above 0")
        return self


class Options(BaseModel):
    """Options of `debatrix`.

    Attributes:
        preset: where a tie is allowed: everywhere (`arena`), or not on argument and overall
            (`debatrix`, as in the original).
        mode: what a dimension judge reads: its earlier analyses and one new speech at a time
            (`full`), the raw earlier speeches with each new one (`non_iterative`), or the whole
            raw debate at once (`single_pass`).
        weights: of the dimensions.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    preset: Literal["arena", "debatrix"] = "arena"
    mode: Mode = "full"
    weights: Weights = Weights()


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
            raise contradiction(
                "winner_has_lower_mark",
                en="the winner has the lower mark",
                zh="胜方的分数低于对方",
            )
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
        """Three dimensions and overall."""
        return ("argument", "source", "language", "overall")

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each dimension, as the panel judge's prompt shows it."""
        weights: dict[str, float] = self.options.weights.model_dump()
        return weights

    async def judge(self, hearing: Hearing) -> Judgement:
        """Judge the three dimensions at the same time, then ask the panel judge."""
        absences = Absences(language=hearing.language)
        readers = [
            Reader(hearing=hearing, dimension=name, absences=absences)
            for name in self.dimensions[:-1]
        ]
        verdicts = await together(*map(self._judge_dimension, readers))
        overall = await self._judge_overall(hearing, verdicts)
        judgement = Judgement(verdicts=(*verdicts, overall), rationale=overall.comment)
        return absences.add_to(judgement)

    async def _judge_dimension(self, reader: Reader) -> Verdict:
        hearing, dimension = reader.hearing, reader.dimension
        reading = await reader.read(self.options.mode)
        call = _Call(prompt=reading.prompt, dimension=dimension, path=f"{dimension}/compare")
        return await self._ask(hearing, call, reading.variables)

    async def _judge_overall(self, hearing: Hearing, verdicts: Sequence[Verdict]) -> Verdict:
        """Ask the panel judge, who reads the verdicts on the dimensions, the heaviest first."""
        weights = self.weights
        judgements = [
            self._quote_judgement(hearing, verdict, weights[verdict.dimension])
            for verdict in sorted(verdicts, key=lambda verdict: -weights[verdict.dimension])
            if weights[verdict.dimension] > 0
        ]
        variables = {**setting_variables(hearing), "judgements": "\n".join(judgements)}
        call = _Call(prompt="panel", dimension="overall", path="overall/panel")
        return await self._ask(hearing, call, variables)

    async def _ask(self, hearing: Hearing, call: _Call, variables: Mapping[str, str]) -> Verdict:
        """Ask for the verdict on a dimension; the preset decides whether it may be a tie."""
        decided = self.options.preset == "debatrix" and call.dimension in ("argument", "overall")
        form = _FORMS[hearing.pair, decided]
        prompt = prompts(hearing).render(
            call.prompt,
            hearing.language.code,
            {**variables, "schema": schema_of(form).text()},
            flags=frozenset(() if decided else ("tie_allowed",)),
        )
        comparison = await hearing.model.ask(
            prompt, form, path=call.path, words=hearing.language.limit(REASON_WORDS)
        )
        return Verdict(
            dimension=call.dimension,
            outcome=_OUTCOMES[comparison.winner],
            pro_mark=comparison.pro_mark,
            con_mark=comparison.con_mark,
            comment=comparison.judgement,
        )

    def _quote_judgement(self, hearing: Hearing, verdict: Verdict, weight: float) -> str:
        terms = hearing.language.terms
        words = (terms[verdict.dimension], f"{terms['weight']} {weight:g}")
        return quote(terms["judgement"], verdict.comment, *words)

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Forecast three dimensions and the panel: 22 calls, 10 on a pair; 4 in a single pass."""
        calls, raw, analyses = _count_calls(options.mode, speeches)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One call for a verdict."""

    prompt: str
    dimension: str
    path: str


def _count_calls(mode: Mode, speeches: int) -> tuple[int, int, int]:
    """Count the calls, and the raw speeches and the analyses (or judgements) in their prompts.

    A text is counted once for each prompt that it stands in, of three dimensions and a panel.
    """
    every = 3 * speeches
    read_so_far = 3 * speeches * (speeches + 1) // 2  # one speech, then two, ...
    if mode == "full":
        return every + 4, every, read_so_far + 3
    if mode == "non_iterative":
        return every + 4, read_so_far, every + 3
    return 4, every, 3

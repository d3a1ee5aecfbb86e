"""`debatrix`: analysis of a debate by dimension, speech after speech, then a panel.

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
from judges.methods.debatrix_reading import Mode, Reader, prompts
from judges.methods.paired import PAIRED, Better, BetterOrTie
from judges.methods.setting import setting
from ratings import CON_WINS, PRO_WINS, TIE

_OUTCOMES = {"Pro": PRO_WINS, "tie": TIE, "Con": CON_WINS}


class Weights(BaseModel):
    """How much each dimension counts with the panel; 0 keeps it from the panel's eyes."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    argument: float = Field(default=3, ge=0, allow_inf_nan=False)
    source: float = Field(default=2, ge=0, allow_inf_nan=False)
    language: float = Field(default=2, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _some(self) -> Weights:
        if not any((self.argument, self.source, self.language)):
            raise ValueError("at least one weight must be above 0")
        return self


class Options(BaseModel):
    """Options of `debatrix`.

    Attributes:
        preset: where a tie is allowed: everywhere (`arena`), or not on argument and overall
            (`debatrix`, as the original has it).
        mode: what a dimension judge reads: its own analyses and one new speech at a time
            (`full`), the raw earlier speeches with each new one (`non_iterative`), or the whole
            raw debate at once (`single_pass`).
        weights: of the dimensions.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    preset: Literal["arena", "debatrix"] = "arena"
    mode: Mode = "full"
    weights: Weights = Weights()


class Comparison(BaseModel):
    """A verdict in the model's words and marks; the winner's mark is never the lower one."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    judgement: str = Field(min_length=1)
    pro_mark: float = Field(ge=1, le=10)
    con_mark: float = Field(ge=1, le=10)
    winner: Literal["Pro", "Con", "tie"]

    @model_validator(mode="after")
    def _consistent(self) -> Comparison:
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
    """One judge per dimension, each with what it read alone, and a panel judge over them.

    Of a pair of answers the first is read first; `swap` has it read the other way round, too.
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
        """Those that the panel is told."""
        told: dict[str, float] = self.options.weights.model_dump()
        return told

    async def judge(self, hearing: Hearing) -> Judgement:
        """One run: the three dimensions side by side, then the panel."""
        judged = await together(*(self._dimension(hearing, name) for name in self.dimensions[:-1]))
        overall = await self._panel(hearing, judged)
        return Judgement(verdicts=(*judged, overall), rationale=overall.comment)

    async def _dimension(self, hearing: Hearing, dimension: str) -> Verdict:
        found = await Reader(hearing=hearing, dimension=dimension).read(self.options.mode)
        call = _Call(prompt=found.prompt, dimension=dimension, path=f"{dimension}/compare")
        return await self._verdict(hearing, call, found.variables)

    async def _panel(self, hearing: Hearing, judged: Sequence[Verdict]) -> Verdict:
        heaviest = sorted(judged, key=lambda one: -self.weights[one.dimension])
        shown = [
            self._shown(hearing, one, self.weights[one.dimension])
            for one in heaviest
            if self.weights[one.dimension] > 0
        ]
        variables = {**setting(hearing), "judgements": "\n".join(shown)}
        call = _Call(prompt="panel", dimension="overall", path="overall/panel")
        return await self._verdict(hearing, call, variables)

    async def _verdict(
        self, hearing: Hearing, call: _Call, variables: Mapping[str, str]
    ) -> Verdict:
        decided = self.options.preset == "debatrix" and call.dimension in ("argument", "overall")
        form = _FORMS[hearing.pair, decided]
        prompt = prompts(hearing).render(
            call.prompt,
            hearing.language.code,
            {**variables, "schema": schema_of(form).text()},
            flags=frozenset(() if decided else ("tie_allowed",)),
        )
        found = await hearing.model.ask(prompt, form, path=call.path)
        return Verdict(
            dimension=call.dimension,
            outcome=_OUTCOMES[found.winner],
            pro_mark=found.pro_mark,
            con_mark=found.con_mark,
            comment=found.judgement,
        )

    def _shown(self, hearing: Hearing, verdict: Verdict, weight: float) -> str:
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
        """Three dimensions and the panel: 22 calls, 10 on a pair of answers; or a single pass."""
        calls, raw, analyses = _read(options.mode, speeches)
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


#: By what is heard (a pair or a debate), and whether one must win.
_FORMS: Mapping[tuple[bool, bool], type[Comparison]] = {
    (False, False): Comparison,
    (False, True): DecidedComparison,
    (True, False): PairComparison,
    (True, True): DecidedPairComparison,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    prompt: str
    dimension: str
    path: str


def _read(mode: Mode, speeches: int) -> tuple[int, int, int]:
    """Count calls, and the raw speeches and the analyses (or judgements) in their prompts.

    Each is counted once for each prompt that it stands in, of three dimensions and a panel.
    """
    every = 3 * speeches
    read_so_far = 3 * speeches * (speeches + 1) // 2  # one speech, then two, ...
    if mode == "full":
        return every + 4, every, read_so_far + 3
    if mode == "non_iterative":
        return every + 4, read_so_far, every + 3
    return 4, every, 3

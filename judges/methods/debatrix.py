"""`debatrix`: a debate is analysed by dimension, speech after speech; a panel judge decides.

Liang et al. 2024, "Debatrix: Multi-dimensional Debate Judge with Iterative Chronological Analysis
Based on LLM", arXiv 2403.08010, as the Agent4Debate arena uses it (arXiv 2408.04472): a ternary
result per dimension and overall, ties allowed everywhere in that preset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from arena.debater import Forecast
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES
from arena.presets import PAPER
from arena.records import Sampling

Mode = Literal["full", "non_iterative", "single_pass"]


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
        """Judge all dimensions at the same time, then ask the panel judge."""
        # Whoever reads stored ballots needs what is declared above, and nothing that asks models.
        from judges.methods.debatrix_hearing import hold_hearing  # noqa: PLC0415

        return await hold_hearing(hearing, self.options)

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

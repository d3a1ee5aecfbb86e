"""`single`: one call, six criteria, the higher total wins.

The baseline judge of Bandi and Harrasse 2024 (arXiv 2410.04663). With `preset = "paper"`, as in
appendix E.3, the scores come before the reasons, and the judge is to watch for small differences.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SPEECHES
from arena.presets import PresetOptions
from judges.methods.criteria import Card, CriteriaJudge, Scores, ask_for_judgement, verdicts
from judges.methods.paper_court import ask_as_in_paper
from judges.methods.setting import PAIRED


class ScoresFirst(BaseModel):
    """A judge's scores of both sides, and its reasons after them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    pro: Scores
    con: Scores
    judgement: str = Field(min_length=1)


class PairScoresFirst(ScoresFirst):
    """A judge's scores of a pair of answers, and its reasons after them."""

    model_config = PAIRED


class Options(PresetOptions):
    """Options of `single`."""

    @model_serializer(mode="wrap")
    def _leave_out_unset(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Benches without the preset keep their identity.
        return {name: value for name, value in serialize(self).items() if value is not None}


class Single(CriteriaJudge):
    """One judge that reads the whole debate and scores both sides at once."""

    Options = Options

    async def judge(self, hearing: Hearing) -> Judgement:
        """Judge by one call."""
        if not self.options.preset:
            return await ask_for_judgement(hearing, "single")
        form = PairScoresFirst if hearing.pair else ScoresFirst
        scored = await ask_as_in_paper(hearing, "single", form, {}, path="judge")
        card = Card(judgement=scored.judgement, pro=scored.pro, con=scored.con)
        return Judgement(verdicts=verdicts([card], hearing.language), rationale=card.judgement)

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast one call, or two where the first answer needs a repair."""
        debate = speeches * words * 1.4
        return Forecast(
            calls=(1, 1, 2),
            input_tokens=(1200 + 0.6 * debate, 1500 + debate, 2 * (2000 + 2 * debate)),
            output_tokens=(150, 450, 1500),
        )

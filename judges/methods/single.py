"""`single`: one call, six criteria, the higher total wins.

The baseline judge of Bandi and Harrasse 2024 (arXiv 2410.04663).
"""

from __future__ import annotations

from typing import Any

from arena.debater import Forecast
from arena.debates.transcript import render_transcript
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES
from arena.llm.model import schema_of
from arena.records import Sampling
from judges.methods.criteria import DIMENSIONS, Card, PairCard, prompts, verdicts
from judges.methods.setting import setting


class Single(Judge):
    """One judge that reads the whole debate and scores both sides at once."""

    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")
    rewords = True

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The six criteria and overall."""
        return DIMENSIONS

    async def judge(self, hearing: Hearing) -> Judgement:
        """One run: one call."""
        form = PairCard if hearing.pair else Card
        variables = {
            **setting(hearing),
            "transcript": render_transcript(hearing.speeches, hearing.language),
            "schema": schema_of(form).text(),
        }
        prompt = prompts(hearing).render("single", hearing.language.code, variables)
        card = await hearing.model.ask(prompt, form, path="judge")
        return Judgement(verdicts=verdicts([card], hearing.language), rationale=card.judgement)

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """One call, or two where the first cannot be understood."""
        debate = speeches * words * 1.4
        return Forecast(
            calls=(1, 1, 2),
            input_tokens=(1200 + 0.6 * debate, 1500 + debate, 2 * (2000 + 2 * debate)),
            output_tokens=(150, 450, 1500),
        )

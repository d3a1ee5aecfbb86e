"""`single`: one call, six criteria, the higher total wins.

The baseline judge of Bandi and Harrasse 2024 (arXiv 2410.04663).
"""

from __future__ import annotations

from typing import Any

from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SPEECHES
from judges.methods.criteria import CriteriaJudge, ask_for_judgement


class Single(CriteriaJudge):
    """One judge that reads the whole debate and scores both sides at once."""

    async def judge(self, hearing: Hearing) -> Judgement:
        """Judge by one call."""
        return await ask_for_judgement(hearing, "single")

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast one call, or two where the first answer needs a repair."""
        debate = speeches * words * 1.4
        return Forecast(
            calls=(1, 1, 2),
            input_tokens=(1200 + 0.6 * debate, 1500 + debate, 2 * (2000 + 2 * debate)),
            output_tokens=(150, 450, 1500),
        )

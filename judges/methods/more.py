"""`more`: Multi-Advocate One-Round Evaluation.

Bandi and Harrasse 2024, arXiv 2410.04663. Both sides' advocates work at the same time here: in the
original the second side's saw the first's defences, which favours whoever is second.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SIDES, SPEECHES, Side
from arena.llm.concurrency import together
from judges.methods.advocacy import Advocate
from judges.methods.criteria_judge import CriteriaJudge, ask_for_card

#: The most words of one advocate's defence, and of the fused one.
DEFENCE, _FUSED = 80, 150


class Options(BaseModel):
    """Options of `more`: how many advocates defend each side."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    advocates: int = Field(default=3, ge=1, le=9)


class More(CriteriaJudge):
    """Several advocates of each side, whose defences are fused into one, and a judge of both."""

    Options = Options

    async def judge(self, hearing: Hearing) -> Judgement:
        """Collect both sides' defences at the same time, then ask the judge."""
        defences = await together(*(self._defend(hearing, side) for side in SIDES))
        return await ask_for_card(hearing, "more", defences="\n".join(defences))

    async def _defend(self, hearing: Hearing, side: Side) -> str:
        """Return a side's fused defence, quoted for the judge's prompt."""
        advocate = Advocate(hearing=hearing, side=side)
        numbers = [str(number) for number in range(1, self.options.advocates + 1)]
        defences = await together(
            *(
                advocate.plead("defend", path=f"{side}/advocate/{number}", words=DEFENCE)
                for number in numbers
            )
        )
        fused = await advocate.plead(
            "fuse",
            path=f"{side}/aggregate",
            words=_FUSED,
            count=numbers[-1],
            defences="\n".join(map(advocate.quote, defences, numbers)),
        )
        return advocate.quote(fused)

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Forecast each side's advocates and its fusion, and the judge: 9 calls by default."""
        debate = speeches * words * 1.4
        calls = 2 * (options.advocates + 1) + 1
        return Forecast(
            calls=(calls, calls, calls + 1),
            input_tokens=(
                calls * (900 + 0.6 * debate),
                calls * (1200 + debate),
                (calls + 1) * (2500 + 2 * debate),
            ),
            output_tokens=(calls * 60, calls * 130 + 350, calls * 400 + 2000),
        )

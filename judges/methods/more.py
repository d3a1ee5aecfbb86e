"""`more`: Multi-Advocate One-Round Evaluation.

Bandi and Harrasse 2024, arXiv 2410.04663. Both sides' advocates work side by side here: in the
original the second side's saw the first's, which favours whoever is second.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from arena.debater import Forecast
from arena.debates.transcript import render_transcript
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, SPEECHES, Side
from arena.llm.concurrency import together
from arena.llm.model import schema_of
from arena.records import Sampling
from judges.methods.advocacy import Advocate
from judges.methods.criteria import DIMENSIONS, Card, PairCard, prompts, verdicts
from judges.methods.setting import setting

#: Words of one advocate's defence, and of the fused one.
DEFENCE, _FUSED = 80, 150


class Options(BaseModel):
    """Options of `more`: how many advocates defend each side."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    advocates: int = Field(default=3, ge=1, le=9)


class More(Judge):
    """Advocates of both sides, one defence fused from each side's, and a judge of both."""

    Options = Options
    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")
    rewords = True

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The six criteria and overall."""
        return DIMENSIONS

    async def judge(self, hearing: Hearing) -> Judgement:
        """One run: the sides' defences side by side, then the judge."""
        defences = await together(*(self._defence(hearing, side) for side in SIDES))
        form = PairCard if hearing.pair else Card
        variables = {
            **setting(hearing),
            "transcript": render_transcript(hearing.speeches, hearing.language),
            "defences": "\n".join(defences),
            "schema": schema_of(form).text(),
        }
        prompt = prompts(hearing).render("more", hearing.language.code, variables)
        card = await hearing.model.ask(prompt, form, path="judge")
        return Judgement(verdicts=verdicts([card], hearing.language), rationale=card.judgement)

    async def _defence(self, hearing: Hearing, side: Side) -> str:
        advocate = Advocate(hearing=hearing, side=side)
        numbers = [str(number) for number in range(1, self.options.advocates + 1)]
        written = await together(
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
            defences="\n".join(map(advocate.quoted, written, numbers)),
        )
        return advocate.quoted(fused)

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Each side's advocates and its aggregator, and the judge: 9 calls with three advocates."""
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

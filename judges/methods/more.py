"""`more`: Multi-Advocate One-Round Evaluation.

Bandi and Harrasse 2024, arXiv 2410.04663. Both sides' advocates work at the same time here: in the
original the second side's saw the first's defences, which favours whoever is second.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from arena.debater import Forecast
from arena.debates.protocol import trim
from arena.judge import Hearing, Judgement
from arena.languages import SIDES, SPEECHES, Side
from arena.llm.concurrency import together
from judges.methods.absences import Absences
from judges.methods.advocacy import Advocate
from judges.methods.criteria_judge import CriteriaJudge, ask_for_card
from judges.methods.scored import ScoredOptions

#: The most words of one advocate's defence, and of the fused one.
DEFENCE, _FUSED = 80, 150


#: The judge's prompt, by what it scores.
_PROMPTS = {"answers": "more", "defences": "more_defences"}


class Options(ScoredOptions):
    """Options of `more`: what is scored, and how many advocates defend each side."""

    advocates: int = Field(default=3, ge=1, le=9)


class More(CriteriaJudge):
    """Several advocates of each side, whose defences are fused into one, and a judge of both."""

    Options = Options

    async def judge(self, hearing: Hearing) -> Judgement:
        """Collect both sides' defences at the same time, then ask the judge.

        An advocate without a text is left out; a side needs at least one.

        Raises:
            ContentFault: no advocate of a side, or not the judge, could be understood.
            InfrastructureFault: the provider failed for good.
        """
        absences = Absences(language=hearing.language)
        defences = await together(*(self._defend(hearing, side, absences) for side in SIDES))
        prompt = _PROMPTS[self.options.scores]
        judgement = await ask_for_card(hearing, prompt, defences="\n".join(defences))
        return absences.add_to(judgement)

    async def _defend(self, hearing: Hearing, side: Side, absences: Absences) -> str:
        """Return a side's fused defence, quoted for the judge's prompt.

        Where nobody fuses them, the defences stand one after the other, cut at the same limit.
        """
        advocate = Advocate(hearing=hearing, side=side, scored=self.options.scores)
        defences = await self._collect(advocate, absences)
        path = f"{side}/aggregate"
        fusing = advocate.plead(
            "fuse",
            path=path,
            words=_FUSED,
            count=str(len(defences)),
            defences="\n".join(advocate.quote(text, number) for number, text in defences.items()),
        )
        fused = await absences.attempt(fusing, path)
        if fused is None:
            language = hearing.language
            fused = trim("\n\n".join(defences.values()), language.limit(_FUSED), language)
        return advocate.quote(fused)

    async def _collect(self, advocate: Advocate, absences: Absences) -> dict[str, str]:
        """Return the defences that the advocates of a side wrote, by their number.

        Raises:
            ContentFault: none wrote any.
        """
        numbers = [str(number) for number in range(1, self.options.advocates + 1)]
        paths = {number: f"{advocate.side}/advocate/{number}" for number in numbers}
        texts = await together(
            *(
                absences.attempt(advocate.plead("defend", path=path, words=DEFENCE), path)
                for path in paths.values()
            )
        )
        defences = {number: text for number, text in zip(numbers, texts, strict=True) if text}
        if not defences:
            raise absences.faults[paths[numbers[0]]]
        return defences

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

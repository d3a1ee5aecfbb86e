"""`correctness`: who answered the question correctly; no model is asked."""

from __future__ import annotations

from typing import Any, ClassVar

from arena.answers import is_correct
from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SPEECHES
from arena.records import Step
from judges.methods.questions import (
    QuestionJudge,
    accepted_answers,
    judge_by_correctness,
    measure_chrf,
)

_NOTHING = (0.0, 0.0, 0.0)


class Correctness(QuestionJudge):
    """Right beats wrong; both right, or both wrong, is a tie (Liang et al. 2023, arXiv 2305.19118).

    An answer is right if it is one of the question's accepted ones: the same number, or the same
    words without regard to case, spacing and marks. A translation is right if it is closer, by
    chrF, to a right reference than to every wrong one.
    """

    needs_model: ClassVar[bool] = False

    async def judge(self, hearing: Hearing) -> Judgement:
        """Compare both answers with the accepted ones."""
        answers = accepted_answers(hearing)
        right = {speech.side: is_correct(speech.text, answers) for speech in hearing.speeches}
        steps: list[Step] = [
            {"side": speech.side, "right": right[speech.side], **measure_chrf(speech, answers)}
            for speech in hearing.speeches
            if answers.translation
        ]
        return judge_by_correctness(right, answers, trace=tuple(steps))

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - NoOptions
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Forecast no calls."""
        return Forecast(calls=_NOTHING, input_tokens=_NOTHING, output_tokens=_NOTHING)

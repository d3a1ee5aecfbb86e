"""`correctness`: who answered the question correctly; no model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from arena.answers import chrf, is_correct
from arena.debater import Forecast
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, SPEECHES, Contest, Side
from arena.records import Speech, Step, Verdict
from motions import Answers
from ratings import outcome_of

#: The marks of a right and of a wrong answer, on the scale of all ballots.
RIGHT, WRONG = 10.0, 1.0


class QuestionJudge(Judge):
    """A judge of answers to questions."""

    contests: ClassVar[tuple[Contest, ...]] = ("question",)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Overall alone."""
        return ("overall",)


def accepted_answers(hearing: Hearing) -> Answers:
    """Return the answers that a question accepts; a hearing of anything else is an error."""
    if hearing.answers is None:
        raise ValueError("only questions have accepted answers")
    return hearing.answers


def judge_by_correctness(
    right: Mapping[Side, bool], answers: Answers, *, trace: tuple[Step, ...] = ()
) -> Judgement:
    """Return the judgement on two answers: right beats wrong; else it is a tie."""
    pro, con = (RIGHT if right[side] else WRONG for side in SIDES)
    verdict = Verdict(
        dimension="overall",
        outcome=outcome_of(pro - con),
        pro_mark=pro,
        con_mark=con,
        comment="; ".join(f"{side}: {'right' if right[side] else 'wrong'}" for side in SIDES),
    )
    rationale = f"Accepted: {', '.join(answers.accepted)}"
    return Judgement(verdicts=(verdict,), rationale=rationale, trace=trace)


def measure_chrf(translation: Speech, answers: Answers) -> dict[str, float]:
    """Return a translation's chrF (0 to 100) against right and wrong references, for a trace."""
    return {
        "chrf": round(chrf(translation.text, answers.accepted), 1),
        "chrf_wrong": round(chrf(translation.text, answers.wrong), 1),
    }


_NOTHING = (0.0, 0.0, 0.0)
#: The forecast of a judge that asks no model.
NO_CALLS = Forecast(calls=_NOTHING, input_tokens=_NOTHING, output_tokens=_NOTHING)


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
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast no calls."""
        return NO_CALLS

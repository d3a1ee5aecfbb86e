"""What `correctness` and `translation` share: they judge answers to questions, right or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from arena.answers import chrf
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, Contest, Side
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
    """Return the answers that a question accepts.

    Raises:
        ValueError: the hearing is of something else.
    """
    if hearing.answers is None:
        raise ValueError("only questions have accepted answers")
    return hearing.answers


def judge_by_correctness(
    right: Mapping[Side, bool], answers: Answers, *, trace: tuple[Step, ...] = ()
) -> Judgement:
    """Return the judgement on two answers: right beats wrong; else it is a tie.

    Args:
        right: whether each side's answer is right.
        answers: those that the question accepts.
        trace: how the answers were checked.
    """
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

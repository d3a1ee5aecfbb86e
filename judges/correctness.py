"""`correctness`: who answered the question correctly; no model is asked."""

from __future__ import annotations

from typing import Any, ClassVar

from arena.answers import accepted
from arena.debater import Forecast
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, Contest
from arena.records import Verdict
from ratings import outcome_of

#: The marks of a right and of a wrong answer, on the scale of all ballots.
RIGHT, WRONG = 10.0, 1.0
_NOTHING = (0.0, 0.0, 0.0)


class Correctness(Judge):
    """Right beats wrong; both right, or both wrong, is a tie (Liang et al. 2023, arXiv 2305.19118).

    An answer is right if it is one of the question's accepted ones: the same number, or the same
    words without regard to case, spacing and marks.
    """

    needs_model: ClassVar[bool] = False
    contests: ClassVar[tuple[Contest, ...]] = ("question",)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Overall alone."""
        return ("overall",)

    async def judge(self, hearing: Hearing) -> Judgement:
        """Compare both answers with the accepted ones."""
        if hearing.answers is None:
            raise ValueError("only questions have accepted answers")
        right = {
            speech.side: accepted(speech.text, hearing.answers.accepted)
            for speech in hearing.speeches
        }
        pro, con = (RIGHT if right[side] else WRONG for side in SIDES)
        comment = "; ".join(f"{side}: {'right' if right[side] else 'wrong'}" for side in SIDES)
        verdict = Verdict(
            dimension="overall",
            outcome=outcome_of(pro - con),
            pro_mark=pro,
            con_mark=con,
            comment=comment,
        )
        return Judgement(
            verdicts=(verdict,), rationale=f"Accepted: {', '.join(hearing.answers.accepted)}"
        )

    @classmethod
    def forecast(cls, options: Any, words: int) -> Forecast:  # noqa: ANN401, ARG003 - NoOptions
        """No calls."""
        return Forecast(calls=_NOTHING, input_tokens=_NOTHING, output_tokens=_NOTHING)

"""`samre`: Single Advocate Multi-Round Evaluation, with or without a jury.

Bandi and Harrasse 2024, arXiv 2410.04663. In the original the second side sees the first's
argument of the same round; here both argue at the same time. In their measurements juries lowered
the accuracy on all six models that they tried: `jurors = 0` does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from arena.debater import Forecast
from arena.judge import Hearing, Judgement
from arena.languages import SPEECHES
from arena.records import Verdict
from judges.methods.absences import Absences
from judges.methods.criteria import TOTAL, mark
from judges.methods.criteria_judge import CriteriaJudge
from judges.methods.jurors import Decision, JurorMode, Jurors, select_backgrounds
from judges.methods.rounds import (
    CALLS_IN_FIRST_ROUND,
    CALLS_PER_ROUND,
    Court,
    Round,
    is_settled,
    judge_rounds,
)
from judges.methods.scored import ScoredOptions

_Background = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Options(ScoredOptions):
    """Options of `samre`.

    Attributes:
        scores: as in `ScoredOptions`; with `defences` the judge is also asked to let its scores
            differ more clearly from round to round.
        rounds: the most rounds.
        early_stop: stop as soon as two rounds in a row put the same side ahead.
        jurors: 0 (the judge's mean scores decide), 3 or 5 of the default backgrounds, or a list of
            backgrounds. In the paper juries lowered accuracy on all six models.
        juror_mode: whether jurors `vote`, or `score` both sides.
    """

    rounds: int = Field(default=4, ge=1, le=12)
    early_stop: bool = True
    jurors: Literal[0, 3, 5] | Annotated[tuple[_Background, ...], Field(min_length=1)] = 5
    juror_mode: JurorMode = "vote"

    @model_validator(mode="after")
    def _check_jurors(self) -> Options:
        backgrounds = self.jurors if isinstance(self.jurors, tuple) else ()
        if len(set(backgrounds)) < len(backgrounds):
            raise ValueError("two jurors have the same background; list each background once")
        if self.juror_mode == "vote" and backgrounds and len(backgrounds) % 2 == 0:
            raise ValueError(
                f"{len(backgrounds)} jurors could tie. Choose an odd number of jurors, or let them "
                'give marks (juror_mode = "score")'
            )
        return self


class Samre(CriteriaJudge):
    """An advocate of each side, a judge who gives feedback over some rounds, and jurors."""

    Options = Options

    async def judge(self, hearing: Hearing) -> Judgement:
        """Hold rounds until two agree, then ask all jurors at the same time.

        Raises:
            ContentFault: the judge, an advocate in the first round, or most jurors could not be
                understood.
            InfrastructureFault: the provider failed for good.
        """
        absences = Absences(language=hearing.language)
        court = self._open_court(hearing, absences)
        rounds: list[Round] = []
        while len(rounds) < self.options.rounds:
            rounds.append(await court.hold_round(rounds))
            if self.options.early_stop and is_settled(rounds):
                break
        judgement = judge_rounds(court, rounds)
        if not self.options.jurors:
            return absences.add_to(judgement)
        return await self._ask_jurors(court, rounds, judgement)

    async def _ask_jurors(
        self, court: Court, rounds: Sequence[Round], judgement: Judgement
    ) -> Judgement:
        """Return the judgement with the outcome of the jurors, who hear all rounds."""
        jurors = Jurors(
            hearing=court.hearing,
            backgrounds=select_backgrounds(self.options.jurors, court.hearing.language),
            rounds=court.quote_rounds(rounds),
            totals=court.list_totals(rounds),
            absences=court.absences,
        )
        decision = await jurors.decide(self.options.juror_mode)
        *criteria, overall = judgement.verdicts
        decided = replace(
            judgement,
            verdicts=(*criteria, _apply_decision(overall, decision)),
            trace=(*judgement.trace, *decision.trace),
        )
        return court.absences.add_to(decided, traced=jurors.paths)

    def _open_court(self, hearing: Hearing, absences: Absences) -> Court:
        return Court(
            hearing=hearing,
            limit=self.options.rounds,
            absences=absences,
            scored=self.options.scores,
        )

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Forecast three calls in the first round, five in each further one, one per juror."""
        debate = speeches * words * 1.4
        jurors = options.jurors if isinstance(options.jurors, int) else len(options.jurors)
        most = options.rounds
        least = min(2, most) if options.early_stop else most
        rounds = (least, min(most, least + 0.4), most)
        low, likely, high = (
            CALLS_IN_FIRST_ROUND + CALLS_PER_ROUND * (count - 1) + jurors for count in rounds
        )
        return Forecast(
            calls=(low, likely, high + 1),
            input_tokens=(
                low * (900 + 0.5 * debate),
                likely * (1400 + 0.8 * debate),
                (high + 1) * (3000 + 2 * debate),
            ),
            output_tokens=(low * 70, likely * 220, (high + 1) * 1200),
        )


def _apply_decision(overall: Verdict, decision: Decision) -> Verdict:
    """Replace the outcome by the jurors'; the marks, too, where the jurors scored."""
    marks = (overall.pro_mark, overall.con_mark)
    if decision.totals is not None:
        marks = (mark(decision.totals[0], TOTAL), mark(decision.totals[1], TOTAL))
    return replace(
        overall,
        outcome=decision.outcome,
        pro_mark=marks[0],
        con_mark=marks[1],
        comment=f"{overall.comment}\n{decision.text}",
    )

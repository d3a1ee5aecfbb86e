"""`samre`: Single Advocate Multi-Round Evaluation, with or without a jury.

Bandi and Harrasse 2024, arXiv 2410.04663. In the original the second side sees the first's
argument of the same round; here both plead at the same time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from arena.debater import Forecast
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES
from arena.records import Sampling, Step, Verdict
from judges.methods.criteria import DIMENSIONS, TOTAL, mark, verdicts
from judges.methods.jurors import Decision, JurorMode, Jury, seated
from judges.methods.rounds import CALLS_OF_A_ROUND, CALLS_OF_THE_FIRST, Court, Round, settled

_Background = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Options(BaseModel):
    """Options of `samre`.

    Attributes:
        rounds: the most that are held.
        early_stop: end as soon as two rounds in a row put the same side ahead.
        jurors: 0 (the judge's mean scores decide), 3 or 5 of the default backgrounds, or a list of
            backgrounds. In the paper juries lowered accuracy on all six models.
        juror_mode: jurors `vote`, or `score` both sides.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    rounds: int = Field(default=4, ge=1, le=12)
    early_stop: bool = True
    jurors: Literal[0, 3, 5] | Annotated[tuple[_Background, ...], Field(min_length=1)] = 5
    juror_mode: JurorMode = "vote"

    @model_validator(mode="after")
    def _odd(self) -> Options:
        named = self.jurors if isinstance(self.jurors, tuple) else ()
        if len(set(named)) < len(named):
            raise ValueError("two jurors have the same background; name each once")
        if self.juror_mode == "vote" and named and len(named) % 2 == 0:
            raise ValueError(
                f"{len(named)} jurors could tie: name an odd number, or let them score "
                '(juror_mode = "score")'
            )
        return self


class Samre(Judge):
    """An advocate of each side, a judge with feedback over some rounds, and jurors."""

    Options = Options
    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")
    rewords = True

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The six criteria and overall."""
        return DIMENSIONS

    async def judge(self, hearing: Hearing) -> Judgement:
        """One run: rounds until two agree, then the jurors side by side."""
        court = Court(hearing=hearing, limit=self.options.rounds)
        held: list[Round] = []
        while len(held) < self.options.rounds:
            held.append(await court.hold(held))
            if self.options.early_stop and settled(held):
                break
        *criteria, overall = verdicts([one.card for one in held], hearing.language)
        told = "\n".join([overall.comment, *map(court.told, held)])
        overall = replace(overall, comment=told)
        trace = tuple(_step(one) for one in held)
        if backgrounds := seated(self.options.jurors, hearing.language):
            jury = Jury(hearing=hearing, backgrounds=backgrounds, pleas=court.pleas(held))
            decision = await jury.decide(self.options.juror_mode)
            overall, trace = _decided(overall, decision), trace + decision.trace
        rationale = held[-1].card.judgement
        return Judgement(verdicts=(*criteria, overall), rationale=rationale, trace=trace)

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Three calls in the first round, five in each further one, one per juror."""
        debate = speeches * words * 1.4
        jurors = options.jurors if isinstance(options.jurors, int) else len(options.jurors)
        most = options.rounds
        least = min(2, most) if options.early_stop else most
        rounds = (least, min(most, least + 0.4), most)
        low, likely, high = (
            CALLS_OF_THE_FIRST + CALLS_OF_A_ROUND * (held - 1) + jurors for held in rounds
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


def _step(held: Round) -> Step:
    return {
        "agent": "judge",
        "round": held.number,
        "pro": held.card.pro.total,
        "con": held.card.con.total,
    }


def _decided(overall: Verdict, decision: Decision) -> Verdict:
    """The verdict as the jurors have it; marks are the judge's unless the jurors scored."""
    marks = (overall.pro_mark, overall.con_mark)
    if decision.totals is not None:
        marks = (mark(decision.totals[0], TOTAL), mark(decision.totals[1], TOTAL))
    return replace(
        overall,
        outcome=decision.outcome,
        pro_mark=marks[0],
        con_mark=marks[1],
        comment=f"{overall.comment}\n{decision.told}",
    )

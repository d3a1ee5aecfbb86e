"""`jury`: several judges of any kind and model, side by side; the majority or the mean decides.

Judges favour debaters of their own family: in MAD (Liang et al. 2023, arXiv 2305.19118) the same
debaters win 114 or 136 of 200 for the negative side, depending on the judge's model alone. So a
member of a debater's family is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arena.debater import Forecast
from arena.errors import ConfigError
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES, Contest
from arena.llm.concurrency import together
from arena.records import Sampling, Step, Verdict
from judges.methods.panel import Member, Seat, seats
from ratings import CON_WINS, PRO_WINS, outcome_of


class Options(BaseModel):
    """Options of `jury`.

    Attributes:
        members: its judges; an odd number of them where the majority decides.
        combine: `majority` of outcomes (as many for one side as for the other is a tie), or `mean`
            of the marks.
        early_stop: ask only as many members as the majority needs, in the order given. It changes
            no outcome; the marks are means over fewer.
        leave_out_family: members of a debater's model family do not judge it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    members: tuple[Member, ...] = Field(min_length=1)
    combine: Literal["majority", "mean"] = "majority"
    early_stop: bool = False
    leave_out_family: bool = True

    @model_validator(mode="after")
    def _decides(self) -> Options:
        if self.combine == "majority" and len(self.members) % 2 == 0:
            raise ValueError(
                f"{len(self.members)} members could tie: name an odd number, or let the mean "
                'mark decide (combine = "mean")'
            )
        if self.combine == "mean" and self.early_stop:
            raise ValueError("a mean needs every member's mark: early_stop goes with a majority")
        return self


class Jury(Judge):
    """A panel of judges."""

    Options = Options
    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Overall alone: the members may differ in all others."""
        return ("overall",)

    def objection(self, families: frozenset[str], *, model: str) -> str:
        """That nobody is left, where all members are of a debater's family."""
        if self._sitting(families, model):
            return ""
        related = ", ".join(sorted({one.family for one in seats(self.options.members, model)}))
        return (
            f"each of its members is of a debater's family ({related}). Add a member of another "
            "family, or set leave_out_family = false."
        )

    async def judge(self, hearing: Hearing) -> Judgement:
        """One run: the members side by side, or no more of them than the majority needs.

        Raises:
            ConfigError: every member is of a debater's family.
        """
        sitting = self._sitting(hearing.families, hearing.model.model)
        if not sitting:
            raise ConfigError(self.objection(hearing.families, model=hearing.model.model))
        given: dict[int, Verdict] = {}
        while waiting := [seat for seat in sitting if seat.number not in given]:
            asked = waiting[: self._needed(list(given.values()), len(waiting))]
            if not asked:
                break
            said = await together(*(seat.judge(hearing) for seat in asked))
            given |= {seat.number: one for seat, one in zip(asked, said, strict=True)}
        overall = _verdict(list(given.values()), self.options.combine, hearing)
        trace = self._trace(sitting, given, hearing.model.model)
        return Judgement(verdicts=(overall,), rationale=overall.comment, trace=trace)

    def _sitting(self, families: frozenset[str], model: str) -> list[Seat]:
        """The members that may judge debaters of some families."""
        all_of_them = seats(self.options.members, model)
        if not self.options.leave_out_family:
            return all_of_them
        return [seat for seat in all_of_them if seat.family not in families]

    def _needed(self, given: Sequence[Verdict], waiting: int) -> int:
        """How many more are to be asked at once."""
        return (
            votes_to_settle([one.outcome for one in given], waiting)
            if self.options.early_stop
            else waiting
        )

    def _trace(
        self, sitting: Sequence[Seat], given: Mapping[int, Verdict], model: str
    ) -> tuple[Step, ...]:
        present = {seat.number for seat in sitting}
        return tuple(
            _step(seat, given.get(seat.number), present=seat.number in present)
            for seat in seats(self.options.members, model)
        )

    @classmethod
    def takes(cls, options: Any) -> tuple[Contest, ...]:  # noqa: ANN401 - an Options
        """Those that all of its members can judge."""
        everyone = [one.made() for one in options.members]
        return tuple(
            contest
            for contest in cls.contests
            if all(contest in one.takes(one.options) for one in everyone)
        )

    @classmethod
    def can_reword(cls, options: Any) -> bool:  # noqa: ANN401 - an Options
        """Whether all of its members can."""
        return all(one.made().can_reword(one.made().options) for one in options.members)

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - an Options
        """The members' own."""
        return tuple(one.model for one in options.members if one.model)

    @classmethod
    def forecasts(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
        *,
        model: str,
    ) -> Sequence[tuple[str, Forecast]]:
        """What each member takes; where asking may stop, those beyond the majority may be free."""
        sure = (
            votes_to_settle([], len(options.members))
            if options.early_stop
            else len(options.members)
        )
        return [
            (seat.model, _perhaps(seat.member.forecast(words, speeches), sure=seat.number <= sure))
            for seat in seats(options.members, model)
        ]


def votes_to_settle(outcomes: Sequence[float], waiting: int) -> int:
    """Return the least number of further votes that could settle a majority; 0 where it is settled.

    >>> votes_to_settle([], 5), votes_to_settle([1.0, 1.0, 0.0], 2), votes_to_settle([1.0] * 3, 2)
    (3, 1, 0)

    Args:
        outcomes: Pro's, of the members that have voted.
        waiting: number of members that have not.
    """
    lead = abs(sum((outcome > CON_WINS) - (outcome < PRO_WINS) for outcome in outcomes))
    if lead > waiting:
        return 0
    return min(waiting, (waiting - lead) // 2 + 1)


def _verdict(given: Sequence[Verdict], combine: str, hearing: Hearing) -> Verdict:
    pro, con = fmean(one.pro_mark for one in given), fmean(one.con_mark for one in given)
    won = sum(one.outcome == PRO_WINS for one in given)
    lost = sum(one.outcome == CON_WINS for one in given)
    sides = hearing.language.sides
    return Verdict(
        dimension="overall",
        outcome=outcome_of(won - lost if combine == "majority" else round(pro - con, 9)),
        pro_mark=pro,
        con_mark=con,
        comment=f"{sides['pro']} {won}, {sides['con']} {lost} (/{len(given)})",
    )


def _step(seat: Seat, verdict: Verdict | None, *, present: bool) -> Step:
    who = {"agent": "member", "number": seat.number, "judge": seat.member.judge}
    place = {**who, "model": seat.model}
    if verdict is None:
        why = "not asked: the majority was settled" if present else f"left out: of {seat.family}"
        return {**place, "absent": why}
    return {
        **place,
        "outcome": verdict.outcome,
        "pro_mark": verdict.pro_mark,
        "con_mark": verdict.con_mark,
        "comment": verdict.comment,
    }


def _perhaps(forecast: Forecast, *, sure: bool) -> Forecast:
    if sure:
        return forecast
    return replace(
        forecast,
        calls=(0, *forecast.calls[1:]),
        input_tokens=(0, *forecast.input_tokens[1:]),
        output_tokens=(0, *forecast.output_tokens[1:]),
    )

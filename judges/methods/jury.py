"""`jury`: several judges of any method and model; the majority or the mean mark decides.

A member may be a jury itself (the multi-layer juries of Bandi and Harrasse 2024, arXiv 2410.04663):
its verdict is one vote, or one mark.

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
from judges.methods.absences import Absences
from judges.methods.panel import Member, Opinion, Seat, seat_members
from ratings import CON_WINS, PRO_WINS, outcome_of


class Options(BaseModel):
    """Options of `jury`.

    Attributes:
        members: its judges; an odd number of them where the majority decides.
        combine: `majority` of the outcomes (a tie with as many for one side as for the other), or
            `mean` of the marks.
        early_stop: ask only as many members as the majority needs, in the configured order. It
            changes no outcome; the marks are means over fewer members.
        leave_out_family: whether members of a debater's model family are left out.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    members: tuple[Member, ...] = Field(min_length=1)
    combine: Literal["majority", "mean"] = "majority"
    early_stop: bool = False
    leave_out_family: bool = True

    @model_validator(mode="after")
    def _check_members(self) -> Options:
        if self.combine == "majority" and len(self.members) % 2 == 0:
            raise ValueError(
                f"{len(self.members)} members could tie. Name an odd number of members, or let the "
                'mean mark decide (combine = "mean")'
            )
        if self.combine == "mean" and self.early_stop:
            raise ValueError(
                'early_stop needs combine = "majority": a mean needs the mark of every member'
            )
        return self


class Jury(Judge):
    """A jury of judges."""

    Options = Options
    sampling = Sampling(temperature=0.7)
    contests = ("debate", "essay")

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Overall alone: the members may differ in all others."""
        return ("overall",)

    def objection(self, families: frozenset[str], *, model: str) -> str:
        """Object where all members are of a debater's family, so that nobody is left."""
        if self._eligible(families, model):
            return ""
        seats = seat_members(self.options.members, model)
        related = ", ".join(sorted({seat.relations for seat in seats}))
        return (
            f"each of its members is of a debater's family ({related}). Add a member of another "
            "family, or set leave_out_family = false."
        )

    async def judge(self, hearing: Hearing) -> Judgement:
        """Ask all members at the same time, or no more of them than the majority needs.

        Members who cannot be understood are left out as long as half of them remain.

        Raises:
            ConfigError: every member is of a debater's family.
            ContentFault: more than half could not be understood.
            InfrastructureFault: the provider failed for good.
        """
        eligible = self._eligible(hearing.families, hearing.model.model)
        if not eligible:
            raise ConfigError(self.objection(hearing.families, model=hearing.model.model))
        absences = Absences(language=hearing.language)
        opinions = await self._ask(eligible, hearing, absences)
        verdicts = [opinion.overall for opinion in opinions.values()]
        overall = _combine(verdicts, self.options.combine, hearing)
        trace = self._trace(eligible, opinions, hearing.model.model, absences)
        judgement = Judgement(verdicts=(overall,), rationale=overall.comment, trace=trace)
        return absences.add_to(judgement, traced=(seat.path for seat in eligible))

    async def _ask(
        self, eligible: Sequence[Seat], hearing: Hearing, absences: Absences
    ) -> dict[int, Opinion]:
        """Return the opinions of the members that were asked and understood, by their number."""
        opinions: dict[int, Opinion] = {}
        waiting = list(eligible)
        while waiting:
            needed = self._count_needed(list(opinions.values()), len(waiting))
            asked, waiting = waiting[:needed], waiting[needed:]
            if not asked:
                break
            answers = await together(
                *(absences.attempt(seat.judge(hearing), seat.path) for seat in asked)
            )
            opinions |= {
                seat.number: opinion
                for seat, opinion in zip(asked, answers, strict=True)
                if opinion is not None
            }
            absences.check_half(seat.path for seat in eligible)
        return opinions

    def _eligible(self, families: frozenset[str], model: str) -> list[Seat]:
        """Return the members that may judge debaters of some families."""
        return [
            seat
            for seat in seat_members(self.options.members, model)
            if not (self.options.leave_out_family or seat.is_jury) or not seat.is_related(families)
        ]

    def _count_needed(self, opinions: Sequence[Opinion], waiting: int) -> int:
        """Count the members that are to be asked next, at the same time."""
        if not self.options.early_stop:
            return waiting
        return votes_to_settle([opinion.overall.outcome for opinion in opinions], waiting)

    def _trace(
        self,
        eligible: Sequence[Seat],
        opinions: Mapping[int, Opinion],
        model: str,
        absences: Absences,
    ) -> tuple[Step, ...]:
        """Return a step for every member: its opinion, or why there is none."""
        numbers = {seat.number for seat in eligible}
        steps: list[Step] = []
        for seat in seat_members(self.options.members, model):
            absent = "not asked: the majority was settled"
            if seat.number not in numbers:
                absent = f"left out: of {seat.relations}"
            elif seat.path in absences.faults:
                absent = f"left out: {absences.describe(seat.path)}"
            steps.append(_trace_step(seat, opinions.get(seat.number), absent=absent))
        return tuple(steps)

    @classmethod
    def takes(cls, options: Any) -> tuple[Contest, ...]:  # noqa: ANN401 - an Options
        """Return the contests that all members can judge."""
        judges = [member.make_judge() for member in options.members]
        return tuple(
            contest
            for contest in cls.contests
            if all(contest in judge.takes(judge.options) for judge in judges)
        )

    @classmethod
    def can_reword(cls, options: Any) -> bool:  # noqa: ANN401 - an Options
        """Tell whether all members have a second set of prompts."""
        judges = [member.make_judge() for member in options.members]
        return all(judge.can_reword(judge.options) for judge in judges)

    @classmethod
    def models(cls, options: Any) -> tuple[str, ...]:  # noqa: ANN401 - an Options
        """Return the models of the members that name one."""
        return tuple(model for member in options.members for model in member.models())

    @classmethod
    def forecasts(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
        *,
        model: str,
    ) -> Sequence[tuple[str, Forecast]]:
        """Forecast each member by its model; with early stopping, the last may take no calls."""
        members = len(options.members)
        sure = votes_to_settle([], members) if options.early_stop else members
        return [
            (named, _bound(forecast, sure=seat.number <= sure))
            for seat in seat_members(options.members, model)
            for named, forecast in seat.member.forecasts(words, speeches, model=seat.model)
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


def _combine(verdicts: Sequence[Verdict], combine: str, hearing: Hearing) -> Verdict:
    """Return the jury's verdict by the majority of outcomes or the mean mark."""
    pro, con = fmean(v.pro_mark for v in verdicts), fmean(v.con_mark for v in verdicts)
    won = sum(verdict.outcome == PRO_WINS for verdict in verdicts)
    lost = sum(verdict.outcome == CON_WINS for verdict in verdicts)
    sides = hearing.language.sides
    return Verdict(
        dimension="overall",
        outcome=outcome_of(won - lost if combine == "majority" else round(pro - con, 9)),
        pro_mark=pro,
        con_mark=con,
        comment=f"{sides['pro']} {won}, {sides['con']} {lost} (/{len(verdicts)})",
    )


def _trace_step(seat: Seat, opinion: Opinion | None, *, absent: str) -> Step:
    member = {
        "agent": "member",
        "number": seat.number,
        "judge": seat.member.judge,
        "model": seat.model,
    }
    if opinion is None:
        return {**member, "absent": absent}
    verdict = opinion.overall
    return {
        **member,
        "outcome": verdict.outcome,
        "pro_mark": verdict.pro_mark,
        "con_mark": verdict.con_mark,
        "comment": verdict.comment,
        **({"missing": opinion.missing} if opinion.missing else {}),
        **({"members": list(opinion.members)} if opinion.members else {}),
    }


def _bound(forecast: Forecast, *, sure: bool) -> Forecast:
    """Lower the least of a forecast to 0 where it is not sure that the member is asked."""
    if sure:
        return forecast
    return replace(
        forecast,
        calls=(0, *forecast.calls[1:]),
        input_tokens=(0, *forecast.input_tokens[1:]),
        output_tokens=(0, *forecast.output_tokens[1:]),
    )

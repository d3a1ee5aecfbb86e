"""`jury`: several judges of any method and model; the majority or the mean mark decides.

A member may be a jury itself (the multi-layer juries of Bandi and Harrasse 2024, arXiv 2410.04663):
its verdict is one vote, or one mark.

Judges favour debaters of their own family: in MAD (Liang et al. 2023, arXiv 2305.19118) the same
debaters win 114 or 136 of 200 for the negative side, depending on the judge's model alone. So a
member of a debater's family is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.config.sections import SamplingSection
from arena.debater import Forecast
from arena.errors import ConfigError
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES, Contest
from arena.llm.concurrency import together
from arena.plugins import make_judge
from arena.records import Sampling, Step, Verdict, family_of
from judges.methods.absences import Absences, count_missing
from ratings import CON_WINS, PRO_WINS, outcome_of

#: The name of a jury's own method.
JURY = "jury"


class MemberSection(BaseModel):
    """One member of a jury, as it is configured.

    Attributes:
        judge: its method; `jury` for a jury within the jury.
        model: its model; the bench's if empty. The members of a jury that name none get it.
        family: of the model; taken from the model's name if empty.
        sampling: what differs from the bench's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    judge: str
    model: str = ""
    family: str = ""
    options: dict[str, Any] = Field(default={}, validate_default=True)
    sampling: SamplingSection = SamplingSection()

    @model_validator(mode="after")
    def _check(self) -> MemberSection:
        if self.judge == JURY and self.family:
            raise ValueError("a jury is of no family; give the families of its members instead")
        if self.judge == "human":
            raise ValueError("people cannot be members of a jury; add a bench of people instead")
        name = self.model.partition("/")[2]
        if name == "*" or name.startswith("env:"):
            raise ValueError(f"model {self.model!r}: write the full name of a member's model")
        try:
            self.make_judge()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "options"
            raise ValueError(f"{self.judge}: {place}: {first['msg']}") from None
        except ConfigError as error:
            raise ValueError(str(error).rstrip(".")) from None
        return self

    def make_judge(self) -> Judge:
        """Make the judge with its options."""
        return make_judge(self.judge, self.options)

    def forecasts(self, words: int, speeches: int, *, model: str) -> Sequence[tuple[str, Forecast]]:
        """Forecast the calls and tokens of one run on a model, by the models that it asks."""
        judge = self.make_judge()
        return judge.forecasts(judge.options, words, speeches, model=model)

    def models(self) -> tuple[str, ...]:
        """Return the models that it names, those of its own members included."""
        judge = self.make_judge()
        asks_own = self.judge != JURY or any(not member.model for member in judge.options.members)
        named = (self.model,) if self.model and asks_own else ()
        return (*named, *judge.models(judge.options))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a member concluded.

    Attributes:
        missing: number of texts that its model did not deliver on the way to it.
        members: the steps of its own members, where it is a jury.
    """

    overall: Verdict
    missing: int
    members: tuple[Step, ...] = ()

    @property
    def step(self) -> Step:
        """What the jury's trace says of it."""
        names = ("outcome", "pro_mark", "con_mark", "comment")
        return {
            **{name: getattr(self.overall, name) for name in names},
            **({"missing": self.missing} if self.missing else {}),
            **({"members": list(self.members)} if self.members else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryMember:
    """A member with its number, counted from 1, and its model."""

    number: int
    section: MemberSection
    model: str

    @property
    def family(self) -> str:
        """The family of its model, in lower case."""
        return (self.section.family or family_of(self.model)).lower()

    @property
    def is_jury(self) -> bool:
        """Whether it is a jury within the jury."""
        return self.section.judge == JURY

    def is_related(self, families: frozenset[str]) -> bool:
        """Tell whether it may not judge debaters of some families.

        A jury may as long as one of its own members may.
        """
        if self.is_jury:
            return bool(self.section.make_judge().objection(families, model=self.model))
        return self.family in families

    @property
    def relations(self) -> str:
        """The families that it can be related by, for a message."""
        if not self.is_jury:
            return self.family
        members = number_members(self.section.make_judge().options.members, self.model)
        return ", ".join(sorted({member.relations for member in members}))

    @property
    def path(self) -> str:
        """The path under which its calls stand."""
        return f"member/{self.number}"

    async def judge(self, hearing: Hearing) -> Opinion:
        """Return the member's opinion on a debate."""
        own = hearing.model.under(f"{self.path}/")
        sampling = replace(own.sampling, **self.section.sampling.model_dump(exclude_none=True))
        model = replace(own, model=self.model, sampling=sampling)
        judgement = await self.section.make_judge().judge(replace(hearing, model=model))
        (overall,) = (item for item in judgement.verdicts if item.dimension == "overall")
        return Opinion(
            overall=overall,
            missing=count_missing(judgement.trace),
            members=judgement.trace if self.is_jury else (),
        )


def number_members(sections: Sequence[MemberSection], model: str) -> list[JuryMember]:
    """Number the members and give those without a model that of the bench."""
    return [
        JuryMember(number=number, section=section, model=section.model or model)
        for number, section in enumerate(sections, start=1)
    ]


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
    members: tuple[MemberSection, ...] = Field(min_length=1)
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
        members = number_members(self.options.members, model)
        related = ", ".join(sorted({member.relations for member in members}))
        return (
            f"each of its members is of a debater's family ({related}). Add a member of another "
            "family, or set leave_out_family = false."
        )

    async def judge(self, hearing: Hearing) -> Judgement:
        """Ask all members at the same time, or no more of them than the majority needs.

        Members who cannot be understood are left out as long as half of them remain.
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
        return absences.add_to(judgement, traced=(member.path for member in eligible))

    async def _ask(
        self, eligible: Sequence[JuryMember], hearing: Hearing, absences: Absences
    ) -> dict[int, Opinion]:
        """Return the opinions of the members that were asked and understood, by their number."""
        opinions: dict[int, Opinion] = {}
        waiting = list(eligible)
        while left := len(waiting):
            outcomes = [opinion.overall.outcome for opinion in opinions.values()]
            needed = votes_to_settle(outcomes, left) if self.options.early_stop else left
            asked, waiting = waiting[:needed], waiting[needed:]
            if not asked:
                break
            answers = await together(
                *(absences.attempt(member.judge(hearing), member.path) for member in asked)
            )
            opinions |= {
                member.number: opinion
                for member, opinion in zip(asked, answers, strict=True)
                if opinion is not None
            }
            absences.check_half(member.path for member in eligible)
        return opinions

    def _eligible(self, families: frozenset[str], model: str) -> list[JuryMember]:
        """Return the members that may judge debaters of some families."""
        return [
            member
            for member in number_members(self.options.members, model)
            if not (self.options.leave_out_family or member.is_jury)
            or not member.is_related(families)
        ]

    def _trace(
        self,
        eligible: Sequence[JuryMember],
        opinions: Mapping[int, Opinion],
        model: str,
        absences: Absences,
    ) -> tuple[Step, ...]:
        """Return a step for every member: its opinion, or why there is none."""
        steps: list[Step] = []
        for member in number_members(self.options.members, model):
            absent = "not asked: the majority was settled"
            if member not in eligible:
                absent = f"left out: of {member.relations}"
            elif member.path in absences.faults:
                absent = f"left out: {absences.describe(member.path)}"
            opinion = opinions.get(member.number)
            steps.append(
                {
                    "agent": "member",
                    "number": member.number,
                    "judge": member.section.judge,
                    "model": member.model,
                    **(opinion.step if opinion else {"absent": absent}),
                }
            )
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
            (named, forecast if member.number <= sure else _make_optional(forecast))
            for member in number_members(options.members, model)
            for named, forecast in member.section.forecasts(words, speeches, model=member.model)
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


def _make_optional(forecast: Forecast) -> Forecast:
    """Lower the least of a forecast to 0: the member may not be asked."""
    return replace(
        forecast,
        calls=(0, *forecast.calls[1:]),
        input_tokens=(0, *forecast.input_tokens[1:]),
        output_tokens=(0, *forecast.output_tokens[1:]),
    )

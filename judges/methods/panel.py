"""The members of a `jury`: judges of any method and model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.config.sections import SamplingSection
from arena.debater import Forecast
from arena.errors import ConfigError
from arena.judge import Hearing, Judge
from arena.plugins import make_judge
from arena.records import Step, Verdict, family_of
from judges.methods.absences import count_missing

#: The name of a jury's own method.
JURY = "jury"


class Member(BaseModel):
    """One member of a jury, as it is configured.

    Attributes:
        judge: its method; `jury` for a jury within the jury.
        model: its model; the bench's if empty. The members of a jury that name none get it.
        family: of the model; taken from the model's name if empty.
        options: of the method.
        sampling: what differs from the bench's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    judge: str
    model: str = ""
    family: str = ""
    options: dict[str, Any] = Field(default={}, validate_default=True)
    sampling: SamplingSection = SamplingSection()

    @model_validator(mode="after")
    def _check(self) -> Member:
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
        """Make the judge with its options.

        Raises:
            ConfigError: there is no such method.
            ValueError: the method does not know its options.
        """
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
        overall: its verdict.
        missing: number of texts that its model did not deliver on the way to it.
        members: the steps of its own members, where it is a jury.
    """

    overall: Verdict
    missing: int
    members: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A member with its number, counted from 1, and its model."""

    number: int
    member: Member
    model: str

    @property
    def family(self) -> str:
        """The family of its model, in lower case."""
        return (self.member.family or family_of(self.model)).lower()

    @property
    def is_jury(self) -> bool:
        """Whether it is a jury within the jury."""
        return self.member.judge == JURY

    def is_related(self, families: frozenset[str]) -> bool:
        """Tell whether it may not judge debaters of some families.

        A jury may as long as one of its own members may.
        """
        if self.is_jury:
            return bool(self.member.make_judge().objection(families, model=self.model))
        return self.family in families

    @property
    def relations(self) -> str:
        """The families that it can be related by, for a message."""
        if not self.is_jury:
            return self.family
        seats = seat_members(self.member.make_judge().options.members, self.model)
        return ", ".join(sorted({seat.relations for seat in seats}))

    @property
    def path(self) -> str:
        """The path under which its calls stand."""
        return f"member/{self.number}"

    async def judge(self, hearing: Hearing) -> Opinion:
        """Return the member's opinion on a debate.

        Raises:
            ContentFault: the judge could not be understood.
            InfrastructureFault: the provider failed for good.
        """
        own = hearing.model.under(f"{self.path}/")
        sampling = replace(own.sampling, **self.member.sampling.model_dump(exclude_none=True))
        model = replace(own, model=self.model, sampling=sampling)
        judgement = await self.member.make_judge().judge(replace(hearing, model=model))
        (overall,) = (item for item in judgement.verdicts if item.dimension == "overall")
        return Opinion(
            overall=overall,
            missing=count_missing(judgement.trace),
            members=judgement.trace if self.is_jury else (),
        )


def seat_members(members: Sequence[Member], model: str) -> list[Seat]:
    """Number the members and give those without a model that of the bench."""
    return [
        Seat(number=number, member=member, model=member.model or model)
        for number, member in enumerate(members, start=1)
    ]

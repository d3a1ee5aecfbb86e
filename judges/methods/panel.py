"""A panel's members: judges of any kind and model, and who of them may judge whom."""

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
from arena.records import Verdict, family_of


class Member(BaseModel):
    """One member of a panel, as it is configured.

    Attributes:
        judge: its method.
        model: its model; the bench's where none is named.
        family: of the model; else taken from the model's name.
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
    def _known(self) -> Member:
        if self.judge == "jury":
            raise ValueError("a jury cannot be a member of a jury; name its members instead")
        if self.judge == "human":
            raise ValueError(
                "people cannot be members of a jury; give them a bench of their own beside it"
            )
        name = self.model.partition("/")[2]
        if name == "*" or name.startswith("env:"):
            raise ValueError(f"model {self.model!r}: a member's model is written in full")
        try:
            self.made()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "options"
            raise ValueError(f"{self.judge}: {place}: {first['msg']}") from None
        except ConfigError as error:
            raise ValueError(str(error).rstrip(".")) from None
        return self

    def made(self) -> Judge:
        """The judge itself.

        Raises:
            ConfigError: nobody registers such a method.
            ValueError: the method does not know its options.
        """
        return make_judge(self.judge, self.options)

    def forecast(self, words: int, speeches: int) -> Forecast:
        """What one run of it takes."""
        made = self.made()
        return made.forecast(made.options, words, speeches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A member in its place, counted from 1."""

    number: int
    member: Member
    model: str

    @property
    def family(self) -> str:
        """The family of its model, in small letters."""
        return (self.member.family or family_of(self.model)).lower()

    async def judge(self, hearing: Hearing) -> Verdict:
        """Its overall verdict on a debate.

        Raises:
            ContentFault: it could not be understood.
            InfrastructureFault: the provider failed for good.
        """
        own = hearing.model.under(f"member/{self.number}/")
        sampling = replace(own.sampling, **self.member.sampling.model_dump(exclude_none=True))
        model = replace(own, model=self.model, sampling=sampling)
        judged = await self.member.made().judge(replace(hearing, model=model))
        (overall,) = (one for one in judged.verdicts if one.dimension == "overall")
        return overall


def seats(members: Sequence[Member], model: str) -> list[Seat]:
    """The members in their places; `model` is the bench's."""
    return [
        Seat(number=number, member=member, model=member.model or model)
        for number, member in enumerate(members, start=1)
    ]

"""`human`: people vote; their votes become the ballots, and no model is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from arena.debater import Forecast
from arena.errors import ConfigError
from arena.judge import Hearing, Judge, Judgement
from arena.languages import CONTESTS, SPEECHES, Contest
from judges.methods.correctness import NO_CALLS

_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,29}")


def _check_name(name: str) -> str:
    if not _PATTERN.fullmatch(name):
        raise ValueError(
            "the name of a dimension begins with a lower-case letter, followed by lower-case "
            "letters, digits and _, at most 30 characters"
        )
    return name


_Name = Annotated[str, AfterValidator(_check_name)]


class Options(BaseModel):
    """Options of `human`.

    Attributes:
        dimensions: what people are asked about beside `overall`.
        marks: whether they mark two answers to a question, instead of choosing the better; always
            so in contests of questions, where there are no other dimensions than `quality`.
        rule: how their votes decide a debate: by their sum, or by majority (then a debate without a
            majority is a tie), as in Zhang et al. 2024, arXiv 2408.04472.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    dimensions: tuple[_Name, ...] = ("argument", "source", "language")
    marks: bool = False
    rule: Literal["sum", "majority"] = "sum"

    @field_validator("dimensions")
    @classmethod
    def _check_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if "overall" in names or len(set(names)) < len(names):
            raise ValueError(
                "the dimensions must differ from each other and must not contain `overall`, which "
                "is always asked"
            )
        return names

    @model_serializer(mode="wrap")
    def _leave_out_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out later options that are not used: benches without them keep their identity."""
        fields: dict[str, Any] = handler(self)
        unused = {"rule"} if self.rule == "sum" else set()
        unused |= {"dimensions"} if self.marks else {"marks"}
        return {name: value for name, value in fields.items() if name not in unused}

    @model_validator(mode="after")
    def _check_dimensions(self) -> Options:
        if self.marks and "dimensions" in self.model_fields_set:
            raise ValueError(
                "people mark answers on `overall` (right or wrong) and `quality` (1 to 5). Remove "
                "`dimensions`"
            )
        return self


class HumanJudge(Judge):
    """Blind votes of people: a debate waits for `runs` of them."""

    Options = Options
    needs_model: ClassVar[bool] = False
    by_people: ClassVar[bool] = True
    contests: ClassVar[tuple[Contest, ...]] = CONTESTS

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that people are asked about, and overall."""
        return (
            ("quality", "overall") if self.options.marks else (*self.options.dimensions, "overall")
        )

    @classmethod
    def fit_options(cls, options: Mapping[str, Any], contest: Contest) -> Mapping[str, Any]:
        """Return its options in a contest: in one of questions, people give marks."""
        return {"marks": True, **options} if contest == "question" else options

    @classmethod
    def takes(cls, options: Any) -> tuple[Contest, ...]:  # noqa: ANN401 - an Options
        """Return the contests that people can judge with or without marks."""
        return ("question",) if options.marks else ("debate", "essay")

    @property
    def by_majority(self) -> bool:
        """Whether the option `rule` says so."""
        return bool(self.options.rule == "majority")

    async def judge(self, hearing: Hearing) -> Judgement:
        """Refuse with a `ConfigError`: people vote when they have read the debate."""
        raise ConfigError(
            "people cannot be asked by the program. Collect their votes with `arena vote`."
        )

    @classmethod
    def forecast(cls, options: Any, words: int, speeches: int = SPEECHES) -> Forecast:  # noqa: ANN401
        """Forecast no calls."""
        return NO_CALLS

"""`human`: people vote; their votes become the ballots, and no model is asked."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, field_validator

from arena.debater import Forecast
from arena.errors import ConfigError
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES, Contest

_NOTHING = (0.0, 0.0, 0.0)
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
    """Options of `human`: the dimensions that people are asked about beside `overall`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    dimensions: tuple[_Name, ...] = ("argument", "source", "language")

    @field_validator("dimensions")
    @classmethod
    def _check_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if "overall" in names or len(set(names)) < len(names):
            raise ValueError(
                "the dimensions must differ from each other and must not contain `overall`, which "
                "is always asked"
            )
        return names


class Human(Judge):
    """Blind votes of people: a debate waits for `runs` of them."""

    Options = Options
    needs_model: ClassVar[bool] = False
    by_people: ClassVar[bool] = True
    contests: ClassVar[tuple[Contest, ...]] = ("debate", "essay")

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions that people are asked about, and overall."""
        return (*self.options.dimensions, "overall")

    async def judge(self, hearing: Hearing) -> Judgement:
        """Refuse: people vote when they have read the debate.

        Raises:
            ConfigError: always.
        """
        raise ConfigError(
            "people cannot be asked by the program. Collect their votes with `arena vote`."
        )

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """Forecast no calls."""
        return Forecast(calls=_NOTHING, input_tokens=_NOTHING, output_tokens=_NOTHING)

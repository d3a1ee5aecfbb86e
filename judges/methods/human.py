"""`human`: people vote; what they choose becomes the ballots, and no model is asked."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from arena.debater import Forecast
from arena.errors import ConfigError
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SPEECHES, Contest

_NOTHING = (0.0, 0.0, 0.0)
_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")]


class Options(BaseModel):
    """What people are asked about beside the winner of the whole."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    dimensions: tuple[_Name, ...] = ("argument", "source", "language")

    @field_validator("dimensions")
    @classmethod
    def _apart(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        if "overall" in given or len(set(given)) < len(given):
            raise ValueError("names differ from each other, and `overall` is always asked")
        return given


class Human(Judge):
    """Blind ballots of people (`arena.people.votes`): a debate waits for `runs` of their votes."""

    Options = Options
    needs_model: ClassVar[bool] = False
    by_people: ClassVar[bool] = True
    contests: ClassVar[tuple[Contest, ...]] = ("debate", "essay")

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Those that are asked about, and overall."""
        return (*self.options.dimensions, "overall")

    async def judge(self, hearing: Hearing) -> Judgement:
        """Not by a call.

        Raises:
            ConfigError: always; people vote when they have read the debate.
        """
        raise ConfigError("people cannot be asked by a call: `arena vote` takes their ballots.")

    @classmethod
    def forecast(
        cls,
        options: Any,  # noqa: ANN401 - an Options
        words: int,
        speeches: int = SPEECHES,
    ) -> Forecast:
        """No calls."""
        return Forecast(calls=_NOTHING, input_tokens=_NOTHING, output_tokens=_NOTHING)

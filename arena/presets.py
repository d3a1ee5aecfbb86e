"""The preset of options by which a debater or a judge follows its paper to the letter.

Where our default departs from a paper because something else measured or works better, the paper's
way is one option away: `preset = "paper"`. docs/departures.md lists what differs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, model_validator

#: What `preset` is set to for the paper's way.
PAPER = "paper"


class PresetOptions(BaseModel):
    """Options of a debater or a judge that has a paper's preset.

    A class that stores its options must leave an unset preset out, so that participants and benches
    without it keep their identity.

    Attributes:
        preset: `paper` for prompts, calls and values of options as in the paper; an option that is
            given beside it takes precedence.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    #: The values that the preset gives to options which are left out.
    paper: ClassVar[Mapping[str, Any]] = {}
    preset: Literal["paper"] | None = None

    @property
    def overridden(self) -> Collection[str]:
        """The options of the preset with other values than its own; they are always stored."""
        values = self.paper.items() if self.preset else ()
        return [name for name, value in values if getattr(self, name) != value]

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, options: Any) -> Any:  # noqa: ANN401 - whatever is validated
        if isinstance(options, Mapping) and options.get("preset") == PAPER:
            return {**cls.paper, **options}
        return options


def has_preset(form: type[BaseModel]) -> bool:
    """Return whether options have a paper's preset.

    >>> has_preset(PresetOptions)
    True
    """
    return "preset" in form.model_fields


def choose_preset(options: Mapping[str, Any], *, paper: bool) -> dict[str, Any]:
    """Return options with the paper's preset, or without any.

    >>> choose_preset({"level": 2}, paper=True)
    {'level': 2, 'preset': 'paper'}
    >>> choose_preset({"preset": "paper"}, paper=False)
    {}
    """
    others = {name: value for name, value in options.items() if name != "preset"}
    return {**others, "preset": PAPER} if paper else others

"""What all tables of a configuration share, and references to keys."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

#: The pattern of a name; `arena.config.messages` puts it into words.
NAME_PATTERN = r"^[\w][\w .+@:/-]*$"
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=NAME_PATTERN)]


class Section(BaseModel):
    """A table of the file; unknown keys are errors.

    Class attributes:
        later_keys: keys that earlier versions did not have. Left unset, they are not stored: ids
            and hashes of configurations that do not use them stay the same.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    later_keys: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_later_keys(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = serialize(self)
        unset = {key for key in self.later_keys if getattr(self, key) is None}
        return {key: value for key, value in content.items() if key not in unset}


def _check_reference(value: object) -> object:
    """Check that a key is a reference to an environment variable, and return it unresolved.

    It is resolved when a run needs it: the key itself is never stored.
    """
    if isinstance(value, str):
        variable, _, default = value.partition("|")
        if not variable.startswith("env:") or default not in ("", "none"):
            raise ValueError(
                "a key must not be written in the file. Write env:NAME, where NAME is the "
                "environment variable that holds it (or env:NAME|none for a server that needs no "
                "key)"
            )
    return value


#: A reference to the environment variable that holds a key: `env:NAME`.
Secret = Annotated[str, BeforeValidator(_check_reference)]

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def read_duration(value: object) -> object:
    """Return the seconds of a duration such as "90s", "30m", "12h" or "2d"; or the value itself."""
    if isinstance(value, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd])", value.strip())
        if match is None:
            raise ValueError(
                'a duration is a number and a unit, "90s", "30m", "12h" or "2d", or a number of '
                "seconds"
            )
        return float(match[1]) * _UNITS[match[2]]
    return value


#: A duration in seconds, written with a unit ("12h") or as a number.
Duration = Annotated[float, BeforeValidator(read_duration)]

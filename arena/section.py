"""What every table of a configuration has in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict


class Section(BaseModel):
    """A table of the file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _from_environment(value: object) -> object:
    """`env:NAME|default` as it stands: it is resolved when a run needs it, and never stored."""
    if isinstance(value, str):
        variable, _, default = value.partition("|")
        if not variable.startswith("env:") or default not in ("", "none"):
            raise ValueError(
                "a key must not stand in the file: write env:NAME of a variable "
                "(or env:NAME|none where the server needs no key)"
            )
    return value


#: A key, as the name of the variable that holds it.
Secret = Annotated[str, BeforeValidator(_from_environment)]

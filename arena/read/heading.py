"""The marks of a record's fields that are columns of its tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Heading:
    """Marks a field of a record as a column of its table: `cost: Annotated[float, Heading(...)]`.

    Programs get every field of a record by its name, people those with a heading.

    Attributes:
        style: a number format, or a function from the value to its text; by default `str`.
        read: returns the value for a whole record, where it is made of several fields.
    """

    text: str
    style: str | Callable[[Any], str] = ""
    read: Callable[[Any], object] | None = None

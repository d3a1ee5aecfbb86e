"""The tables of all studies: a row per record, and numbers formatted as cells."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from functools import partial
from math import isnan
from operator import attrgetter
from typing import Any, get_type_hints

from arena.output.tables import Column, Table, tabulate
from judges.studies.statistics.estimates import Estimate

#: The cell of an undefined number.
UNDEFINED = "-"
#: A smaller p is shown as smaller than this.
_LEAST_P = 0.0001


@dataclass(frozen=True, slots=True)
class Heading:
    """Marks a field of a record as a column of its table: `share: Annotated[float, Heading(...)]`.

    Programs get every field of a record by its name, people those with a heading.

    Attributes:
        style: a number format, or a function from the value to its text; by default an estimate
            is shown with its interval, all else by `str`.
        read: returns the value for a whole record, where it is made of several fields.
    """

    text: str
    style: str | Callable[[Any], str] = ""
    read: Callable[[Any], object] | None = None


def tabulate_fields(
    rows: Iterable[Any], *, title: str, labels: int = 1, notes: Iterable[str] = ()
) -> Table:
    """Lay out a row per record, with a column for each `Heading` of its fields, in their order.

    Args:
        rows: records of one type.
        labels: how many of the first columns name the row.
    """
    rows = list(rows)
    record = type(rows[0]) if rows else object
    # The module is named so that functions in a `Heading` find what they call.
    hints = get_type_hints(record, vars(sys.modules[record.__module__]), include_extras=True)
    headings = [
        (field, heading)
        for field, hint in hints.items()
        for heading in getattr(hint, "__metadata__", ())
    ]
    columns = [
        Column(
            head=heading.text,
            read=heading.read or attrgetter(field),
            style=partial(_format_cell, style=heading.style),
            label=place < labels,
        )
        for place, (field, heading) in enumerate(headings)
    ]
    return tabulate(columns, rows, title=title, notes=notes)


def _format_cell(value: Any, style: str | Callable[[Any], str]) -> str:  # noqa: ANN401
    if callable(style):
        return style(value)
    if isinstance(value, Estimate):
        return format_interval(value)
    return format_number(value, style) if style else str(value)


def format_value(estimate: Estimate) -> str:
    """Format an estimate without its interval."""
    return format_number(estimate.value, ".2f")


def format_interval(estimate: Estimate) -> str:
    """Format an estimate with its interval."""
    return format_scaled(estimate, 1, ".2f")


def format_percent(estimate: Estimate) -> str:
    """Format a share in percent, with its interval."""
    return format_scaled(estimate, 100, ".0f")


def format_scaled(estimate: Estimate, scale: float, form: str) -> str:
    """Format an estimate and its interval, both multiplied by `scale`, in a number format."""
    value, lower, upper = (
        format_number(scale * number, form)
        for number in (estimate.value, estimate.lower, estimate.upper)
    )
    bare = isnan(estimate.value) or isnan(estimate.lower)
    return value if bare else f"{value} [{lower}, {upper}]"


def format_range(lower: float, upper: float, form: str, *, empty: str = UNDEFINED) -> str:
    """Format the two ends of an interval in a number format; `empty` where they are undefined."""
    return empty if isnan(lower) else f"{lower:{form}} to {upper:{form}}"


def format_p(p: float) -> str:
    """Format the p of a test."""
    return format_number(p, ".4f") if not p < _LEAST_P else f"<{_LEAST_P}"


def format_number(value: float, form: str) -> str:
    """Format a number in a number format; NaN as `UNDEFINED`."""
    return UNDEFINED if isnan(value) else f"{value:{form}}"


def lay_out(*parts: tuple[Callable[[Any], Table], Sized]) -> Iterator[Table]:
    """Yield the table of each part that has something to show, made of it by its function."""
    return (table(figures) for table, figures in parts if figures)

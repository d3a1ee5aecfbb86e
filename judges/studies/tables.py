"""The tables of all studies: a row per record, and numbers formatted as cells."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isnan
from operator import attrgetter
from typing import Any, TypeVar, get_type_hints

from arena.output.tables import Column, Table, tabulate
from judges.studies.statistics.estimates import Estimate

_Row = TypeVar("_Row")

#: The cell of an undefined number.
UNDEFINED = "-"
#: A smaller p is shown as smaller than this.
_LEAST_P = 0.0001


@dataclass(frozen=True, slots=True)
class Heading:
    """Marks a field of a record as a column of its table: `share: Annotated[float, Heading(...)]`.

    Programs get every field of a record by its name, people those with a heading.

    Attributes:
        text: names the column.
        style: a number format, or a function from the value to its text; by default an estimate
            is shown with its interval, all else by `str`.
        read: returns the value for a whole record, where it is made of several fields.
    """

    text: str
    style: str | Callable[[Any], str] = ""
    read: Callable[[Any], object] | None = None


def tabulate_fields(
    record: type[_Row],
    rows: Iterable[_Row],
    *,
    title: str,
    labels: int = 1,
    notes: Iterable[str] = (),
) -> Table:
    """Lay out a row per record, with a column for each `Heading` of its fields, in their order.

    Args:
        record: declares the columns.
        rows: the records.
        title: stands above the table.
        labels: how many of the first columns name the row.
        notes: sentences below it.
    """
    # The module is named so that functions in a `Heading` find what they call.
    hints = get_type_hints(record, vars(sys.modules[record.__module__]), include_extras=True)
    headings = [
        (field, heading)
        for field, hint in hints.items()
        for heading in getattr(hint, "__metadata__", ())
    ]
    columns: list[Column[_Row]] = [
        Column(
            head=heading.text,
            read=heading.read or attrgetter(field),
            style=partial(_format_cell, style=heading.style),
            label=place < labels,
        )
        for place, (field, heading) in enumerate(headings)
    ]
    return tabulate(columns, rows, title=title, notes=notes)


def _format_cell(value: Any, style: str | Callable[[Any], str] = "") -> str:  # noqa: ANN401
    if callable(style):
        return style(value)
    if isinstance(value, Estimate):
        return format_interval(value)
    return format_number(value, style) if style else str(value)


def make_table(
    title: str,
    rows: Iterable[Mapping[str, object]],
    *,
    labels: int = 1,
    notes: Iterable[str] = (),
) -> Table:
    """Lay out rows whose cells stand by the heading of their column.

    Args:
        title: stands above the table.
        rows: with the same headings, in the same order; an estimate is shown with its interval,
            all else by `str`.
        labels: how many of the first columns name the row.
        notes: sentences below it.
    """
    lines = list(rows)
    return Table(
        title=title,
        head=tuple(lines[0]) if lines else (),
        rows=tuple(tuple(map(_format_cell, line.values())) for line in lines),
        labels=labels,
        notes=tuple(notes),
    )


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
    if isnan(estimate.value):
        return UNDEFINED
    value = f"{scale * estimate.value:{form}}"
    ends = [f"{scale * end:{form}}" for end in (estimate.lower, estimate.upper)]
    return value if isnan(estimate.lower) else f"{value} [{', '.join(ends)}]"


def format_range(lower: float, upper: float, form: str, *, empty: str = UNDEFINED) -> str:
    """Format the two ends of an interval in a number format; `empty` where they are undefined."""
    return empty if isnan(lower) else f"{lower:{form}} to {upper:{form}}"


def format_p(p: float) -> str:
    """Format the p of a test."""
    return format_number(p, ".4f") if not p < _LEAST_P else f"<{_LEAST_P}"


def format_number(value: float, form: str) -> str:
    """Format a number in a number format; NaN as `UNDEFINED`."""
    return UNDEFINED if isnan(value) else f"{value:{form}}"

"""The tables of all studies: a row per record, and numbers formatted as cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

from arena.output.tables import Table, field_columns, tabulate
from judges.studies.statistics.estimates import Estimate

#: The cell of an undefined number.
UNDEFINED = "-"
#: A smaller p is shown as smaller than this.
_LEAST_P = 0.0001


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
    marked = (column for column in field_columns(record) if column.head is not None)
    columns = [
        replace(
            column,
            style=partial(_format_cell, style=column.style),
            label=place < labels,
            left=None,
        )
        for place, column in enumerate(marked)
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

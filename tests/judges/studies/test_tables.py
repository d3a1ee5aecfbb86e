"""Figures as cells, and tables from the headings of a record's fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from arena.read.heading import Heading
from judges.studies.statistics.estimates import Estimate
from judges.studies.tables import (
    format_interval,
    format_number,
    format_p,
    format_range,
    tabulate_fields,
)


def test_what_nothing_defines_is_a_dash() -> None:
    nothing = float("nan")
    assert format_number(nothing, ".2f") == format_p(nothing) == "-"
    assert format_interval(Estimate(value=nothing, lower=nothing, upper=nothing, count=0)) == "-"
    assert format_interval(Estimate(value=0.5, lower=nothing, upper=nothing, count=1)) == "0.50"


def test_a_small_p_is_told_by_its_bound() -> None:
    assert [format_p(one) for one in (1.0, 0.0001, 0.00009, 0.0)] == [
        "1.0000", "0.0001", "<0.0001", "<0.0001",
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    name: Annotated[str, Heading("judge")]
    hidden: int
    lower: float
    upper: Annotated[
        float, Heading("range", read=lambda row: format_range(row.lower, row.upper, ".1f"))
    ]
    p: Annotated[float, Heading("p", format_p), Heading("p, %", ".0%")]


def test_the_columns_are_the_fields_with_a_heading_in_their_order() -> None:
    rows = [Row(name="a", hidden=1, lower=0.0, upper=1.0, p=0.00001)]
    rows.append(Row(name="b", hidden=2, lower=float("nan"), upper=1.0, p=float("nan")))
    table = tabulate_fields(rows, title="Rows", notes=["A note."])
    assert table.head == ("judge", "range", "p", "p, %") and table.labels == 1
    assert table.rows == (("a", "0.0 to 1.0", "<0.0001", "0%"), ("b", "-", "-", "-"))
    assert (table.title, table.notes) == ("Rows", ("A note.",))

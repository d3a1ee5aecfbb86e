"""Figures as cells: what is not known, and p-values that are too small to tell."""

from __future__ import annotations

from judges.studies.cells import format_interval, format_number, format_p
from judges.studies.statistics.estimates import Estimate


def test_what_nothing_defines_is_a_dash() -> None:
    nothing = float("nan")
    assert format_number(nothing, ".2f") == format_p(nothing) == "-"
    assert format_interval(Estimate(value=nothing, lower=nothing, upper=nothing, count=0)) == "-"
    assert format_interval(Estimate(value=0.5, lower=nothing, upper=nothing, count=1)) == "0.50"


def test_a_small_p_is_told_by_its_bound() -> None:
    assert [format_p(one) for one in (1.0, 0.0001, 0.00009, 0.0)] == [
        "1.0000", "0.0001", "<0.0001", "<0.0001",
    ]  # fmt: skip

"""Figures as cells: what is not known, and p-values that are too small to tell."""

from __future__ import annotations

from judges.studies.agreement.cells import interval, number, p_value
from judges.studies.agreement.statistics import Measured


def test_what_nothing_defines_is_a_dash() -> None:
    nothing = float("nan")
    assert number(nothing, ".2f") == p_value(nothing) == "-"
    assert interval(Measured(value=nothing, lower=nothing, upper=nothing, count=0)) == "-"
    assert interval(Measured(value=0.5, lower=nothing, upper=nothing, count=1)) == "0.50"


def test_a_small_p_is_told_by_its_bound() -> None:
    assert [p_value(one) for one in (1.0, 0.0001, 0.00009, 0.0)] == [
        "1.0000", "0.0001", "<0.0001", "<0.0001",
    ]  # fmt: skip

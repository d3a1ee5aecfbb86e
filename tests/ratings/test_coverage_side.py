"""The term for the side on simulated fields: claimed where it is there, and only there."""

import pytest

from benchmarks.coverage import WITH_SIDE, side_terms, sides
from benchmarks.fields import Setting, field
from ratings import confidence


def _setting(side: float) -> Setting:
    return Setting(matchups=50, side=side, tie=0.3, paper=False)


def test_claims_and_savings_are_counted_over_fields() -> None:
    row = side_terms(_setting(400.0), 3)
    assert row["fields"] == 3
    assert row["claimed"] == 1.0
    assert isinstance(row["saved"], float)
    assert row["saved"] > 0.1
    one = confidence(field(_setting(400.0), 0).comparisons, WITH_SIDE).effects[0]
    assert one.name == "side"
    assert one.lower > 100


@pytest.mark.deep
@pytest.mark.slow
def test_a_side_of_80_is_covered_and_helps_to_predict() -> None:
    covered, row = sides(_setting(80.0), 200), side_terms(_setting(80.0), 100)
    assert isinstance(covered["coverage"], float)
    assert 0.93 <= covered["coverage"] <= 0.97
    assert isinstance(row["saved"], float)
    assert isinstance(row["saved_error"], float)
    assert row["saved"] > 4 * row["saved_error"]


@pytest.mark.slow
@pytest.mark.parametrize("fields", [100, pytest.param(200, marks=pytest.mark.deep)])
def test_a_side_that_is_not_there_is_not_claimed_and_does_not_help(fields: int) -> None:
    row = side_terms(_setting(0.0), fields)
    assert isinstance(row["claimed"], float)
    assert row["claimed"] <= 0.05
    assert isinstance(row["saved"], float)
    assert row["saved"] < 0

"""Intervals and ranks of the shipped default on simulated fields, within two Monte-Carlo errors."""

from collections.abc import Mapping

import pytest
from _pytest.mark.structures import ParameterSet

from benchmarks.coverage import PAPER, WITH_SIDE, intervals, losers, ranks
from benchmarks.fields import Setting
from benchmarks.interval_methods import METHODS, Variants, shipped
from benchmarks.mean_coverage import Row
from ratings import Model

pytestmark = pytest.mark.slow

DEFAULT = {"default": Variants(method=shipped)}


def sizes(slow: int, *before: Model) -> list[ParameterSet]:
    """Few matchups and many, behind other arguments; all but one size are tried by hand."""
    return [
        pytest.param(*before, size, marks=() if size == slow else pytest.mark.deep)
        for size in (15, 50, 150)
    ]


def number(row: Row, name: str) -> float:
    value = row[name]
    assert isinstance(value, float)
    return value


def covered(
    setting: Setting, model: Model, methods: Mapping[str, Variants], fields: int
) -> tuple[float, float]:
    """The share of intervals that contain the truth, and its Monte-Carlo error."""
    (row,) = intervals(setting, model, fields, methods)
    return number(row, "coverage"), number(row, "error")


@pytest.mark.parametrize(("model", "matchups"), [*sizes(15, PAPER), *sizes(150, WITH_SIDE)])
def test_intervals_contain_the_truth(model: Model, matchups: int) -> None:
    """93 to 97 % at 50 and 150 matchups, at least 93 % at 15."""
    ballots = Setting(matchups=matchups)
    if model is WITH_SIDE:
        ballots = Setting(matchups=matchups, tie=0.3, paper=False)
    share, error = covered(ballots, model, DEFAULT, 200)
    assert share >= 0.93 - 2 * error
    if matchups > 15:
        assert share <= 0.97 + 2 * error


def test_what_the_default_is_better_than_is_seen_to_miss() -> None:
    plain = {"sandwich": Variants(method=METHODS["sandwich"].method)}
    assert covered(Setting(matchups=15), PAPER, plain, 100)[0] < 0.8


@pytest.mark.parametrize("matchups", sizes(15))
def test_no_order_is_told_where_all_are_equal(matchups: int) -> None:
    """At least one false order in at most 5 % of boards."""
    row = ranks(Setting(matchups=matchups, spread=0.0), 300)
    assert number(row, "coverage") >= 0.95 - 2 * number(row, "error")


@pytest.mark.parametrize("matchups", sizes(150))
def test_all_ranks_at_once_are_in_their_intervals(matchups: int) -> None:
    row = ranks(Setting(matchups=matchups), 200)
    assert number(row, "coverage") >= 0.95 - 2 * number(row, "error")


def test_who_lost_every_debate_is_covered() -> None:
    row = losers(Setting(matchups=15), 100)
    assert number(row, "coverage") >= 0.95 - 2 * number(row, "error")
    assert number(row, "width") < 2000

"""Targets on boards whose settled orders are written down."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import (
    Comparisons,
    Confidence,
    Contenders,
    InvalidSetting,
    confidence,
    measure_newcomer,
    measure_precision,
    measure_ranking,
    measure_top,
)
from tests.ratings import oracles


def board(*above: str) -> Confidence:
    """Five participants rated a to e from the top; "ab" says that a is settled to be above b."""
    base = confidence(Comparisons.of([], [], [], names="abcde"))
    rating = np.array([1400.0, 1300, 1200, 1100, 700])
    matrix = np.zeros((5, 5), dtype=bool)
    for better, worse in map(tuple, above):
        matrix["abcde".index(better), "abcde".index(worse)] = True
    half = np.array([50.0, 60, 70, 80, 90])
    return replace(
        base,
        rating=rating,
        lower=rating - half,
        upper=rating + half,
        above=matrix,
        difference=np.full((5, 5), 100.0),
    )


ALL = ("ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de")


def test_a_ranking_is_reached_when_every_pair_is_settled() -> None:
    progress = measure_ranking(Contenders.of(board(*ALL)))
    assert (progress.settled, progress.total, progress.is_reached) == (10, 10, True)
    assert progress.text == "The order is settled: a, b, c, d, e."
    assert progress.open_pairs == ()
    progress = measure_ranking(Contenders.of(board(*ALL[:-1])))
    assert (progress.settled, progress.is_reached) == (9, False)
    assert progress.open_pairs == (("d", "e"),)


def test_open_pairs_are_sorted_by_how_near_they_are_to_being_settled() -> None:
    progress = measure_ranking(Contenders.of(board("ab")))
    assert progress.open_pairs[:3] == (("a", "e"), ("b", "e"), ("c", "e"))
    assert progress.text.endswith("and 5 more.")


def test_the_first_few_are_settled_from_all_below_or_also_in_order() -> None:
    sure = Contenders.of(board("ac", "ad", "ae", "bc", "bd", "be"))
    progress = measure_top(sure, 2)
    assert (progress.settled, progress.total, progress.is_reached) == (6, 6, True)
    progress = measure_top(sure, 2, ordered=True)
    assert (progress.settled, progress.total, progress.is_reached) == (6, 7, False)
    assert progress.open_pairs == (("a", "b"),)
    assert measure_top(sure, 3).open_pairs == (("c", "e"), ("c", "d"))
    assert measure_top(sure, 5).is_reached


@settings(max_examples=60, deadline=None)
@given(oracles.debates(), st.integers(1, 4))
def test_the_first_are_settled_exactly_where_some_are_above_all_others(
    found: list[oracles.Debate], first: int
) -> None:
    """Whether or not some of them are provisional, and stand elsewhere on the board."""
    sure = confidence(oracles.board(found))
    everybody = set(range(len(sure.ratings.names)))
    progress = measure_top(Contenders.of(sure), first)
    reached = any(
        sure.above[np.ix_(top, sorted(everybody - set(top)))].all()
        for top in combinations(sorted(everybody), min(first, len(everybody)))
    )
    assert progress.is_reached == reached


def test_a_newcomer_s_range_narrows_with_every_settled_opponent() -> None:
    sure = Contenders.of(board("ac", "ce"))
    progress = measure_newcomer(sure, "c", 3)
    assert progress.is_reached
    assert progress.text == "c is on place 2 to 4 of 5."
    progress = measure_newcomer(sure, "c", 2)
    assert not progress.is_reached
    assert progress.text == ("c is on place 2 to 4 of 5; the target is 2. Open: b and c, c and d.")
    assert set(progress.open_pairs) == {("b", "c"), ("c", "d")}


def test_precision_counts_participants() -> None:
    progress = measure_precision(Contenders.of(board()), 75)
    assert (progress.settled, progress.total, progress.is_reached) == (3, 5, False)
    assert progress.text == "3 of 5 intervals are within ±75 Elo points. Widest: e, ±90."
    assert progress.open_pairs[0] == ("d", "e")
    assert ("a", "b") not in progress.open_pairs
    assert measure_precision(Contenders.of(board()), 90).is_reached


def test_a_target_can_be_about_some_participants_and_name_them() -> None:
    among = Contenders.of(board("ab"), among=["b", "a"], labels={"a": "Ada"})
    assert measure_ranking(among).text == "The order is settled: Ada, b."
    assert measure_newcomer(among, "b", 1).text == "b is on place 2 of 2."
    assert measure_precision(among, 75).total == 2
    assert measure_ranking(Contenders.of(board(), among=["c"])).is_reached


def test_what_is_no_target_is_refused() -> None:
    sure = Contenders.of(board(), among=["a", "b"])
    for work in (
        lambda: measure_top(sure, 0),
        lambda: measure_newcomer(sure, "c", 1),
        lambda: measure_newcomer(sure, "a", 0),
        lambda: measure_precision(sure, 0),
        lambda: Contenders.of(board(), among=["x"]),
    ):
        with pytest.raises(InvalidSetting, match="accepted"):
            work()

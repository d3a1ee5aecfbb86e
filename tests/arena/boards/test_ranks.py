"""Ranks in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from arena.boards.ranks import (
    correlations,
    format_open_first_place,
    format_rank_range,
    format_tie_groups,
    ordinal,
)


def test_ranks_have_their_endings() -> None:
    assert [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th"),
    ]
    assert [format_rank_range(*ranks) for ranks in ((3, 3), (1, 2), (2, 5))] == [
        *("3rd", "1st or 2nd", "2nd to 5th"),
    ]


def test_first_place_is_open_where_two_could_have_it() -> None:
    assert format_open_first_place({"a": (1, 1), "b": (2, 2)}) == ""
    assert format_open_first_place({}) == ""
    said = format_open_first_place({f"p{k:02}": (1, 11) for k in range(11)})
    assert said == (
        "First place is open: 11 of 11 could be 1st: p00, p01, p02, p03, p04 and 6 more."
    )


def test_groups_of_one_are_not_worth_a_sentence() -> None:
    assert format_tie_groups([["a"], ["b"]]) == ""
    assert format_tie_groups([]) == ""
    said = format_tie_groups([["a"], ["b", "c"], [f"p{k}" for k in range(10)]])
    assert said.endswith(": 2nd to 3rd (2, from b) | 4th to 13th (10, from p0).")
    assert len(format_tie_groups([["n" * 48, "x"]] * 300)) < 800


def test_by_hand() -> None:
    first = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}
    second = {"a": 2.0, "b": 3.0, "c": 1.0, "d": 0.0, "e": 9.0}
    (found,) = correlations({"one": first, "two": second})
    assert (found.first, found.second, found.participants) == ("one", "two", 4)
    assert found.kendall == pytest.approx(4 / 6)  # five pairs agree, one does not
    assert found.spearman == pytest.approx(1 - 6 * 2 / (4 * 15))


def test_benches_with_nobody_in_common_are_left_out() -> None:
    assert correlations({"one": {"a": 1.0, "b": 2.0}, "two": {"a": 1.0, "c": 0.0}}) == []


def test_a_bench_that_rates_all_alike_has_no_order() -> None:
    assert correlations({"one": {"a": 1.0, "b": 2.0}, "two": {"a": 1.0, "b": 1.0}}) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12))
def test_rank_correlations_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = (
        {str(name): float(pair[place]) for name, pair in enumerate(pairs)} for place in (0, 1)
    )
    for found in correlations({"one": first, "two": second}):
        x, y = zip(*pairs, strict=True)
        assert found.kendall == pytest.approx(kendalltau(x, y).statistic)
        assert found.spearman == pytest.approx(spearmanr(x, y).statistic)

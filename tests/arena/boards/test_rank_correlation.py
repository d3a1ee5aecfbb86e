"""Rank correlations against hand-computed values."""

from __future__ import annotations

import pytest

from arena.boards.rank_correlation import correlations


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

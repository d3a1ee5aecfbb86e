"""Estimates by a bootstrap over clusters."""

from __future__ import annotations

import numpy as np
import pytest

from judges.studies.statistics.bootstrap import (
    Estimate,
    bootstrap,
    bootstrap_mean,
    mean_of_sums,
    sum_by_cluster,
)


def test_tables_are_summed_sum_by_cluster() -> None:
    result = sum_by_cluster([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["b", "a", "b"])
    assert result.tolist() == [[3.0, 4.0], [6.0, 8.0]]


def test_an_interval_draws_clusters_and_not_items() -> None:
    rng = np.random.default_rng(3)
    wins = np.repeat(rng.integers(2, size=100), 10).astype(float)
    items = np.column_stack([wins, np.ones(1000)])
    alone = bootstrap(items, mean_of_sums, count=1000, rng=np.random.default_rng(1))
    drawn = bootstrap(
        sum_by_cluster(items, np.repeat(np.arange(100), 10)), mean_of_sums, count=1000,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    assert alone.value == drawn.value == wins.mean()
    widths = [one.upper - one.lower for one in (alone, drawn)]
    assert 2.5 < widths[1] / widths[0] < 4  # ten copies tell what one tells: the root of ten
    assert drawn.lower < drawn.value < drawn.upper


def test_the_last_bits_of_figures_change_no_interval() -> None:
    rng = np.random.default_rng(5)
    figures = rng.normal(size=60)
    noise = 1e-15 * rng.normal(size=60)
    first, second = (
        bootstrap_mean(values, np.arange(60) // 2, np.random.default_rng(1))
        for values in (figures, figures + noise)
    )
    assert (first.lower, first.upper) == pytest.approx((second.lower, second.upper), abs=1e-12)


def test_one_cluster_has_no_interval() -> None:
    intervals = bootstrap(
        np.array([[1.0, 2.0]]), mean_of_sums, count=2, rng=np.random.default_rng(0)
    )
    assert intervals.value == 0.5 and np.isnan([intervals.lower, intervals.upper]).all()


def test_of_nothing_nothing_is_known() -> None:
    intervals = bootstrap(np.zeros((0, 2)), mean_of_sums, count=0, rng=np.random.default_rng(0))
    assert (
        isinstance(intervals, Estimate) and np.isnan(intervals.value) and np.isnan(intervals.lower)
    )

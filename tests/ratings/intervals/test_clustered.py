"""Means and shares of clusters: by hand, by the test that they invert, by their coverage."""

from __future__ import annotations

import tracemalloc
from itertools import combinations
from math import floor, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from ratings import (
    clustered_mean,
    clustered_share,
    clustered_test,
    interval_level,
    sign_flip_test,
)
from ratings.intervals.paired import EXACT


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def of_every_subset(values: list[list[float]]) -> tuple[float, float]:
    """The ends as their definition says it, slowly; a list of observations per cluster."""
    means = sorted(
        sum(map(sum, some)) / sum(map(len, some))
        for size in range(1, len(values) + 1)
        for some in combinations(values, size)
    )
    cut = max(1, floor(0.025 * (len(means) + 1)))
    return means[cut - 1], means[-cut]


CLUSTERS = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=3), min_size=2, max_size=9)


@given(CLUSTERS)
def test_the_ends_are_those_of_the_means_of_all_subsets(values: list[list[float]]) -> None:
    flat = [one for some in values for one in some]
    names = [place for place, some in enumerate(values) for _ in some]
    estimate = clustered_mean(flat, names, rng())
    assert (estimate.lower, estimate.upper) == pytest.approx(of_every_subset(values))
    assert estimate.mean == pytest.approx(np.mean(flat))
    assert estimate.clusters == len(values)


@given(st.lists(st.integers(0, 60), min_size=6, max_size=10, unique=True))
def test_the_interval_holds_what_the_sign_flip_test_does_not_reject(values: list[int]) -> None:
    estimate = clustered_mean(values, range(len(values)), rng())
    for end, inwards in ((estimate.lower, 1), (estimate.upper, -1)):
        inside = sign_flip_test(np.array(values) - (end + inwards * 1e-6), rng())
        outside = sign_flip_test(np.array(values) - (end - inwards * 1e-6), rng())
        assert inside.p > 0.05 - 1e-9 or estimate.lower == estimate.upper
        assert outside.p <= 0.05


@given(CLUSTERS.filter(lambda values: len(values) >= 6))
def test_the_test_of_clusters_and_their_interval_do_not_contradict(values: list[list[int]]) -> None:
    flat = [one - 3 for some in values for one in some]
    names = [place for place, some in enumerate(values) for _ in some]
    test, estimate = clustered_test(flat, names, rng()), clustered_mean(flat, names, rng())
    assert test == sign_flip_test([sum(some) - 3 * len(some) for some in values], rng())
    if test.p > 0.05:
        assert estimate.lower <= 0 <= estimate.upper
    else:
        assert not estimate.lower < 0 < estimate.upper


def test_the_test_of_nothing_rejects_nothing() -> None:
    assert clustered_test([], [], rng()).p == 1


def test_few_clusters_have_their_range_and_hold_less() -> None:
    estimate = clustered_mean([2, 2, 3, 0, 1], ["a", "b", "c", "d", "d"], rng())
    assert (estimate.mean, estimate.lower, estimate.upper, estimate.clusters) == (1.6, 0.5, 3.0, 4)
    assert [interval_level(n) for n in (2, 5, 6, 100)] == [0.5, 0.9375, 0.95, 0.95]


def test_neither_names_nor_order_of_rows_change_the_ends() -> None:
    values, names = rng().normal(size=60), np.repeat(np.arange(20), 3)
    estimate = clustered_mean(values, names, rng())
    order = rng().permutation(60)
    shuffled = clustered_mean(values[order], [f"m{n:02}" for n in names[order]], rng())
    assert (shuffled.lower, shuffled.upper) == pytest.approx((estimate.lower, estimate.upper))


def test_the_interval_is_that_of_the_normal_law_where_there_are_many() -> None:
    estimate = clustered_mean(np.tile([0.0, 3.0], 200), range(400), rng())
    half = 1.96 * 1.5 / 20
    assert estimate.lower == pytest.approx(1.5 - half, abs=0.02)
    assert estimate.upper == pytest.approx(1.5 + half, abs=0.02)


def test_of_many_clusters_the_same_subsets_are_drawn_in_little_memory() -> None:
    values = rng().integers(3, size=4_000) / 2
    tracemalloc.start()
    estimate = clustered_mean(values, range(len(values)), rng())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    drawn = rng().integers(2, size=(1999, len(values)), dtype=np.int64).astype(bool)
    means = sorted(float(values[subset].mean()) for subset in drawn)
    assert (estimate.lower, estimate.upper) == (means[49], means[-50])
    assert peak < 40e6, "all at once take 130 MB"


@pytest.mark.parametrize(("values", "mean"), [([3.0, 3.0], 3.0), ([], float("nan"))])
def test_one_cluster_or_none_has_no_interval(values: list[float], mean: float) -> None:
    estimate = clustered_mean(values, ["m"] * len(values), rng())
    assert isnan(estimate.lower) and isnan(estimate.upper)
    assert estimate.mean == pytest.approx(mean, nan_ok=True)


@pytest.mark.parametrize("clusters", [6, 10, EXACT + 6])
def test_the_interval_covers_where_percentiles_of_a_bootstrap_do_not(clusters: int) -> None:
    """Matchups of two debates that agree more than chance; 95 % within three standard errors."""
    drawn, within = rng(), 0
    for _ in range(600):
        points = np.repeat(drawn.normal(size=clusters), 2) + drawn.normal(size=2 * clusters)
        estimate = clustered_mean(points, np.repeat(np.arange(clusters), 2), drawn)
        within += estimate.lower <= 0 <= estimate.upper
    assert abs(within / 600 - 0.95) <= 3 * sqrt(0.95 * 0.05 / 600)


@pytest.mark.parametrize(("right", "pairs"), [(0, 7), (7, 7), (1, 9), (30, 41), (500, 1000)])
def test_with_a_cluster_for_each_the_interval_of_a_share_is_wilsons(right: int, pairs: int) -> None:
    estimate = clustered_share([True] * right + [False] * (pairs - right), range(pairs))
    expected = proportion_confint(right, pairs, method="wilson")
    assert (estimate.lower, estimate.upper) == pytest.approx(expected, abs=1e-12)


def test_copies_tell_nothing_new() -> None:
    """Where a cluster's observations always agree, there are no more of them than clusters."""
    hits = [n % 3 == 0 for n in range(30)]
    alone = clustered_share(hits, range(30))
    copied = clustered_share(hits * 5, [*range(30)] * 5)
    apart = clustered_share(hits * 5, range(150))
    assert (copied.lower, copied.upper) == pytest.approx((alone.lower, alone.upper), abs=0.01)
    assert apart.upper - apart.lower < 0.6 * (copied.upper - copied.lower)
    sure = clustered_share([True] * 8, [1, 1, 1, 1, 2, 2, 2, 2])
    assert (sure.lower, sure.upper) == pytest.approx(proportion_confint(2, 2, method="wilson"))


def test_of_nothing_no_share_is_known() -> None:
    estimate = clustered_share([], [])
    assert isnan(estimate.mean) and isnan(estimate.lower) and estimate.clusters == 0


@pytest.mark.parametrize("clusters", [8, 40])
def test_the_interval_of_a_share_covers(clusters: int) -> None:
    """Clusters of unlike shares, five observations each: the truth is within 95 % of intervals."""
    drawn = rng()
    names, size = np.repeat(np.arange(clusters), 5), 5 * clusters
    within = plain = 0
    for _ in range(400):
        hits = drawn.random(size) < np.repeat(drawn.beta(1.4, 0.6, clusters), 5)
        estimate = clustered_share(hits, names)
        within += estimate.lower <= 0.7 <= estimate.upper
        plain += abs(hits.mean() - 0.7) <= 1.96 * sqrt(hits.mean() * (1 - hits.mean()) / size)
    assert 0.92 <= within / 400 <= 0.99
    assert plain / 400 < 0.9, "an interval that takes all observations as independent does not"

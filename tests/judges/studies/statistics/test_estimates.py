"""Estimates by clusters: against other programs, at the extremes, and how often they cover."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import ttest_1samp
from statsmodels.api import OLS
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from judges.studies.statistics.agreement import (
    cohen_kappa,
    confusion,
    count_values,
    estimate_alpha,
    fleiss_kappa,
    fleiss_terms,
    krippendorff_alpha,
    strict_agreement,
)
from judges.studies.statistics.estimates import (
    Array,
    Estimate,
    clustered_t,
    estimate_agreement,
    estimate_mean,
    estimate_share,
    sum_by_cluster,
)
from ratings import clustered_mean, clustered_share
from ratings.outcomes import OUTCOMES

VERDICTS = st.lists(
    st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(OUTCOMES), st.integers(0, 6)),
    min_size=2,
    max_size=40,
)


def kappa(verdicts: Array, clusters: ArrayLike) -> Estimate:
    tables = sum_by_cluster(confusion(verdicts[:, 0], verdicts[:, 1]), clusters)
    return estimate_agreement(tables, cohen_kappa, count=len(verdicts))


def ends(estimate: Estimate) -> tuple[float, float]:
    return estimate.lower, estimate.upper


def draw(rng: np.random.Generator, matchups: int, judges: int = 2) -> tuple[Array, Array]:
    """Verdicts on two debates a matchup, in which the participants exchange their sides."""
    ahead = rng.normal(size=(matchups, 1)) * [1, -1] + rng.normal(0, 0.7, (matchups, 2))
    leads = ahead.reshape(-1, 1) + rng.normal(size=(2 * matchups, judges))
    verdicts = (np.sign(np.where(np.abs(leads) < 0.3, 0, leads)) + 1) / 2
    return verdicts, np.repeat(np.arange(matchups), 2)


def test_tables_are_summed_by_cluster() -> None:
    result = sum_by_cluster([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["b", "a", "b"])
    assert result.tolist() == [[3.0, 4.0], [6.0, 8.0]]


@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_where_each_item_is_a_cluster_a_share_has_wilsons_interval(hits: list[bool]) -> None:
    tables = confusion(np.ones(len(hits)), np.array(hits, float))
    estimate = estimate_agreement(tables, strict_agreement, count=len(hits))
    expected = proportion_confint(sum(hits), len(hits), method="wilson")
    assert ends(estimate) == pytest.approx(expected, abs=1e-9)
    assert (estimate.count, estimate.clusters) == (len(hits), len(hits))


@given(VERDICTS)
def test_the_interval_holds_the_value_and_neither_names_nor_sides_change_it(
    rows: list[tuple[float, float, int]],
) -> None:
    table, clusters = np.array(rows)[:, :2], np.array(rows)[:, 2]
    estimate = kappa(table, clusters)
    if np.isnan(estimate.lower):
        assert estimate.clusters < 2 or len(np.unique(table)) == 1
        return
    assert -1 <= estimate.lower <= estimate.value + 1e-9
    assert estimate.value - 1e-9 <= estimate.upper <= 1 + 1e-9
    exchanged = kappa(1 - table[::-1], 9 - clusters[::-1])
    assert ends(exchanged) == pytest.approx(ends(estimate), abs=1e-6)


def test_many_single_items_have_the_interval_of_the_large_sample_formula() -> None:
    verdicts, _ = draw(np.random.default_rng(2), 1000)
    estimate = kappa(verdicts, np.arange(2000.0))
    table = confusion(verdicts[:, 0], verdicts[:, 1]).sum(axis=0)
    reference = cohens_kappa(table)
    assert ends(estimate) == pytest.approx((reference.kappa_low, reference.kappa_upp), abs=0.003)


def test_copies_of_items_in_their_clusters_tell_next_to_nothing_new() -> None:
    verdicts, clusters = draw(np.random.default_rng(3), 60)
    alone = kappa(verdicts, clusters)
    copied = kappa(np.tile(verdicts, (5, 1)), np.tile(clusters, 5))
    apart = kappa(np.tile(verdicts, (5, 1)), np.arange(600))
    assert ends(copied) == pytest.approx(ends(alone), abs=0.02)
    assert apart.upper - apart.lower < 0.6 * (copied.upper - copied.lower)


def test_where_all_agree_there_is_an_interval_and_no_single_point() -> None:
    verdicts = np.tile([[1.0, 1.0], [0.0, 0.0]], (3, 1))
    estimate = kappa(verdicts, np.repeat([1, 2, 3], 2))
    share = proportion_confint(3, 3, method="wilson")
    assert estimate.value == 1 and estimate.upper == pytest.approx(1)
    assert estimate.lower == pytest.approx(1 - (1 - share[0]) / 0.5)


def test_of_one_category_no_agreement_beyond_chance_is_known() -> None:
    estimate = kappa(np.ones((8, 2)), np.arange(8) // 2)
    assert np.isnan([estimate.value, *ends(estimate)]).all() and estimate.count == 8
    alone = estimate_alpha(count_values(np.ones((8, 2))), np.arange(8) / 2 // 1, "ordinal")
    assert np.isnan([alone.value, *ends(alone)]).all()


def test_one_cluster_has_no_interval_and_empty_ones_do_not_count() -> None:
    verdicts = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, np.nan]])
    estimate = kappa(verdicts, np.array([1, 1, 2]))
    assert estimate.value == 0 and estimate.clusters == 1 and np.isnan(ends(estimate)).all()


def test_of_nothing_nothing_is_known() -> None:
    estimate = estimate_agreement(np.zeros((0, 3, 3)), cohen_kappa, count=0)
    assert np.isnan([estimate.value, *ends(estimate)]).all()


def test_a_cluster_without_which_nothing_varies_is_no_error() -> None:
    verdicts = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]])
    estimate = kappa(verdicts, np.arange(4))
    assert estimate.value == 1 and estimate.lower < 0.5


def _fleiss(verdicts: Array, clusters: Array) -> Estimate:
    judges = verdicts.shape[1]
    terms = fleiss_terms(count_values(verdicts), judges)
    return estimate_agreement(
        sum_by_cluster(terms, clusters),
        fleiss_kappa,
        count=len(verdicts),
        comparisons=len(verdicts) * judges * (judges - 1) / 2,
    )


def _alpha(verdicts: Array, clusters: Array) -> Estimate:
    return estimate_alpha(count_values(verdicts), clusters, "ordinal")


@pytest.mark.parametrize("matchups", [6, 10])
@pytest.mark.parametrize(
    ("measure", "judges"), [(kappa, 2), (_fleiss, 4), (_alpha, 2), (_alpha, 4)]
)
def test_the_interval_covers_where_percentiles_of_a_bootstrap_do_not(
    measure: object, judges: int, matchups: int
) -> None:
    assert callable(measure)
    rng = np.random.default_rng([matchups, judges])
    truth = measure(*draw(rng, 30_000, judges)).value
    inside = []
    for _ in range(400):
        estimate = measure(*draw(rng, matchups, judges))
        inside.append(estimate.lower <= truth <= estimate.upper)
    assert np.mean(inside) >= 0.95 - 3 * sqrt(0.95 * 0.05 / 400)


def test_means_and_shares_are_those_of_ratings() -> None:
    values, names = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0]), [*"aabbcc"]
    mean = clustered_mean(values, names, np.random.default_rng(1))
    estimate = estimate_mean(values, names, np.random.default_rng(1))
    assert (estimate.value, *ends(estimate)) == (mean.mean, mean.lower, mean.upper)
    assert (estimate.count, estimate.clusters) == (6, 3)
    share = clustered_share(values, names)
    assert ends(estimate_share(values, names)) == (share.lower, share.upper)


def test_the_spread_of_agreement_by_degrees_is_less_than_that_of_all_or_nothing() -> None:
    near = [[1.0, 0.5], [0.5, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    tables = confusion(*np.transpose(near))
    whole = krippendorff_alpha((tables + tables.transpose(0, 2, 1)).sum(axis=0), level="ordinal")
    observed = float(whole.observed)
    assert 0 < float(whole.spread) < observed * (1 - observed)


def test_with_a_difference_in_each_cluster_it_is_the_paired_t_test() -> None:
    values = np.random.default_rng(0).normal(0.3, 1, 25)
    expected = ttest_1samp(values, 0)
    assert clustered_t(values, range(25)) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_cluster_robust_test_of_a_regression_on_a_constant(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clusters = rng.integers(9, size=40)
    values = rng.normal(size=9)[clusters] + rng.normal(0.5, 1, 40)
    fit = OLS(values, np.ones(40)).fit()
    robust = fit.get_robustcov_results("cluster", groups=clusters, use_t=True)
    # Their correction for small samples is G / (G - 1) * (n - 1) / (n - 1): ours.
    assert clustered_t(values, clusters) == pytest.approx((robust.tvalues[0], robust.pvalues[0]))


def test_repeats_in_their_clusters_change_nothing() -> None:
    values, clusters = [1, 0, -1, 1, 1, 0], [1, 2, 3, 4, 5, 6]
    assert clustered_t(values * 4, clusters * 4) == pytest.approx(clustered_t(values, clusters))


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([1, 0], [1, 1]), ([1, 1], [1, 2])])
def test_what_does_not_vary_has_no_t(values: list[int], clusters: list[int]) -> None:
    assert all(map(isnan, clustered_t(values, clusters)))

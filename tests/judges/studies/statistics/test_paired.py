"""Student's test of clusters, with scipy and statsmodels as oracles."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from statsmodels.api import OLS

from judges.studies.statistics.paired import clustered_t


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

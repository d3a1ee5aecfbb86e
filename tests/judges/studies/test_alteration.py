"""What is moved beyond chance, with statsmodels as the oracle."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from judges.studies.alteration import measure_alteration
from ratings import clustered_mean, clustered_share, clustered_test

#: Two readings of each cluster.
NAMES = [str(n // 2) for n in range(300)]


def test_what_moves_as_often_by_chance_is_no_effect() -> None:
    rng = np.random.default_rng(1)
    moved, noise = rng.random(300) < 0.3, rng.random(300) < 0.3
    both = (moved.tolist(), noise.tolist())
    alterations = measure_alteration(*both, NAMES, np.random.default_rng(7))
    counts = (alterations.readings, alterations.moved, alterations.noise)
    assert counts == (300, moved.sum(), noise.sum())
    assert alterations.share == pytest.approx(moved.mean())
    share = clustered_share(moved, NAMES)
    assert (alterations.lower, alterations.upper) == (share.lower, share.upper)
    mean = clustered_mean(moved * 1.0 - noise, NAMES, np.random.default_rng(7))
    assert (alterations.net_lower, alterations.net_upper) == (mean.lower, mean.upper)
    assert alterations.net == pytest.approx(moved.mean() - noise.mean())
    assert alterations.net_lower < 0 < alterations.net_upper
    table = [[0, (moved & ~noise).sum()], [(noise & ~moved).sum(), 0]]
    alone = measure_alteration(*both, [*map(str, range(300))], np.random.default_rng(7))
    assert alone.p == pytest.approx(mcnemar(table, exact=True).pvalue)
    test = clustered_test(moved * 1.0 - noise, NAMES, np.random.default_rng(7))
    assert alterations.p == test.p > 0.05


def test_copies_of_items_in_their_clusters_change_neither_p_nor_interval() -> None:
    moved, noise, names = [True] * 6 + [False], [False] * 6 + [True], [*"abcdefg"]
    alone = measure_alteration(moved, noise, names, np.random.default_rng(0))
    copied = measure_alteration(moved * 4, noise * 4, names * 4, np.random.default_rng(0))
    assert (copied.readings, copied.clusters) == (28, 7)
    assert copied.p == alone.p == pytest.approx(2 * 8 / 2**7)
    assert (copied.net_lower, copied.net_upper) == (alone.net_lower, alone.net_upper)


def test_what_moves_more_often_is_an_effect() -> None:
    rng = np.random.default_rng(0)
    alterations = measure_alteration([True] * 8, [False] * 8, [*"abcdefgh"], rng)
    assert (alterations.net, alterations.net_lower, alterations.net_upper) == (1, 1, 1)
    assert alterations.p == pytest.approx(2 / 2**8)


def test_of_no_readings_nothing_is_known() -> None:
    alterations = measure_alteration([], [], [], np.random.default_rng(0))
    assert (alterations.readings, alterations.moved, alterations.p) == (0, 0, 1.0)
    assert all(
        map(isnan, (alterations.share, alterations.lower, alterations.net, alterations.net_lower))
    )

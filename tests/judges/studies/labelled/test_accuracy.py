"""Accuracy and the tests between two judges, with scipy and statsmodels as oracles."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy.stats import ttest_rel
from statsmodels.stats.contingency_tables import mcnemar

from judges.studies.labelled.accuracy import (
    PairVerdict,
    contrast,
    contrast_benches,
    measure_accuracy,
)


def judged(item: str, label: float, outcome: float, **more: object) -> PairVerdict:
    given: dict[str, object] = {
        "bench": "b", "question": item, "category": "", "gap": 0.0, "flips": 0, "orders": 0,
        "rounds": (), "usd": 0.5, "tokens": 10.0,
    }  # fmt: skip
    return PairVerdict(item=item, label=label, outcome=outcome, **(given | more))  # type: ignore[arg-type]


def test_ties_are_counted_apart() -> None:
    found = [
        judged("1", 1, 1),
        judged("2", 1, 0.5, flips=1, orders=1),
        judged("3", 0, 1, orders=1),
        judged("4", 0, 0),
        judged("5", 0.5, 0.5),
        judged("6", 0.5, 0),
    ]
    one = measure_accuracy("b", found, missing=2)
    assert (one.pairs, one.right, one.ties, one.share) == (4, 2, 1, 0.5)
    assert (one.even, one.even_right, one.missing) == (2, 1, 2)
    assert one.flip_rate == 0.5
    assert (one.usd, one.usd_per_right, one.tokens_per_right) == (3.0, 1.0, 20.0)


def test_of_nothing_nothing_is_known() -> None:
    one = measure_accuracy("b", [], missing=3)
    assert (one.pairs, one.right) == (0, 0)
    assert all(map(isnan, (one.share, one.lower, one.flip_rate, one.usd_per_right)))
    assert isnan(measure_accuracy("b", [judged("1", 1, 0)], missing=0).usd_per_right)


@pytest.mark.parametrize("seed", range(5))
def test_the_tests_are_those_of_scipy_and_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 2, 60).astype(float), rng.integers(0, 2, 60).astype(float)
    names = [str(pair) for pair in range(60)]
    difference = contrast(("one", "other"), one, other, names)
    expected = ttest_rel(other, one)
    assert (difference.t, difference.t_p) == pytest.approx((expected.statistic, expected.pvalue))
    table = [[sum((one == a) & (other == b)) for b in (1, 0)] for a in (1, 0)]
    assert (difference.only_first, difference.only_second) == (table[0][1], table[1][0])
    assert difference.mcnemar_p == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert difference.difference == pytest.approx(other.mean() - one.mean())
    back = contrast(("other", "one"), other, one, names)
    assert difference.swapped() == back


def test_two_that_never_differ_have_no_t_and_a_p_of_one() -> None:
    difference = contrast(("one", "other"), [1, 0, 1], [1, 0, 1], [*"abc"])
    assert isnan(difference.t) and isnan(difference.t_p)
    assert (difference.difference, difference.mcnemar_p) == (0, 1)
    nothing = contrast(("one", "other"), [], [], [])
    assert isnan(nothing.difference) and nothing.mcnemar_p == 1


def test_pairs_of_one_question_are_one_cluster() -> None:
    first, second = [0, 0, 0, 0, 1, 0], [1, 1, 1, 1, 0, 1]
    alone = contrast(("one", "other"), first, second, [*"abcdef"])
    fourfold = contrast(("one", "other"), first * 4, second * 4, [*"abcdef"] * 4)
    assert (fourfold.pairs, fourfold.questions, fourfold.only_second) == (24, 6, 20)
    assert fourfold.mcnemar_p == alone.mcnemar_p == pytest.approx(14 / 64)
    assert (fourfold.t, fourfold.t_p) == pytest.approx((alone.t, alone.t_p))
    assert contrast(("one", "other"), first * 4, second * 4, [str(n) for n in range(24)]).t_p < 0.01


def test_only_pairs_that_both_have_and_people_decide_are_compared() -> None:
    found = [
        *(judged(str(n), 1, 1, bench="x") for n in range(4)),
        *(judged(str(n), 1, n % 2, bench="y") for n in range(2, 6)),
        judged("9", 0.5, 0.5, bench="x"),
        judged("9", 0.5, 0.0, bench="y"),
    ]
    (one,) = contrast_benches(["x", "y"], found)
    assert (one.pairs, one.only_first, one.only_second) == (2, 1, 0)

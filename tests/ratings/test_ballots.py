"""Ballots that count one by one: beside a row for each, and correlations counted in loops."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from arena.scheduling.simulation import FieldPlan, Judging, draw_field
from ratings import (
    BallotCounts,
    Comparisons,
    InvalidComparisons,
    InvalidSetting,
    Model,
    confidence,
    correlate_ballots,
    count_ballots,
    fit,
    tally,
    win_rate,
)

NAMES = ("a", "b", "c", "d")


def judged(
    icc: float, *, debates: int, runs: int = 4
) -> tuple[Comparisons, list[NDArray[np.float64]]]:
    """Debates between four participants, and the outcomes of their simulated ballots."""
    rng = np.random.default_rng(4)
    field = draw_field(
        FieldPlan(participants=4, judging=Judging(runs=runs, icc=icc, side=0.0)), rng
    )
    pairs = [rng.permutation(4)[:2] for _ in range(debates)]
    ballots = [field.judge(int(pro), int(con), rng) for pro, con in pairs]
    first, second = np.array(pairs).T
    comparisons = Comparisons(
        names=NAMES,
        first=first,
        second=second,
        outcome=np.full(debates, 0.5),
        weight=np.ones(debates),
        cluster=np.arange(debates) // 2,
    )
    return comparisons, ballots


def counts_of(ballots: list[NDArray[np.float64]]) -> BallotCounts:
    first, tied, second = (
        np.array([int((outcomes == value).sum()) for outcomes in ballots]) for value in (1, 0.5, 0)
    )
    return BallotCounts(first=first, tied=tied, second=second)


def test_shares_rate_like_a_row_for_each_ballot() -> None:
    comparisons, ballots = judged(0.3, debates=60)
    shares = count_ballots(comparisons, counts_of(ballots))
    rows = np.repeat(np.arange(60), 4)
    each = Comparisons(
        names=NAMES,
        first=comparisons.first[rows],
        second=comparisons.second[rows],
        outcome=np.concatenate(ballots),
        weight=shares.weight[rows] / 4,
        cluster=comparisons.cluster[rows],
    )
    np.testing.assert_allclose(fit(shares).gamma, fit(each).gamma, atol=1e-9)
    np.testing.assert_allclose(confidence(shares).lower, confidence(each).lower, atol=1e-6)


def test_the_correlation_is_that_of_a_loop_over_pairs_of_ballots() -> None:
    comparisons, ballots = judged(0.3, debates=40, runs=3)
    counted = counts_of(ballots)
    shares = count_ballots(comparisons, counted)
    gamma = fit(
        Comparisons.of(  # the same debates, all of weight 1
            [NAMES[index] for index in shares.first for _ in range(3)],
            [NAMES[index] for index in shares.second for _ in range(3)],
            np.concatenate(ballots),
            weight=np.full(120, 1 / 3),
        )
    ).gamma
    products, squares = list[float](), list[float]()
    for pro, con, outcomes in zip(shares.first, shares.second, ballots, strict=True):
        left = outcomes - expit(gamma[pro] - gamma[con])
        products += [one * other for one, other in permutations(left, 2)]
        squares += [residual**2 for residual in left]
    expected = np.mean(products) / np.mean(squares)
    assert correlate_ballots(shares, counted) == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(shares.weight, 3 / (1 + 2 * expected))


@pytest.mark.parametrize("icc", [0.0, 0.21, 1.0])
def test_the_correlation_of_many_debates_is_the_true_one(icc: float) -> None:
    comparisons, ballots = judged(icc, debates=4000)
    shares = count_ballots(comparisons, counts_of(ballots))
    assert correlate_ballots(shares, counts_of(ballots)) == pytest.approx(icc, abs=0.03)


def test_a_debate_of_one_ballot_counts_once() -> None:
    comparisons, ballots = judged(0.3, debates=30, runs=1)
    shares = count_ballots(comparisons, counts_of(ballots))
    assert correlate_ballots(shares, counts_of(ballots)) == 1.0
    assert shares.weight.tolist() == [1.0] * 30
    assert correlate_ballots(shares.only(np.array([], dtype=np.intp)), counts_of([])) == 1.0


def test_who_won_a_debate_is_who_won_most_of_its_ballots() -> None:
    debates = Comparisons.of(["a", "a", "b", "b"], ["b", "b", "a", "a"], [1.0, 0.5, 0.5, 0.0])
    ballots = BallotCounts(
        first=np.array([2, 1, 0, 0]), tied=np.array([0, 1, 3, 1]), second=np.array([1, 1, 0, 2])
    )
    shares = count_ballots(debates, ballots)
    assert shares.outcome.round(3).tolist() == [0.667, 0.5, 0.5, 0.167]
    assert shares.decided.tolist() == [1.0, 0.5, 0.5, 0.0]
    assert tally(shares).tolist() == tally(debates).tolist() == [[2, 0], [2, 2], [0, 2]]
    assert win_rate(shares).tolist() == win_rate(debates).tolist() == [0.75, 0.25]


def test_what_does_not_go_with_shares_is_refused() -> None:
    comparisons, ballots = judged(0.3, debates=10)
    shares = count_ballots(comparisons, counts_of(ballots))
    with pytest.raises(InvalidSetting, match="shares of ballots"):
        fit(shares, Model(ties="davidson"))
    with pytest.raises(InvalidComparisons, match=r"outcome is 0\.3; accepted: 1\.0"):
        Comparisons.of(["a"], ["b"], [0.3])
    none = np.array([0])
    with pytest.raises(InvalidComparisons, match="row 0: no ballots"):
        BallotCounts(first=none, tied=none, second=none)

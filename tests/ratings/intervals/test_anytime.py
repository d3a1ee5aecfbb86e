"""Intervals and orders for all looks: against integrals, enumerations and slow twins."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import quad

from ratings import Comparisons, Confidence, Model, confidence
from ratings.intervals.anytime import (
    MIXTURE,
    half_widths,
    log_evidence,
    log_score_evidence,
    settle_at_any_time,
)
from ratings.intervals.null_scores import score_pairs
from ratings.intervals.sandwich import cluster_leverages
from ratings.model.fitting import ELO_PER_GAMMA, fit_point
from tests.ratings.oracles import Debate, board, debates, simulated, swapped

SPREAD = MIXTURE / ELO_PER_GAMMA
SURE = np.array([np.inf])


def mix(score: float, variance: float, *, positive: bool) -> float:
    """Integrate exp(u·score − u²·variance/2) over a normal u, or over its positive half."""

    def density(u: float) -> float:
        prior = math.exp(-(u**2) / (2 * SPREAD**2)) / (SPREAD * math.sqrt(2 * math.pi))
        return prior * math.exp(u * score - u**2 * variance / 2)

    if positive:
        return 2 * quad(density, 0, 20)[0]
    return quad(density, -20, 20, points=[0, score / variance])[0]


@pytest.mark.parametrize("deviation", [0.2, 0.5, 1.0])
def test_the_end_of_an_interval_has_evidence_of_one_in_twenty(deviation: float) -> None:
    (half,) = half_widths(np.array([deviation**2]), SURE, 0.95)
    evidence = mix(half / deviation**2, 1 / deviation**2, positive=False)
    assert evidence == pytest.approx(20, rel=1e-4)


def test_few_clusters_and_little_information_make_intervals_wider_but_not_endless() -> None:
    variance = np.full(3, 0.05)
    few, some, many = half_widths(variance, np.array([2.0, 10, 1000]), 0.95)
    assert few > some > many
    at_start, before = half_widths(np.array([SPREAD**2, 9 * SPREAD**2]), np.full(2, np.inf), 0.95)
    assert before == pytest.approx(3 * at_start)
    assert half_widths(np.zeros(1), SURE, 0.95) == 0


@pytest.mark.parametrize(("gap", "deviation"), [(0.5, 0.2), (-0.3, 0.2), (2.0, 0.7), (0.0, 0.1)])
def test_evidence_is_the_integral_of_likelihood_ratios(gap: float, deviation: float) -> None:
    expected = math.log(mix(gap / deviation**2, 1 / deviation**2, positive=True))
    (evidence,) = log_evidence(np.array([gap]), np.array([deviation]), SURE)
    assert evidence == pytest.approx(expected, abs=1e-6)
    (evidence,) = log_score_evidence(np.array([8 * gap]), np.array([6.0]))
    assert evidence == pytest.approx(math.log(mix(8 * gap, 6, positive=True)), abs=1e-6)


def settle_slowly(
    evidence: NDArray[np.float64], level: float, asked: NDArray[np.bool_]
) -> list[tuple[int, int]]:
    """Holm's procedure, one hypothesis after the other."""
    size = len(evidence)
    left = [(i, j) for i in range(size) for j in range(size) if i != j and asked[i, j]]
    settled = []
    while left:
        pair = max(left, key=lambda pair: evidence[pair])
        if evidence[pair] < math.log(len(left) / (1 - level)):
            break
        left.remove(pair)
        settled.append(pair)
    return sorted(settled)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([0.5, 0.9, 0.95]))
def test_orders_are_settled_by_step_down(seed: int, size: int, level: float) -> None:
    rng = np.random.default_rng(seed)
    evidence = rng.normal(3, 2, (size, size))
    asked = rng.random((size, size)) < rng.choice([0.5, 1.0])
    settled = np.argwhere(settle_at_any_time(evidence, level, asked)).tolist()
    assert [tuple(pair) for pair in settled] == settle_slowly(evidence, level, asked)


@pytest.mark.parametrize("tied", [0.0, 0.3])
def test_a_fair_coin_is_ever_called_unfair_in_at_most_one_of_twenty(tied: float) -> None:
    """Exactly, by the distribution of the walk that is stopped when it is settled."""
    looks, size = 800, 1601
    walk = np.zeros(size)
    walk[looks] = 1.0
    values, stopped = np.arange(size) - looks, 0.0
    for look in range(1, looks + 1):
        step = tied * walk
        step[1:] += (1 - tied) / 2 * walk[:-1]
        step[:-1] += (1 - tied) / 2 * walk[1:]
        # the variance of the score is the number of wins and losses, here at its mean
        variance = np.full(size, max((1 - tied) * look, 1e-9))
        over = log_score_evidence(np.abs(values).astype(float), variance) >= math.log(2 / 0.05)
        stopped += float(step[over].sum())
        walk = np.where(over, 0.0, step)
    assert 0.01 < stopped <= 0.05


def merge_slowly(comparisons: Comparisons, first: int, second: int) -> tuple[float, float]:
    """Return the score of a pair and its variance: at the fit where the two are one participant."""
    from scipy.optimize import minimize  # noqa: PLC0415

    size, spread = len(comparisons.names), 300 / ELO_PER_GAMMA
    weight, pro, con = comparisons.weight, comparisons.first, comparisons.second

    def gamma(free: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.insert(free, second, free[first - (first > second)])

    def loss(free: NDArray[np.float64]) -> float:
        ability = gamma(free)
        eta = ability[pro] - ability[con]
        log_likelihood = weight * (comparisons.outcome * eta - np.logaddexp(0, eta))
        return float(((ability - ability.mean()) ** 2).sum() / (2 * spread**2)) - float(
            log_likelihood.sum()
        )

    ability = gamma(minimize(loss, np.zeros(size - 1), method="BFGS", tol=1e-10).x)
    chance = 1 / (1 + np.exp(ability[con] - ability[pro]))
    design = np.zeros((len(pro), size))
    design[np.arange(len(pro)), pro], design[np.arange(len(pro)), con] = 1, -1
    prior = (np.eye(size) - 1 / size) / spread**2
    information = design.T @ (design * (weight * chance * (1 - chance))[:, None]) + prior
    contrast = np.zeros(size)
    contrast[first], contrast[second] = 1, -1
    direction = np.linalg.pinv(information) @ contrast
    direction /= contrast @ direction
    scores = (weight * (comparisons.outcome - chance))[:, None] * design
    total = scores.sum(axis=0) - prior @ ability
    groups = [scores[comparisons.cluster == label] for label in np.unique(comparisons.cluster)]
    squares = sum(float(group.sum(axis=0) @ direction) ** 2 for group in groups)
    return float(total @ direction), squares + float(direction @ prior @ direction)


def test_scores_are_those_of_the_fit_with_the_two_as_one() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=30)
    point = fit_point(comparisons, Model(penalty=300))
    pairs = np.array(list(combinations(range(4), 2)))
    scores = score_pairs(point, pairs, np.zeros_like(cluster_leverages(point)), np.zeros((4, 4)))
    for (first, second), score, variance in zip(
        pairs.tolist(), scores.score, scores.variance, strict=True
    ):
        expected = merge_slowly(comparisons, first, second)
        assert (score, variance) == pytest.approx(expected, rel=1e-3)


def swept(matchups: int, opponents: int = 1) -> Confidence:
    """A board where "a" won every debate against its opponents, who are equal."""
    rows = []
    for number in range(matchups):
        for one in range(opponents):
            b = f"b{one}"
            rows += [("a", b, 1.0, f"{number}-{b}"), (b, "a", 0.0, f"{number}-{b}")]
            for other in range(one):
                c = f"b{other}"
                rows += [(b, c, 1.0, f"{number}-{b}-{c}"), (c, b, 1.0, f"{number}-{b}-{c}")]
    pro, con, outcome, cluster = zip(*rows, strict=True)
    return confidence(Comparisons.of(pro, con, outcome, cluster=cluster), anytime=True)


def test_who_wins_everything_is_settled_to_be_better() -> None:
    """The estimate of an unbeaten participant has no useful error; its scores have."""
    assert not swept(6).above.any()
    assert swept(12).above.tolist() == [[False, True], [False, False]]
    assert swept(7, opponents=4).rank_high[0] == 1
    assert np.isfinite(swept(12).upper).all()


def test_statements_for_all_looks_are_more_careful() -> None:
    comparisons = simulated(np.random.default_rng(4), size=6, matchups=250)
    once, always = confidence(comparisons), confidence(comparisons, anytime=True)
    assert (once.pairing, always.pairing) == ("fixed", "guided")
    assert ((always.upper - always.lower) > 1.4 * (once.upper - once.lower)).all()
    assert (always.difference >= once.difference).all()
    assert 0 < always.above.sum() < once.above.sum()
    assert (always.above <= once.above).all()
    assert always.ratings.rating.tolist() == once.ratings.rating.tolist()
    assert (always.rank_low == 1 + always.above.sum(axis=0)).all()


def test_orders_need_more_evidence_where_results_decided_all_pairings() -> None:
    comparisons = simulated(np.random.default_rng(4), size=6, matchups=250)
    by_lot = confidence(comparisons, anytime=True)
    by_results = confidence(replace(comparisons, pairing="guided"))
    assert 0 < by_results.above.sum() < by_lot.above.sum()
    assert by_results.upper.tolist() == by_lot.upper.tolist()


@settings(max_examples=25, deadline=None)
@given(debates())
def test_order_and_sides_change_nothing(found: list[Debate]) -> None:
    plain = confidence(board(found), anytime=True)
    turned = confidence(board([swapped(debate) for debate in reversed(found)]), anytime=True)
    assert turned.upper.tolist() == plain.upper.tolist()
    assert turned.above.tolist() == plain.above.tolist()


def test_a_board_without_comparisons_settles_nothing() -> None:
    empty = confidence(Comparisons.of([], [], [], names=["a", "b"]), anytime=True)
    assert not empty.above.any()
    assert np.isfinite(empty.upper).all()
    assert not confidence(Comparisons.of([], [], [], names=["a"]), anytime=True).is_rated.any()

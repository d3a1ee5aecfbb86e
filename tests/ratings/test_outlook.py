"""What further matchups will probably settle, against slow twins and boards that went on."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import Comparisons, PlanProgress, confidence
from ratings.comparisons import Pairing
from ratings.outlook import Outlook, _believe, steady_covariance


def board(size: int, matchups: int, seed: int, spread: float = 0.0) -> Comparisons:
    """Return a round robin of two debates a matchup, with strengths that are drawn (log-odds)."""
    rng = np.random.default_rng(seed)
    strength = spread * rng.standard_normal(size)
    pairs = list(combinations(range(size), 2)) * matchups
    first, second = np.array([leg for low, high in pairs for leg in ((low, high), (high, low))]).T
    chance = 1 / (1 + np.exp(strength[second] - strength[first]))
    return Comparisons.of(
        [f"p{k}" for k in first],
        [f"p{k}" for k in second],
        (rng.random(len(first)) < chance).astype(float),
        cluster=np.repeat(np.arange(len(pairs)), 2),
        names=[f"p{k}" for k in range(size)],
    )


def outlook(rows: Comparisons) -> Outlook:
    return Outlook(rows, confidence(rows))


def test_errors_after_further_matchups_are_those_of_the_sum_of_the_information() -> None:
    rows = board(4, 4, seed=2)
    now = outlook(rows)
    owned, information = now.nothing, np.linalg.pinv(now.nothing.covariance)
    for k, matchups in ((0, 3.0), (2, 5.0)):
        contrast = np.zeros(4)
        contrast[[now.low[k], now.high[k]]] = 1, -1
        own = matchups * now._information[now.low[k], now.high[k]]
        information += own * np.outer(contrast, contrast)
        owned = now.buy(owned, k, matchups)
    assert owned.covariance == pytest.approx(np.linalg.pinv(information))
    assert owned.added == pytest.approx(information - np.linalg.pinv(now.nothing.covariance))
    assert owned.matchups.sum() == 16


def test_matchups_of_all_pairs_are_those_of_a_round_robin() -> None:
    now = outlook(board(4, 4, seed=3))
    assert len(now.low) == 6, "all are open"
    owned = now.nothing
    for k in range(6):
        owned = now.buy(owned, k, 2.5)
    evenly = now.buy_each(2.5)
    assert evenly.matchups.tolist() == owned.matchups.tolist() == [7.5] * 4
    assert now.chances(evenly) == pytest.approx(now.chances(owned))


@pytest.mark.parametrize("pairing", ["fixed", "planned", "mixed", "guided"])
def test_matchups_of_one_pair_are_what_was_bought(pairing: Pairing) -> None:
    now = outlook(replace(board(4, 4, seed=3), pairing=pairing))
    for k in range(len(now.low)):
        alone = now.chances_alone(np.full(len(now.low), 40.0))[k]
        assert now.chances(now.buy(now.nothing, k, 40.0))[k] == pytest.approx(alone, abs=0.02)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 400), st.sampled_from([0.0, 0.6, 2.0]), st.sampled_from([3, 6]))
def test_chances_are_drawn_from_what_is_believed(seed: int, spread: float, size: int) -> None:
    """The mean and variance of an estimate are those of drawn truths and drawn results."""
    rows = board(size, 4, seed, spread)
    now = outlook(rows)
    if not len(now.low):
        return
    k = seed % len(now.low)
    owned = now.buy(now.nothing, k, 20.0)
    rng = np.random.default_rng(seed)
    information = 20.0 * now._information[now.low[k], now.high[k]]
    # The true difference, what its matchups show, and what both estimates come to, 40,000 times.
    sure = confidence(rows)
    rating = sure.rating - sure.rating.mean()
    truth = rng.normal(
        (rating + now._shift)[now.low[k]] - (rating + now._shift)[now.high[k]],
        now._of_pairs(now._spread)[k] ** 0.5,
        40_000,
    )
    shown = rng.normal(truth, information**-0.5)
    left = 1 / (1 / now._variance[k] + information)
    estimate = left * (now._gap[k] / now._variance[k] + information * shown)
    growth = np.array([np.median(1 + owned.matchups / sure.matchups)])
    share, each = float(now.chances(owned).mean()), np.full(len(now.low), left)
    bound = now._needed(each, np.full(len(each), 20.0), growth, share)[k] * left**0.5
    drawn = float((np.abs(estimate) > bound).mean())
    assert now.chances(owned)[k] == pytest.approx(drawn, abs=0.02)


def test_what_is_believed_is_shrunk_and_surer_than_the_estimates() -> None:
    covariance = np.diag(np.full(6, 60.0**2)) - 60.0**2 / 6
    level = np.array([40.0, -40.0, 20.0, -20.0, 10.0, -10.0])
    wide = 10 * level
    for rating, share in ((level, (0.0, 0.35)), (wide, (0.85, 1.0))):
        mean, spread = _believe(rating, covariance, penalty=1e9)
        ratio = mean @ rating / (rating @ rating)
        assert share[0] < ratio < share[1]
        assert spread.diagonal().max() < covariance.diagonal().max()
        assert mean.sum() == pytest.approx(0, abs=1e-6)


def test_a_covariance_that_is_known_by_design_is_kept_and_one_by_chance_is_drawn_to_it() -> None:
    rng = np.random.default_rng(5)
    played = np.triu(rng.integers(1, 4, (6, 6)) * 1e-5, 1)
    played += played.T
    centring = np.eye(6) - 1 / 6
    inverse = np.linalg.pinv(np.diag(played.sum(axis=1)) - played)
    designed = centring @ inverse @ centring
    assert steady_covariance(2 * designed, played, np.inf, 5.0) == pytest.approx(2 * designed)
    by_chance = designed.copy()
    by_chance[0] /= 9
    by_chance[:, 0] /= 9
    few, many = (steady_covariance(by_chance, played, np.inf, each) for each in (5.0, 500.0))
    assert by_chance[0, 0] < many[0, 0] < few[0, 0] < designed[0, 0]
    assert few.trace() == pytest.approx(by_chance.trace())
    with_prior = steady_covariance(designed, played, 30.0, 5.0)
    assert np.ptp(np.linalg.eigvalsh(with_prior)[1:]) < np.ptp(np.linalg.eigvalsh(designed)[1:])
    nobody_met = np.zeros((1, 1))
    assert steady_covariance(nobody_met, nobody_met, 300.0, 5.0).tolist() == [[0.0]]


def test_a_plan_that_is_changed_needs_more_than_one_that_ends() -> None:
    rows = replace(board(5, 6, seed=1, spread=0.8), pairing="planned")
    begun = outlook(replace(rows, plan=PlanProgress(share=0.5)))
    over = outlook(rows)

    def needed(now: Outlook, matchups: float) -> np.ndarray:
        every = np.full(len(now.low), matchups)
        return now._needed(now._variance, every, np.ones(1))

    end = needed(begun, rows.clusters)
    assert end.max() < needed(over, rows.clusters).min()
    assert (end < needed(begun, rows.clusters / 2)).all()


def test_four_fifths_of_what_is_forecast_comes_true() -> None:
    came, orders, expected = [], [], []
    for seed in range(60):
        rows, twice = board(6, 6, seed, 0.7), board(6, 12, seed, 0.7)
        now, after = outlook(rows), confidence(twice)
        chances = now.chances(now.buy_each(6.0))
        settled = (after.above | after.above.T)[now.low, now.high]
        expected.append(chances.sum())
        orders.append(settled.sum())
        came += settled[(chances > 0.7) & (chances < 0.9)].tolist()
    assert np.mean(came) == pytest.approx(0.8, abs=0.12), len(came)
    assert np.mean(orders) == pytest.approx(np.mean(expected), rel=0.2)

"""Firth's penalty, which the study of coverage compares with the normal prior."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.firth import fit_firth
from ratings import Comparisons, InvalidSetting, Model, NotIdentified
from ratings.intervals.sandwich import estimate_covariance


def test_the_fit_maximises_the_likelihood_times_jeffreys_prior() -> None:
    """Maximise ℓ + ½ ln det I over the free parameters with a general optimiser."""
    board = Comparisons.of(
        "aaabbcca", "bbccaabb", [1, 1, 1, 1, 0, 0.5, 0, 1], [1, 2, 1, 1, 3, 1, 1, 1]
    )
    point = fit_firth(board, Model())
    first, second, outcome, weight = board.first, board.second, board.outcome, board.weight

    def loss(free: NDArray[np.float64]) -> float:
        gamma = np.append(free, -free.sum())
        eta = gamma[first] - gamma[second]
        chance = 1 / (1 + np.exp(-eta))
        direction = np.eye(3)[first] - np.eye(3)[second]
        information = (direction.T * (weight * chance * (1 - chance))) @ direction
        value = weight @ (outcome * np.log(chance) + (1 - outcome) * np.log(1 - chance))
        return float(-value - np.linalg.slogdet(information[:2, :2])[1] / 2)

    best = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-9}).x
    assert point.parameters == pytest.approx(np.append(best, -best.sum()), abs=1e-5)


def test_an_unbeaten_participant_has_a_finite_rating() -> None:
    point = fit_firth(Comparisons.of("aab", "bcc", [1, 1, 1]), Model())
    assert np.isfinite(point.parameters).all()
    assert math.isnan(point.penalty)


def test_a_disconnected_board_is_refused() -> None:
    with pytest.raises(NotIdentified, match="a, b; c, d"):
        fit_firth(Comparisons.of("ac", "bd", [1, 1]), Model())


@pytest.mark.parametrize("model", [Model(ties="davidson"), Model(motion_spread=100.0)])
def test_terms_that_the_penalty_does_not_know_are_refused(model: Model) -> None:
    with pytest.raises(InvalidSetting, match="ties as half wins and no side per motion"):
        fit_firth(Comparisons.of("ab", "ba", [1, 1]), model)


def test_added_wins_do_not_count_as_clusters() -> None:
    # a meets b, c and d twenty times each, all level. b against the mean is 3/4 of its gap to a
    # less a quarter of the others': twenty comparisons add 9 parts of variance, forty add 1.
    board = Comparisons.of(["a"] * 60, [*"bcd"] * 20, [1, 1, 1, 0, 0, 0] * 10)
    freedom = estimate_covariance(fit_firth(board, Model())).freedom
    others = (20 * 9 + 40) ** 2 / (20 * 81 + 40)
    assert freedom.tolist() == pytest.approx([60, others, others, others])

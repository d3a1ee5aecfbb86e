"""What planned matchups will tell, against simulated fields and the errors of real boards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import studentized_range

from ratings import Comparisons, InvalidSetting, confidence
from ratings.design import (
    PRIOR_INFORMATION,
    count_clusters,
    difference_errors,
    matchup_information,
    matchups_to_settle,
    settled_gap,
    settling_errors,
)
from ratings.model.fitting import ELO_PER_GAMMA


def everybody(size: int, matchups: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.asarray(matchups * (1 - np.eye(size)))


def test_errors_are_those_of_the_laplacian() -> None:
    rng = np.random.default_rng(3)
    counts = np.triu(rng.integers(0, 4, (6, 6)), 1)
    counts[np.arange(5), np.arange(1, 6)] += 1  # connected
    counts = counts + counts.T
    rating = rng.normal(0, 200, 6)
    chance = expit((rating[:, None] - rating) / ELO_PER_GAMMA)
    weight = 0.5 * counts * 4 * chance * (1 - chance)
    inverse = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    expected = [
        [np.sqrt(inverse[i, i] + inverse[j, j] - 2 * inverse[i, j]) for j in range(6)]
        for i in range(6)
    ]
    errors = difference_errors(counts, information=0.5, rating=rating)
    np.testing.assert_allclose(errors, ELO_PER_GAMMA * np.array(expected), atol=1e-6)


def test_unconnected_participants_cannot_be_compared() -> None:
    counts = np.zeros((4, 4))
    counts[0, 1] = counts[1, 0] = counts[2, 3] = counts[3, 2] = 2
    apart = np.isinf(difference_errors(counts))
    assert apart.tolist() == [
        [False, False, True, True],
        [False, False, True, True],
        [True, True, False, False],
        [True, True, False, False],
    ]
    assert np.isinf(difference_errors(np.zeros((2, 2)))[0, 1])


def test_more_matchups_tell_more_and_unequal_pairs_less() -> None:
    assert difference_errors(everybody(5, 8))[0, 1] == pytest.approx(
        difference_errors(everybody(5, 2))[0, 1] / 2
    )
    wide = difference_errors(everybody(5, 2), rating=[0, 300, 600, 900, 1200])
    assert (wide >= difference_errors(everybody(5, 2)) - 1e-9).all()


def test_counts_must_be_a_symmetric_matrix() -> None:
    for counts in ([[0, 1], [2, 0]], [0, 1], [[0, -1], [-1, 0]]):
        with pytest.raises(InvalidSetting, match="symmetric matrix"):
            difference_errors(counts)


def test_a_cluster_counts_once_for_its_pair() -> None:
    legs = Comparisons.of("abab", "baba", [1, 0, 1, 1], cluster=[7, 7, 9, 9])
    assert count_clusters(legs).tolist() == [[0, 2], [2, 0]]
    assert count_clusters(legs.only(np.array([0])).counted([5])).tolist() == [[0, 5], [5, 0]]


def simulated(size: int, matchups: int, seed: int) -> Comparisons:
    """Return matchups of equals, of two independent debates each, without ties."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(size) for j in range(i) for _ in range(matchups)]
    first = [name for i, j in pairs for name in (f"p{i}", f"p{j}")]
    second = [name for i, j in pairs for name in (f"p{j}", f"p{i}")]
    cluster = np.repeat(np.arange(len(pairs)), 2)
    return Comparisons.of(first, second, rng.integers(0, 2, len(first)), cluster=cluster)


def test_information_is_what_a_boards_own_errors_show() -> None:
    # Two independent debates without ties: h = 2 · ¼ and m = 2 · ¼, so h² / m = ½.
    board = simulated(6, 60, seed=1)
    assert matchup_information(board, confidence(board)) == pytest.approx(0.5, rel=0.1)
    few = simulated(2, 1, seed=1)
    assert matchup_information(few, confidence(few)) == pytest.approx(PRIOR_INFORMATION, rel=0.3)


def test_a_forecast_is_what_comes() -> None:
    widths = []
    for seed in range(5):
        board = confidence(simulated(8, 10, seed))
        widths.append(board.difference[~np.eye(8, dtype=bool)].mean() / 1.96)
    forecast = difference_errors(everybody(8, 10), information=0.5)[0, 1]
    assert np.mean(widths) == pytest.approx(forecast, rel=0.1)


def test_that_many_matchups_settle_most_pairs_that_far_apart() -> None:
    """Where the pair alone is apart, the errors that a field's spread adds are room to spare."""
    rng = np.random.default_rng(5)
    for size in (2, 8):
        matchups = matchups_to_settle(100, size, information=0.5)
        field = np.array([50.0, -50.0, *np.zeros(size - 2)])
        counts = everybody(size, matchups)
        error = difference_errors(counts, information=0.5, rating=field)[0, 1]
        settled = rng.normal(100, error, 4000) > settling_errors(size) * error
        assert 0.8 <= settled.mean() <= 0.93, size
    assert settling_errors(1) == np.inf


@given(st.floats(1, 1200), st.integers(2, 60), st.floats(0.1, 5))
def test_the_gap_of_so_many_matchups_is_the_one_that_takes_them(
    gap: float, size: int, information: float
) -> None:
    matchups = matchups_to_settle(gap, size, information=information)
    assert settled_gap(matchups, size, information=information) <= gap * (1 + 1e-9)
    if matchups > 1:
        assert settled_gap(matchups - 1, size, information=information) > gap


@pytest.mark.parametrize("size", [2, 3, 8, 50, 500])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_errors_that_settle_all_pairs_are_those_of_scipy(size: int, level: float) -> None:
    expected = studentized_range.ppf(level, size, np.inf) / np.sqrt(2)
    assert settling_errors(size, level=level) == pytest.approx(expected, rel=1e-6)

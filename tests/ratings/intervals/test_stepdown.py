"""Step-down settles all that a single cut-off settles, and what its slow twin settles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.intervals.stepdown import find_largest, settle

Floats = NDArray[np.float64]


def board(seed: int, size: int, draws: int = 400) -> tuple[Floats, Floats, Floats]:
    """Gaps of abilities, their standard errors, and draws of errors with that covariance."""
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((draws, size)) @ (np.eye(size) + rng.normal(0, 0.3, (size, size)))
    covariance = np.cov(drawn.T).reshape(size, size)
    variance = np.diag(covariance)
    deviation = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
    np.fill_diagonal(deviation, 0)
    rating = rng.normal(0, 3, size)
    return rating[:, None] - rating, deviation, drawn


def settle_slowly(
    gap: Floats, deviation: Floats, drawn: Floats, level: float, steps: int = 100
) -> list[tuple[int, int]]:
    """Recompute the quantile over all ordered pairs that are left, step after step."""
    size = len(gap)
    left = {(i, j) for i in range(size) for j in range(size) if deviation[i, j] > 0}
    for _ in range(steps):
        if not left:
            break
        largest = [max((e[i] - e[j]) / deviation[i, j] for i, j in left) for e in drawn]
        cut = max(0.0, float(np.quantile(largest, level)))
        rejected = {(i, j) for i, j in left if gap[i, j] > cut * deviation[i, j]}
        if not rejected:
            break
        left -= rejected
    every = {(i, j) for i in range(size) for j in range(size) if deviation[i, j] > 0}
    return sorted(every - left)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_slow_twin_settles_the_same(seed: int, size: int, level: float) -> None:
    gap, deviation, drawn = board(seed, size, 60)
    settled = settle(gap, deviation, drawn, level)
    assert [tuple(pair) for pair in np.argwhere(settled).tolist()] == settle_slowly(
        gap, deviation, drawn, level
    )
    single = settle_slowly(gap, deviation, drawn, level, steps=1)
    assert all(settled[pair] for pair in single)
    assert not (settled & settled.T).any()


def test_some_pairs_are_settled_only_after_the_first_step() -> None:
    more = 0
    for seed in range(40):
        gap, deviation, drawn = board(seed, 8)
        single = settle_slowly(gap, deviation, drawn[:40], 0.9, steps=1)
        more += int(settle(gap, deviation, drawn[:40], 0.9).sum()) - len(single)
    assert more > 0


@pytest.mark.parametrize("tried", [1, 3, 50])
def test_the_largest_difference_is_that_of_all_pairs(tried: int) -> None:
    _, deviation, drawn = board(3, 20)
    rng = np.random.default_rng(1)
    scale = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    scale *= rng.random(scale.shape) < 0.5  # pairs that are left out
    largest, pair = find_largest(drawn, scale, tried)
    every = (drawn[:, :, None] - drawn[:, None, :]) * scale
    assert largest == pytest.approx(every.max(axis=(1, 2)))
    draw = np.arange(len(drawn))
    assert every[draw, pair[:, 0], pair[:, 1]] == pytest.approx(largest)


def test_a_pair_without_an_error_is_never_settled() -> None:
    drawn = np.random.default_rng(1).standard_normal((100, 2))
    assert not settle(np.array([[0, 9], [-9, 0.0]]), np.zeros((2, 2)), drawn).any()
    assert settle(np.zeros((1, 1)), np.zeros((1, 1)), drawn[:, :1]).shape == (1, 1)

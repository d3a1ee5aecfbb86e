import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import least_squares

from ratings import confidence
from ratings.intervals.comparison_widths import comparison_widths, share_sums
from tests.ratings.oracles import Debate, board, debates, simulated

Floats = NDArray[np.float64]


def deviations(rng: np.random.Generator, size: int) -> Floats:
    """Standard errors of differences under a random covariance, (K, K)."""
    drawn = rng.standard_normal((size, size + 2))
    covariance = drawn @ drawn.T
    variance = np.diag(covariance)
    return np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0))


def slowly(sums: Floats) -> Floats:
    """Least squares of log ratios by a general optimiser."""
    first, second = np.triu_indices(len(sums), 1)
    mean = sums[first, second].mean()

    def ratios(share: Floats) -> Floats:
        return np.asarray(np.log((share[first] + share[second]) / sums[first, second]))

    return np.asarray(
        least_squares(
            ratios,
            np.full(len(sums), mean / 2),
            bounds=(1e-6 * mean, np.inf),
            xtol=1e-12,
            ftol=1e-12,
            gtol=1e-12,
        ).x
    )


@pytest.mark.parametrize("size", [3, 4, 7, 15])
def test_shares_are_those_of_a_general_optimiser(size: int) -> None:
    sums = deviations(np.random.default_rng(size), size)
    assert share_sums(sums) == pytest.approx(slowly(sums), rel=1e-5)
    if size > 3:
        # with three, a quasi-variance may be below 0, and the nearest that is not is on the bound
        assert share_sums(sums**2) == pytest.approx(slowly(sums**2), rel=1e-5)


@given(st.lists(st.floats(0.1, 100), min_size=3, max_size=8))
def test_sums_of_shares_give_the_shares(shares: list[float]) -> None:
    given_ = np.array(shares)
    assert share_sums(given_[:, None] + given_) == pytest.approx(given_, rel=1e-6)
    assert comparison_widths(given_[:, None] + given_).error == pytest.approx(0, abs=1e-6)


@given(st.integers(0, 10_000))
def test_three_participants_have_exact_half_widths(seed: int) -> None:
    sums = deviations(np.random.default_rng(seed), 3)
    (_, one, two), other = sums[0], sums[1, 2]
    closed = [(one + two - other) / 2, (one + other - two) / 2, (two + other - one) / 2]
    assert min(closed) >= 0
    assert share_sums(sums) == pytest.approx(closed, rel=1e-4, abs=1e-5 * sums.max())


def test_independent_estimates_have_goldstein_and_healy_s_bars() -> None:
    errors = 1.96 * np.sqrt(np.full((6, 6), 2.0))
    np.fill_diagonal(errors, 0)
    found = comparison_widths(errors)
    assert found.half == pytest.approx(np.full(6, 1.39), abs=0.005)
    assert found.error == pytest.approx(0, abs=1e-9)


def test_few_participants_and_no_errors() -> None:
    assert comparison_widths(np.zeros((1, 1))).half.tolist() == [0]
    assert comparison_widths(np.array([[0, 30], [30, 0.0]])).half.tolist() == [15, 15]
    assert comparison_widths(np.zeros((4, 4))).half.tolist() == [0] * 4


def test_the_worst_error_is_that_of_the_worst_pair() -> None:
    sums = deviations(np.random.default_rng(1), 6)
    found = comparison_widths(sums)
    ratios = [
        (found.half[i] + found.half[j]) / sums[i, j] for i in range(6) for j in range(6) if i != j
    ]
    assert found.error == pytest.approx(max(abs(ratio - 1) for ratio in ratios))
    assert found.error > 0.01


@settings(max_examples=30, deadline=None)
@given(debates())
def test_names_do_not_matter(found: list[Debate]) -> None:
    plain = confidence(board(found))
    new = {f"p{index}": f"n{4 - index}" for index in range(5)}
    renamed = confidence(
        board(
            [
                Debate(
                    first=new[one.first],
                    second=new[one.second],
                    delta=one.delta,
                    matchup=one.matchup,
                )
                for one in found
            ]
        )
    )
    half = dict(zip(renamed.ratings.names, renamed.comparison.half, strict=True))
    again = [half[new[name]] for name in plain.ratings.names]
    assert again == pytest.approx(plain.comparison.half, rel=1e-4)


def test_bars_that_do_not_overlap_differ_and_others_do_not() -> None:
    agree = []
    for seed in range(40):
        sure = confidence(simulated(np.random.default_rng(seed), size=8, matchups=150))
        half, rating = sure.comparison.half, sure.ratings.rating
        gap = np.abs(rating[:, None] - rating)[np.triu_indices(8, 1)]
        apart = gap > (half[:, None] + half)[np.triu_indices(8, 1)]
        agree += (apart == (gap > sure.difference[np.triu_indices(8, 1)])).tolist()
    assert np.mean(agree) > 0.98

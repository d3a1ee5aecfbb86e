"""The paired test, against numbers done by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from ratings import InvalidComparisons, sign_flip_test
from ratings.intervals.paired import EXACT


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def tried_one_by_one(differences: list[float]) -> float:
    """The p-value as its definition says it, slowly."""
    signs = list(product((-1, 1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(one, differences, strict=True))) for one in signs]
    return sum(one >= abs(sum(differences)) - 1e-9 for one in sums) / len(signs)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([3], 1.0),  # one meeting says nothing: + and - are equally far
        ([3, 3, 3], 0.25),  # +++ and --- of 8
        ([3, -1, 2], 0.5),  # sum 4; |sum| >= 4 for +++ (6), +-+ (4) and their mirrors, of 8
        ([1, -1], 1.0),
        ([0, 0, 0], 1.0),
        ([6] * 5, 0.0625),  # 2 of 32
    ],
)
def test_p_values_by_hand(differences: list[float], p: float) -> None:
    flips = sign_flip_test(differences, rng())
    assert flips.p == pytest.approx(p)
    assert (flips.exact, flips.differences) == (True, len(differences))


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=8))
def test_it_is_the_share_of_all_assignments(differences: list[float]) -> None:
    found = sign_flip_test(differences, rng()).p
    assert found == pytest.approx(tried_one_by_one(differences))
    turned = [-one for one in reversed(differences)]
    assert sign_flip_test(turned, rng()).p == pytest.approx(found)


def test_the_most_that_are_tried_one_by_one() -> None:
    flips = sign_flip_test([1.0] * EXACT, rng())
    assert flips.exact
    assert flips.p == pytest.approx(2 / 2**EXACT)


def test_beyond_that_a_sample_stands_for_all() -> None:
    # 15 wins of 20 equal ones: the two-sided binomial test says 0.0414
    flips = sign_flip_test([0.3] * 15 + [-0.3] * 5, rng())
    assert not flips.exact
    assert flips.p == pytest.approx(0.0414, abs=0.006)
    assert flips == sign_flip_test([0.3] * 15 + [-0.3] * 5, rng())


def test_a_sampled_p_value_is_never_zero() -> None:
    assert 0 < sign_flip_test([0.3] * 60, rng()).p < 0.001


@pytest.mark.parametrize(("first", "second"), [(15, 5), (30, 12), (400, 350), (60, 0)])
def test_whole_differences_are_counted_exactly_however_many(first: int, second: int) -> None:
    flips = sign_flip_test([1] * first + [0] * 9 + [-1] * second, rng())
    table = [[9, first], [second, 0]]
    assert flips.p == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert flips.exact and flips.differences == first + second + 9


def test_very_many_and_large_differences_are_sampled() -> None:
    assert not sign_flip_test([2000, -1999] * 10 + [300], rng()).exact


@pytest.mark.parametrize("given", [[], [1.0, float("nan")], [[1.0]], [float("inf")]])
def test_what_is_no_list_of_differences_is_refused(given: list[float]) -> None:
    with pytest.raises(InvalidComparisons, match="one finite number"):
        sign_flip_test(given, rng())

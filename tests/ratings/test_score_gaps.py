"""The gap model against scipy, a sum of binomial terms, and counting by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from ratings import InvalidSetting, gap_model, gaps, rounds_until

_GAPS = st.lists(st.integers(0, 114).map(lambda n: n / 114), min_size=1, max_size=12)
_RUNS = st.lists(_GAPS, max_size=6)


def _counted(runs: Sequence[Sequence[float]]) -> tuple[int, int]:
    """How often a gap grew, and how often it could have: round by round."""
    grew = steps = 0
    for run in runs:
        for before, after in pairwise(run):
            steps += 1
            grew += after > before
    return grew, steps


def _binomial_tail(a: int, b: int, threshold: float) -> float:
    """P(Beta(a, b) > t) for whole a and b: fewer than a of a + b - 1 trials succeed."""
    trials = a + b - 1
    return sum(
        math.comb(trials, k) * threshold**k * (1 - threshold) ** (trials - k) for k in range(a)
    )


def test_a_gap_is_the_difference_of_totals_in_shares_of_the_largest() -> None:
    assert gaps([120, 6, 63], [6, 120, 63]).tolist() == [1.0, 1.0, 0.0]
    assert gaps([80.5], [74.8]).tolist() == pytest.approx([0.05])


def test_a_worked_example() -> None:
    # Gaps of 10, 20, 20 and 35 of 114: it grew twice in three steps.
    model = gap_model([gaps([70, 80, 60, 100], [60, 60, 80, 65])])
    assert (model.runs, model.steps, model.grew, model.a, model.b) == (1, 3, 2, 3.0, 2.0)
    assert model.mean == pytest.approx(3 / 5)
    assert model.variance == pytest.approx(6 / (25 * 6))
    assert model.tail(0.5) == pytest.approx(11 / 16)  # 1 - I(1/2; 3, 2) = 1 - 5/16
    assert model.bound(0.1) == pytest.approx(1 - 0.04 / 0.25)


@given(runs=_RUNS, threshold=st.floats(0, 1))
def test_it_is_the_beta_distribution_of_scipy(runs: list[list[float]], threshold: float) -> None:
    model = gap_model(runs)
    grew, steps = _counted(runs)
    assert (model.runs, model.steps, model.grew) == (len(runs), steps, grew)
    twin = beta(1 + grew, 1 + steps - grew)
    assert model.mean == pytest.approx(twin.mean())
    assert model.variance == pytest.approx(twin.var())
    assert model.tail(threshold) == pytest.approx(twin.sf(threshold), abs=1e-12)
    slow = _binomial_tail(1 + grew, 1 + steps - grew, threshold)
    assert model.tail(threshold) == pytest.approx(slow, abs=1e-9)


@given(
    runs=_RUNS,
    prior=st.tuples(st.floats(0.1, 20), st.floats(0.1, 20)),
    threshold=st.floats(0, 1),
)
def test_the_papers_bound_never_exceeds_the_exact_tail(
    runs: list[list[float]], prior: tuple[float, float], threshold: float
) -> None:
    model = gap_model(runs, prior=prior)
    bound = model.bound(threshold)
    assert math.isnan(bound) == (threshold >= model.mean)
    assert math.isnan(bound) or bound <= model.tail(threshold) + 1e-9


def test_the_papers_bound_is_often_vacuous() -> None:
    model = gap_model([[0.1, 0.2, 0.1, 0.3]])
    assert model.tail(0.4) > 0.8
    assert model.bound(0.4) < 0


def test_many_steps_leave_nothing_of_the_prior() -> None:
    rising = np.linspace(0, 1, 5001)
    model = gap_model([rising], prior=(1, 10))
    assert model.mean == pytest.approx(1, abs=0.003)
    assert model.tail(0.99) == pytest.approx(1)


@given(runs=_RUNS, shift=st.integers(0, 5))
def test_runs_may_be_given_in_any_order(runs: list[list[float]], shift: int) -> None:
    assert gap_model(runs) == gap_model(runs[shift:] + runs[:shift])


def test_without_any_step_the_prior_is_all_there_is() -> None:
    assert gap_model([[0.4], [0.1]], prior=(2, 3)).mean == pytest.approx(0.4)
    assert gap_model([]).mean == 0.5


def test_rounding_is_no_growth() -> None:
    assert gap_model([[0.3, 0.1 + 0.2]]).grew == 0


@given(run=_GAPS, least=st.floats(0, 1))
def test_rounds_until_a_gap_by_looking_at_each(run: list[float], least: float) -> None:
    slow = next((n for n, gap in enumerate(run, start=1) if gap >= least - 1e-9), None)
    assert rounds_until(run, least) == slow


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([5], [60], "a total of 5; accepted: 6 to 120"),
        ([60], [121], "a total of 121"),
        ([float("nan")], [60], "a total of nan"),
        ([60, 70], [60], r"shapes \(2,\) and \(1,\)"),
        ([[60]], [[70]], "one of each side"),
    ],
)
def test_impossible_totals_are_refused(first: object, second: object, message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        gaps(first, second)  # type: ignore[arg-type]


@pytest.mark.parametrize("prior", [(0, 1), (1, -1), (float("nan"), 1), (1, float("inf"))])
def test_an_impossible_prior_is_refused(prior: tuple[float, float]) -> None:
    with pytest.raises(InvalidSetting, match="two positive numbers"):
        gap_model([[0.1, 0.2]], prior=prior)


@pytest.mark.parametrize("run", [[], [1.1], [-0.1], [float("nan")], 0.5, [[0.1]]])
def test_impossible_gaps_are_refused(run: object) -> None:
    with pytest.raises(InvalidSetting, match="each from 0 to 1"):
        gap_model([run])  # type: ignore[list-item]
    with pytest.raises(InvalidSetting, match="each from 0 to 1"):
        rounds_until(run, 0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan")])
def test_an_impossible_threshold_is_refused(threshold: float) -> None:
    model = gap_model([[0.1, 0.2]])
    for ask in (model.tail, model.bound, lambda t: rounds_until([0.1], t)):
        with pytest.raises(InvalidSetting, match="accepted: 0 to 1"):
            ask(threshold)

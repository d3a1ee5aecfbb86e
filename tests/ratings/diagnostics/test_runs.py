"""Runs on a debate: how alike they are, and how many are cheapest."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.scheduling.simulation import Judging, SimulatedField
from ratings import Comparisons, InvalidSetting
from ratings.diagnostics.runs import (
    MOST_RUNS,
    cheapest_runs,
    intraclass,
    measure_runs,
    relative_cost,
    spread_of,
)

_ICC, _SIDE = 0.3, 100.0


def _field(runs: int, icc: float = _ICC) -> SimulatedField:
    strength = np.array([0.8, 0.2, -0.3, -0.7])
    judging = Judging(runs=runs, icc=icc, side=_SIDE, tie=0.3)
    names = ("a", "b", "c", "d")
    return SimulatedField(
        names=names,
        strength=strength,
        usd=dict.fromkeys(names, 1.0),
        cycles=np.zeros((4, 4)),
        judging=judging,
    )


def _runs(runs: int, debates: int) -> Comparisons:
    field, rng = _field(runs), np.random.default_rng(5)
    pairs = [(pro, con) for pro in range(4) for con in range(4) if pro != con]
    rows = [
        (field.names[pro], field.names[con], outcome, debate)
        for debate in range(debates)
        for pro, con in [pairs[debate % len(pairs)]]
        for outcome in field.judge(pro, con, rng)
    ]
    pro, con, outcome, cluster = zip(*rows, strict=True)
    return Comparisons.of(pro, con, outcome, cluster=cluster)


def test_what_runs_were_drawn_with_is_measured() -> None:
    noise = measure_runs(_runs(3, 3000))
    assert noise.debates == 3000
    assert noise.icc == pytest.approx(_ICC, abs=0.04)
    assert noise.side == pytest.approx(_SIDE, abs=15)
    assert noise.tie == pytest.approx(0.3, abs=0.04)


def test_strengths_are_not_taken_for_likeness() -> None:
    """Raw outcomes of a debate are alike already because of who meets whom."""
    runs = _runs(3, 3000)
    assert intraclass(runs.outcome - 0.5, runs.cluster) > _ICC + 0.1


def test_single_runs_tell_nothing_of_likeness() -> None:
    noise = measure_runs(_runs(1, 60))
    assert math.isnan(noise.icc) and noise.debates == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-1, 1).filter(bool)), min_size=2))
def test_the_correlation_is_that_of_its_slow_twin(rows: list[tuple[int, float]]) -> None:
    groups, values = zip(*rows, strict=True)
    fast = intraclass(values, groups)
    slow = _slow_intraclass(values, groups)
    assert fast == pytest.approx(slow, nan_ok=True)


def _slow_intraclass(values: tuple[float, ...], groups: tuple[int, ...]) -> float:
    """Average over debates, pair by pair: each debate counts by its runs less one."""
    products = squares = 0.0
    for group in set(groups):
        own = [value for value, label in zip(values, groups, strict=True) if label == group]
        pairs = list(combinations(own, 2))
        if not pairs:
            continue
        products += (len(own) - 1) * sum(x * y for x, y in pairs) / len(pairs)
        squares += (len(own) - 1) * sum(x * x for x in own) / len(own)
    return products / squares if squares else math.nan


@given(
    st.floats(0.01, 0.99),
    st.floats(0, 100),
    st.floats(0.001, 10),
)
def test_no_other_number_of_runs_is_cheaper(icc: float, debate: float, run: float) -> None:
    costs = [relative_cost(runs, icc, debate, run) for runs in range(1, MOST_RUNS + 1)]
    assert costs[cheapest_runs(icc, debate, run) - 1] == pytest.approx(min(costs))


def _spent_for_precision(runs: int, debate_usd: float, run_usd: float) -> float:
    """Play debates of two and return their cost times the variance of the mean verdict."""
    field, rng = _field(runs, icc=0.25), np.random.default_rng(9)
    means: NDArray[np.float64] = np.array([field.judge(1, 2, rng).mean() for _ in range(6000)])
    return float((debate_usd + runs * run_usd) * means.var())


@pytest.mark.slow
def test_the_formula_is_what_played_debates_show() -> None:
    debate_usd, run_usd = 1.0, 0.1
    best = cheapest_runs(0.25, debate_usd, run_usd)
    costs = {runs: _spent_for_precision(runs, debate_usd, run_usd) for runs in (1, 2, best, 16)}
    assert best == 5
    assert min(costs, key=costs.__getitem__) == best
    for runs, cost in costs.items():
        expected = relative_cost(runs, 0.25, debate_usd, run_usd)
        expected /= relative_cost(best, 0.25, debate_usd, run_usd)
        assert cost / costs[best] == pytest.approx(expected, rel=0.08), runs


def test_runs_that_do_not_resemble_each_other_are_never_enough() -> None:
    assert cheapest_runs(-0.1, 1, 1) == MOST_RUNS
    assert cheapest_runs(1, 100, 0.01) == 1


def test_costs_that_make_no_sense_are_refused() -> None:
    for debate, run in ((1.0, 0.0), (-1.0, 1.0), (math.nan, 1.0)):
        with pytest.raises(InvalidSetting, match="accepted"):
            cheapest_runs(0.2, debate, run)


def test_errors_are_taken_off_the_spread() -> None:
    rating = np.array([900.0, 1000.0, 1100.0])
    assert spread_of(rating, np.full(3, 60.0)) == pytest.approx(80)
    assert spread_of(rating, np.full(3, 200.0)) == 0.0
    assert spread_of(rating[:1], np.zeros(1)) == 0.0

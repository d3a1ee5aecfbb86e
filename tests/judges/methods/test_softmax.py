"""Aggregates of advocates' scores: worked by hand, their limits, and the order between them."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.methods.more import (
    log_sum_exp_total,
    normalise,
    softmax_weights,
    weighted_total,
)

TOTALS = st.lists(st.floats(6, 120), min_size=1, max_size=9)


def test_the_weights_are_those_of_a_hand() -> None:
    # scores 0.5 and 0.6 of 0 to 1, tau 0.1: exp(5) to exp(6)
    totals = [63.0, 74.4]
    assert normalise(totals).tolist() == pytest.approx([0.5, 0.6])
    heavier = exp(6) / (exp(5) + exp(6))
    assert softmax_weights(totals, 0.1).tolist() == pytest.approx([1 - heavier, heavier])
    assert weighted_total(totals, 0.1) == pytest.approx(63 + 11.4 * heavier)
    assert log_sum_exp_total(totals, 0.1) == pytest.approx(6 + 114 * 0.1 * log(exp(5) + exp(6)))


@given(TOTALS, st.floats(0.01, 10))
def test_the_mean_the_weighted_mean_the_highest_and_the_log_sum_exp_stand_in_this_order(
    totals: list[float], tau: float
) -> None:
    slack = 1e-7
    weighted = weighted_total(totals, tau)
    assert sum(totals) / len(totals) <= weighted + slack
    assert weighted <= max(totals) + slack
    assert max(totals) <= log_sum_exp_total(totals, tau) + slack
    assert log_sum_exp_total(totals, tau) <= max(totals) + 114 * tau * log(len(totals)) + slack


@given(TOTALS)
def test_the_limits_are_the_highest_and_the_mean(totals: list[float]) -> None:
    close = pytest.approx
    highest, mean = max(totals), sum(totals) / len(totals)
    assert log_sum_exp_total(totals, 1e-6) == close(highest, abs=1e-3)
    assert weighted_total(totals, 1e6) == close(mean, abs=1e-3)
    distinct = sorted({round(total) for total in totals})
    assert weighted_total([float(total) for total in distinct], 1e-4) == close(distinct[-1])

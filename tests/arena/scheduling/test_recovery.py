"""Courses: what was spent, what it bought, and what the board says at the end."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.scheduling.objective import Objective
from arena.scheduling.recovery import RecoveryCurve, kendall_tau, measure_recovery
from arena.scheduling.simulation import SCHEDULES, FieldPlan

PLAN = FieldPlan(participants=4, prices=4)
USD = np.array([10.0, 20.0, 30.0])


def course(name: str, **changes: object) -> RecoveryCurve:
    def make(names: object, seed: int) -> object:
        return SCHEDULES[name](names, seed, Objective())  # type: ignore[arg-type]

    return measure_recovery(PLAN, make, seeds=range(2), usd=USD, **changes)  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_schedule_spends_what_it_may_and_learns() -> None:
    for name in SCHEDULES:
        played = course(name)
        assert played.tau.shape == (2, 3)
        assert list(played.matchups) == sorted(played.matchups)
        cheapest = 2 * (2 * 0.5 + 0.3)
        assert (0 < played.matchups[-1]) & (played.matchups <= USD / cheapest).all()
        assert np.abs(played.tau).max() <= 1
        assert ((played.settled >= 0) & (played.settled <= 1)).all()


def test_the_same_seeds_give_the_same_course() -> None:
    first, second = course("adaptive"), course("adaptive")
    assert np.array_equal(first.tau, second.tau)
    assert np.array_equal(first.matchups, second.matchups)


def test_enough_ends_a_course_early() -> None:
    assert len(course("random", enough=-2.0).usd) == 1


def test_dollars_are_interpolated() -> None:
    tau = np.array([[0.2, 0.6], [0.4, 0.8]])
    none = np.zeros(2)
    played = RecoveryCurve(
        usd=np.array([10.0, 20.0]), tau=tau, matchups=np.array([2.0, 4.0]), settled=none, false=none
    )
    assert played.dollars(0.5) == pytest.approx(15)
    assert played.dollars(0.15) == pytest.approx(5)
    assert played.dollars(0.6, np.array([1])) == pytest.approx(15)
    assert math.isnan(played.dollars(0.9))
    assert played.matchups_until(15) == pytest.approx(3)


def test_tau_counts_pairs_in_the_right_order() -> None:
    rising = np.arange(5.0)
    assert kendall_tau(rising, rising) == 1
    assert kendall_tau(rising, -rising) == -1
    assert kendall_tau(rising, np.array([1.0, 0, 2, 3, 4])) == pytest.approx(0.8)
    assert kendall_tau(rising, np.ones(5)) == 0

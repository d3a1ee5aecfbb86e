"""Simulated fields: who is in them, and how debates end."""

from __future__ import annotations

import numpy as np
import pytest

from arena.errors import ConfigError
from arena.scheduling.simulation import FieldPlan, Judging, draw_field

DRAWN = draw_field(FieldPlan(participants=6, prices=20), np.random.default_rng(1))


def ballots(strengths: tuple[float, ...], judging: Judging, debates: int = 2000) -> np.ndarray:
    """Ballots of debates of the first against the second, (debates, runs)."""
    plan = FieldPlan(participants=2, strengths=strengths, judging=judging)
    field = draw_field(plan, np.random.default_rng(0))
    first, second = np.argsort(-field.strength).tolist()
    rng = np.random.default_rng(2)
    return np.array([field.judge(first, second, rng) for _ in range(debates)])


def test_prices_are_spread_evenly_around_one() -> None:
    usd = sorted(DRAWN.usd.values())
    assert usd[-1] / usd[0] == pytest.approx(20)
    assert np.log(usd).mean() == pytest.approx(0)
    assert np.diff(np.log(usd)).std() == pytest.approx(0)
    assert DRAWN.price(("p1", "p2")) == 2 * (DRAWN.usd["p1"] + DRAWN.usd["p2"] + 3 * 0.1)


def test_strengths_are_centred_and_belong_to_the_seed() -> None:
    again = draw_field(FieldPlan(participants=6, prices=20), np.random.default_rng(1))
    assert DRAWN.strength.mean() == pytest.approx(0)
    assert np.array_equal(DRAWN.strength, again.strength)
    assert DRAWN.names == tuple(sorted(DRAWN.names))
    assert not DRAWN.cycles.any()


def test_ballots_follow_davidson_with_the_correlation_that_was_asked_for() -> None:
    rows = ballots((0.5, -0.5), Judging(side=0.0, tie=0.3))
    top = np.exp(0.5) + 0.3 + np.exp(-0.5)
    assert (rows == 1).mean() == pytest.approx(np.exp(0.5) / top, abs=0.03)
    assert (rows == 0.5).mean() == pytest.approx(0.3 / top, abs=0.03)
    correlation = np.corrcoef(rows[:, 0], rows[:, 1])[0, 1]
    assert correlation == pytest.approx(0.21, abs=0.07)
    alike = ballots((0.5, -0.5), Judging(icc=1.0), 200)
    assert (alike == alike[:, :1]).all()


def test_sides_noise_and_ties_do_what_they_say() -> None:
    even = (0.0, 0.0)
    assert ballots(even, Judging(side=80.0, tie=0.0)).mean() == pytest.approx(0.613, abs=0.03)
    assert set(np.unique(ballots(even, Judging(tie=0.0), 200))) == {0.0, 1.0}
    clear = ballots((1.5, -1.5), Judging(side=0.0)).mean()
    assert ballots((1.5, -1.5), Judging(side=0.0, noise=2.0)).mean() < clear - 0.1


def test_cycles_let_the_weaker_win_against_some() -> None:
    plan = FieldPlan(participants=30, cycles=1.0)
    field = draw_field(plan, np.random.default_rng(1))
    assert np.array_equal(field.cycles, -field.cycles.T)
    gap = field.strength[:, None] - field.strength[None, :]
    assert ((gap > 0) & (gap + field.cycles < 0)).any()


def test_what_makes_no_sense_is_refused() -> None:
    for fields, words in (
        ({"participants": 1}, "a field of 1"),
        ({"prices": 0.5}, "1 : 0.5"),
        ({"participants": 3, "strengths": (1.0, 2.0)}, "2 strengths for 3"),
    ):
        with pytest.raises(ConfigError, match=words):
            FieldPlan(**fields)

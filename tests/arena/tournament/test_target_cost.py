"""Simulated fields that are like a stored tournament."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arena.commands.simulate import merge_plans
from arena.scheduling.simulation import FieldPlan, Judging, draw_field
from arena.tournament.target_cost import measure_field
from tests.support.tournaments import changed, commit, content, judged, meeting, planned, played


def test_a_simulated_tournament_is_measured_back(tmp_path: Path) -> None:
    """Three runs on each of 480 debates, drawn with a known side, tie and correlation."""
    config = changed(content(*"abcd", runs=3), ["schedule", "matchups_per_pair"], 40)
    store, plan = planned(tmp_path / "own.duckdb", config)
    judging = Judging(icc=0.4, side=120.0, tie=0.2)
    drawn = FieldPlan(participants=4, strengths=(0.9, 0.3, -0.3, -0.9), judging=judging)
    field = draw_field(drawn, np.random.default_rng(1))
    place = {p.participant_id: at for at, p in enumerate(plan.resolved.participants)}
    rng = np.random.default_rng(3)
    ballots = [
        judged(debate, float(outcome), run=run)
        for debate in plan.debates
        for run, outcome in enumerate(field.judge(place[debate.pro], place[debate.con], rng))
    ]
    commit(store, *map(played, plan.debates), *ballots)
    similar = measure_field(store, plan.resolved, price=lambda _: (0.0, 0.0))
    measured = similar.plan.judging
    assert (similar.debates, measured.runs, similar.assumed) == (480, 3, ("prices",))
    assert measured.icc == pytest.approx(0.4, abs=0.1)
    assert measured.side == pytest.approx(120, abs=35)
    assert measured.tie == pytest.approx(0.2, abs=0.07)
    assert similar.plan.spread == pytest.approx(0.77, abs=0.3)


def test_prices_are_the_participants_own_and_nobody_is_free(tmp_path: Path) -> None:
    config = changed(content("ann", "bob"), ["participants", 1, "model"], "offline/strong")
    store, plan = planned(tmp_path / "own.duckdb", config)
    commit(store, *map(played, plan.debates), judged(meeting(plan, "ann", "bob"), 1.0))
    prices = {"offline/fair": (0.0, 0.0), "offline/strong": (0.001, 0.002)}
    similar = measure_field(store, plan.resolved, price=prices.__getitem__)
    low, high = sorted(similar.plan.usd)
    assert low == pytest.approx(0.01 * high / 2)
    assert "prices" not in similar.assumed and "ICC" in similar.assumed
    field = draw_field(similar.plan, np.random.default_rng(0))
    assert sorted(field.usd.values()) == [low, high]


def test_what_is_stated_comes_before_what_is_measured() -> None:
    measured = FieldPlan(participants=2, usd=(1.0, 3.0), judging=Judging(runs=5, icc=0.5))
    stated = FieldPlan(participants=3, spread=2.0, judging=Judging(runs=1, side=7.0))
    merged = merge_plans(measured, stated, stated_by={"side", "participants"})
    assert (merged.judging.runs, merged.judging.icc, merged.judging.side) == (5, 0.5, 7.0)
    assert (merged.participants, merged.usd, merged.prices) == (3, (), 3.0)
    assert merged.spread == measured.spread
    assert merge_plans(measured, stated, stated_by={"prices"}).usd == ()

"""What the runs of a bench cost and tell, from a stored tournament."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.boards.judge_effort import (
    JudgeEffort,
    format_advice,
    format_effort,
    measure_effort,
    measure_noise,
)
from arena.boards.selection import Selection
from arena.records import BallotStatus
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.tournaments import changed, commit, content, judged, planned, played

_RUNS = 3
_EFFORT = JudgeEffort(bench="bench", runs=3, icc=0.21, debates=140, debate_usd=2.0, run_usd=0.1)


def _judged(path: Path, *, runs: int, matchups: int) -> tuple[Store, TournamentPlan]:
    """Debates of equals; all runs but the first copy the first, or say the opposite, by chance."""
    config = changed(content(runs=runs), ["schedule", "matchups_per_pair"], matchups)
    store, plan = planned(path, config)
    rng = np.random.default_rng(4)
    records = []
    for debate in plan.debates:
        drawn = rng.integers(0, 2, size=runs)
        drawn[1:] = np.where(rng.random(runs - 1) < 0.5, drawn[0], drawn[1:])
        records += [judged(debate, float(drawn[run]), run=run) for run in range(runs)]
    costs = (("offline/fair", 2.0),)
    commit(store, *(played(debate, costs=costs) for debate in plan.debates), *records)
    return store, plan


def _measured(store: Store, plan: TournamentPlan) -> JudgeEffort:
    selection = Selection(tournament=plan.resolved.name, bench="all")
    (effort,) = measure_effort(store, plan.resolved, selection)
    return effort


def test_costs_and_likeness_come_from_what_is_stored(tmp_path: Path) -> None:
    effort = _measured(*_judged(tmp_path / "own.duckdb", runs=_RUNS, matchups=20))
    assert (effort.bench, effort.runs, effort.debates) == ("bench", _RUNS, 120)
    assert (effort.debate_usd, effort.run_usd) == (2.0, 0.25)
    assert 0.2 < effort.icc < 0.6
    ideal = math.sqrt(2.0 / 0.25 * (1 - effort.icc) / effort.icc)
    assert effort.cheapest is not None and abs(effort.cheapest - ideal) < 1
    assert effort.excess >= 0


def test_failed_runs_are_paid_for_but_tell_nothing(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", content(runs=2))
    statuses: tuple[BallotStatus, BallotStatus] = ("failed", "valid")
    ballots = [
        judged(debate, run=run, status=status)
        for debate in plan.debates
        for run, status in enumerate(statuses)
    ]
    commit(store, *map(played, plan.debates), *ballots)
    effort = _measured(store, plan)
    assert (effort.debates, effort.run_usd) == (0, 0.5)
    assert effort.cheapest is None and math.isnan(effort.icc)


def test_nothing_is_measured_before_anything_is_judged(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    selection = Selection(tournament=plan.resolved.name, bench="bench")
    assert measure_noise(store, plan.resolved, selection) is None
    assert "`runs = 2`" in format_effort(_measured(store, plan))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, "9 runs per debate would be cheapest; with 3, the same precision of mean verdicts "
             "costs 26 % more."),
        ({"runs": 8}, "8 runs per debate are about the cheapest."),
        ({"icc": -0.01}, "20 runs or more per debate would be cheapest"),
        ({"run_usd": 0.0}, "a run costs nothing"),
        ({"runs": 1, "debates": 0, "icc": math.nan}, "has one run per debate; two on 20 debates"),
        ({"debates": 19}, "before 20 debates have two runs; 19 have so far."),
    ],
)  # fmt: skip
def test_advice_is_a_sentence_and_only_where_it_is_measured(
    change: dict[str, float], sentence: str
) -> None:
    text = format_effort(replace(_EFFORT, **change))  # type: ignore[arg-type]
    assert text.startswith("Bench bench: ") and sentence in text


def test_a_plan_advises_only_what_history_gives_a_reason_for() -> None:
    line = format_advice(_EFFORT, by_ballot=False)
    assert line.startswith('for the next file: `runs = 9` and `count = "ballots"` for bench bench')
    assert "with 3 runs, the same precision of mean verdicts costs 26 % more" in line
    assert 'count = "ballots"' not in format_advice(_EFFORT, by_ballot=True)
    fewer = format_advice(replace(_EFFORT, runs=20), by_ballot=False)
    assert "`runs = 9` for bench bench" in fewer, "fewer runs pay under any rating"
    changes: list[dict[str, float]] = [{"runs": 8}, {"run_usd": 0.0}, {"debates": 19}]
    for change in changes:
        silent = replace(_EFFORT, **change)  # type: ignore[arg-type]
        assert format_advice(silent, by_ballot=True) == "", change

"""The agreement of ballots that a board shows, beside a count of all pairs of ballots."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from arena.boards.board import board
from arena.boards.selection import Selection
from arena.report.leaderboard import board_json, board_notes
from tests.support.tournaments import changed, commit, content, judged, planned, played

_OVERALL = Selection(tournament="small", bench="bench")


@pytest.mark.parametrize(("runs", "pairs"), [(3, 4), (3, 3), (1, 4)])
def test_a_board_says_how_far_its_judges_see_the_same_twice(
    tmp_path: Path, runs: int, pairs: int
) -> None:
    config = changed(content(runs=runs), ["schedule", "matchups_per_pair"], pairs)
    store, plan = planned(tmp_path / "own.duckdb", config)
    rng, same, ballots = np.random.default_rng(1), [], []
    for debate in plan.debates:
        outcomes = rng.choice([0.0, 0.5, 1.0], size=runs).tolist()
        same.append(np.mean([one == other for one, other in combinations(outcomes, 2)] or [0]))
        ballots += [judged(debate, outcome, run=run) for run, outcome in enumerate(outcomes)]
    commit(store, *map(played, plan.debates), *ballots)
    made = board(store, plan.resolved, _OVERALL, resample=False)
    notes = [line for line in board_notes(made, store.path) if "ratings are of what" in line]
    if runs == 1 or len(plan.debates) < 20:  # nothing tells
        assert (made.agreement, notes) == (None, [])
        assert json.loads(board_json(made))["agreement"] is None
        return
    assert made.agreement is not None
    assert made.agreement.share == pytest.approx(np.mean(same))
    assert json.loads(board_json(made))["agreement"]["debates"] == len(plan.debates) == 24
    assert notes[0].endswith(f"agree in {100 * np.mean(same):.0f} % of cases (24 debates).")

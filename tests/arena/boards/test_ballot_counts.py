"""Benches whose ballots count one by one, from the file to the board."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.boards.board import board
from arena.boards.comparisons import compare
from arena.boards.keep import keep_board
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.errors import ConfigError
from arena.people.sessions import voting_session
from arena.people.voting import SubmittedVote, cast_votes
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from ratings import fit, paper_weight
from tests.support.tournaments import changed, commit, content, planned, played, resolved_of

WIN, TIE, LOSS = 1.0, 0.5, 0.0
#: Three votes on each of six debates, and Pro's share of their points.
CASES = (
    ((WIN, TIE, TIE), 2 / 3),
    ((WIN, WIN, LOSS), 2 / 3),
    ((WIN, TIE, LOSS), 1 / 2),
    ((LOSS, TIE, TIE), 1 / 3),
    ((LOSS, LOSS, LOSS), 0.0),
    ((WIN, WIN, WIN), 1.0),
)
SELECTION = Selection(tournament="small", bench="people")


def config(**bench: object) -> dict[str, Any]:
    """Six debates of two participants, and a bench of three people."""
    made = changed(content("ann", "bob"), ["schedule", "matchups_per_pair"], 3)
    return {**made, "benches": [{"name": "people", "judge": "human", "runs": 3, **bench}]}


def voted(folder: Path, **bench: object) -> tuple[Store, TournamentPlan]:
    store, plan = planned(folder / "own.duckdb", config(**bench))
    commit(store, *map(played, plan.debates))
    votes = [
        SubmittedVote(
            debate_id=debate.debate_id, voter=f"voter {number}", outcomes={"overall": outcome}
        )
        for debate, case in zip(plan.debates, CASES, strict=True)
        for number, outcome in enumerate(case[0])
    ]
    cast_votes(voting_session(store, plan.resolved), votes)
    return store, plan


def test_a_board_counts_the_ballots_of_its_bench(tmp_path: Path) -> None:
    store, plan = voted(tmp_path, count="ballots", options={"dimensions": []})
    compared = compare(store, SELECTION, scope(plan.resolved))
    share = {debate.debate_id: case[1] for debate, case in zip(plan.debates, CASES, strict=True)}
    expected = [share[debate_id] for debate_id in compared.rows["debate_id"]]
    assert compared.comparisons.outcome.tolist() == pytest.approx(expected)
    assert 1 <= compared.comparisons.weight[0] <= 3
    shown = board(store, plan.resolved, SELECTION)
    assert {row.rating for row in shown.rows} == set(fit(compared.comparisons).rating.tolist())
    assert shown.comparisons == len(CASES)
    assert any(note.startswith("ballots count one by one") for note in shown.notes)
    kept = keep_board(store, plan.resolved, SELECTION)
    assert kept is not None
    assert kept.settings["by_ballot"] == ["people"]


def test_without_the_key_the_sum_of_the_ballots_decides(tmp_path: Path) -> None:
    store, plan = voted(tmp_path, options={"dimensions": []})
    compared = compare(store, SELECTION, scope(plan.resolved)).comparisons
    assert set(compared.outcome.tolist()) == {WIN, TIE, LOSS}
    assert set(compared.weight.tolist()) <= set(paper_weight([0, 1, 3]).tolist())
    kept = keep_board(store, plan.resolved, SELECTION)
    assert kept is not None
    assert "by_ballot" not in kept.settings
    assert "count" not in kept.config["benches"][0]


def test_the_key_changes_no_identity() -> None:
    one, other = (resolved_of(config(**bench)).benches[0] for bench in ({}, {"count": "ballots"}))
    assert one.specification == other.specification
    assert (one.count, other.count) == ("debates", "ballots")


def test_a_majority_and_single_ballots_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match="count: ballots cannot count one by one"):
        resolved_of(config(count="ballots", options={"rule": "majority"}))


def test_listing_and_showing_debates_loads_no_scipy() -> None:
    code = "import sys; from arena.commands import list_, show; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

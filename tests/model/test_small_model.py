"""Every debater and judge on a real small model: nothing is lost to form, and no code fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.config.resolved import ResolvedConfig
from benchmarks.debaters import debaters
from benchmarks.models import (
    ALL_STAGES,
    Outcome,
    judges,
    make_speech,
    take_one_ballot,
)
from tests.support.console_script import arena, ask

Note = Callable[[Outcome], Outcome]

#: Options with which judges of many calls make few of them: one of each kind.
_SHORT: dict[str, dict[str, object]] = {
    "debatrix": {"mode": "single_pass"},
    "more": {"advocates": 1},
    "samre": {"jurors": 0},
}


def check(outcome: Outcome) -> None:
    """Fail where form cost a speech or a ballot, or code failed; meaning is only counted."""
    assert outcome.answers > 0
    assert outcome.status in ("finished", "forfeit", "valid", "failed"), outcome.reason
    assert not outcome.lost_to_form, outcome.reason
    counted = outcome.as_sent + outcome.bent + outcome.repaired + outcome.given_up
    assert counted == outcome.answers <= outcome.calls


@pytest.mark.deep
@pytest.mark.usefixtures("small_model")
def test_the_shipped_tournament_is_played_to_its_end(tmp_path: Path) -> None:
    db = tmp_path / "tiny.duckdb"
    code, printed = arena("run", "tiny", "--yes", "--db", db)
    assert code == 0, printed
    debates = ask(db, "SELECT status, reason FROM debates")
    ballots = ask(db, "SELECT status, reason FROM ballots")
    finished = sum(status == "finished" for status, _ in debates)
    assert len(debates) == 2 and len(ballots) == 2 * finished, printed
    assert {status for status, _ in debates} <= {"finished", "forfeit"}, debates
    assert {status for status, _ in ballots} <= {"valid", "failed"}, ballots
    assert all(reason for status, reason in debates if status == "forfeit")
    paths = [str(path) for (path,) in ask(db, "SELECT path FROM calls")]
    steps = {path.split("/")[2] for path in paths if path.count("/") > 1}
    assert {"analyzer", "writer"} <= steps, steps  # the agents worked together
    code, board = arena("leaderboard", "tiny", "--db", db)
    assert code == 0 and "agents" in board and "direct" in board, board


@pytest.mark.model
@pytest.mark.parametrize("name", debaters())
def test_a_constructive(name: str, small_model: ResolvedConfig, noted: Note) -> None:
    outcome = noted(make_speech(name, small_model))
    check(outcome)


@pytest.mark.model
@pytest.mark.parametrize("name", judges())
def test_a_ballot(name: str, small_model: ResolvedConfig, noted: Note) -> None:
    check(noted(take_one_ballot(name, small_model, **_SHORT.get(name, {}))))


@pytest.mark.deep
@pytest.mark.parametrize("name", _SHORT)
def test_a_ballot_of_all_calls(name: str, small_model: ResolvedConfig, noted: Note) -> None:
    check(noted(take_one_ballot(name, small_model)))


@pytest.mark.deep
@pytest.mark.parametrize("name", debaters())
def test_all_speeches_of_both_sides(name: str, small_model: ResolvedConfig, noted: Note) -> None:
    check(noted(make_speech(name, small_model, ALL_STAGES)))

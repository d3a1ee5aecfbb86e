"""A judge that cannot be understood on one debate: seen everywhere, and the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import UnparseableReply
from arena.judge import Hearing, Judgement
from arena.store.database import Store
from judges.methods.single import Single
from tests.support.command_line import arena, done
from tests.support.played_tournaments import copied, played_once

pytestmark = pytest.mark.usefixtures("no_stored_boards")

_BALLOTS = "SELECT debate_id, status, reason FROM ballots WHERE bench = 'single' ORDER BY status"
_REJUDGE = ("rejudge", "--judge", "single", "--model", "offline/good", "--runs", "1", "--yes")


def _mumble(database: Path) -> None:
    """Judge again by a `single` that cannot be understood on one debate."""
    judge = Single.judge
    heard: list[str] = []

    async def mumble(self: Single, hearing: Hearing) -> Judgement:
        heard.append(hearing.motion)
        if len(heard) == 1:
            raise UnparseableReply("no JSON in 'Pro won, I think.'")
        return await judge(self, hearing)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Single, "judge", mumble)
        result = arena(*_REJUDGE, "--db", database)
    assert result.exit_code == 1, result.output
    assert "a ballot of single failed: UnparseableReply: no JSON in 'Pro won" in result.output
    assert "took 5 ballots" in result.output and "1 ballot failed" in result.output


@pytest.fixture(scope="session")
def mumbled(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A played tournament after such a judge, for reading only."""
    folder = played_once(
        tmp_path_factory, "mumbled", lambda folder: _mumble(copied(small_database, folder))
    )
    return folder / "own.duckdb"


def test_one_ballot_fails_with_its_reason_and_all_others_are_taken(mumbled: Path) -> None:
    failed, *valid = Store(mumbled).rows(_BALLOTS)
    assert failed["status"] == "failed" and "Pro won, I think" in failed["reason"]
    assert [one["status"] for one in valid] == ["valid"] * 5
    shown = done("show", failed["debate_id"], "--ballots", "--db", mumbled)
    assert "single, run 1: failed: UnparseableReply" in shown


def test_it_is_neither_a_tie_nor_a_loss(mumbled: Path) -> None:
    board = done("leaderboard", "--bench", "single", "--db", mumbled)
    assert "5 debates rated." in board
    assert "1 finished debate waits for ballots: arena resume" in board
    document = json.loads(done("judges", "--db", mumbled, "--format", "json"))
    (single,) = (one for one in document["upkeep"] if one["bench"] == "single")
    assert (single["debates"], single["ballots"], single["failed"]) == (5, 5, 1)
    assert single["failure_rate"] == pytest.approx(1 / 6)
    assert [(one["debates"]) for one in document["pairs"]] == [5]


def test_it_is_asked_again_and_nothing_else_is(mumbled: Path, tmp_path: Path) -> None:
    database = copied(mumbled, tmp_path)
    printed = done("resume", "--yes", "--db", database)
    assert "took 1 ballot" in printed
    assert {one["status"] for one in Store(database).rows(_BALLOTS)} == {"valid"}

"""What a selection passes over is counted and said."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.boards.board import board
from arena.boards.exclusions import Uncounted
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.store.database import Store
from tests.support.battle_logs import WHOLE, write_log
from tests.support.command_line import done
from tests.support.tournaments import changed, content, decide, planned


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Five battles with a time and three without one, two of these by eve."""
    timeless = [{**row, "timestamp": None} for row in WHOLE[:3]]
    file = write_log(tmp_path / "log.csv", [*WHOLE, *timeless])
    done("import", file, "--db", tmp_path / "own.duckdb")
    return tmp_path / "own.duckdb"


def passed_over(path: Path, **options: object) -> Uncounted:
    store = Store(path)
    resolved = stored_config(store, None)
    bench = resolved.benches[0].name
    selection = Selection(tournament=resolved.name, bench=bench, **options)  # type: ignore[arg-type]
    return board(store, resolved, selection).uncounted


def test_battles_without_a_time_are_counted_where_a_window_is_selected(log: Path) -> None:
    since, until = datetime(2025, 1, 2, tzinfo=UTC), datetime(2025, 1, 4, tzinfo=UTC)
    assert passed_over(log) == Uncounted()
    assert passed_over(log, category="math", language="zh") == Uncounted()
    assert passed_over(log, since=since).timeless == 3
    assert passed_over(log, until=until).timeless == 3
    assert passed_over(log, since=since, category="coding").timeless == 2
    assert passed_over(log, since=since, language="zh").timeless == 1
    assert passed_over(log, since=since, without=("eve",)).timeless == 1
    assert passed_over(log, since=since, until=until).said == (
        "3 battles without a time do not count: only those since 2025-01-02 and until 2025-01-04 "
        "do",
    )
    one = passed_over(log, since=since, language="zh").said
    assert one == ("1 battle without a time does not count: only those since 2025-01-02 do",)


def test_every_command_with_a_window_says_so(log: Path, tmp_path: Path) -> None:
    words = "3 battles without a time do not count: only those since 2025-01-02 do."
    for command in ("leaderboard", "matrix"):
        assert words in done(command, "--db", log, "--since", "2025-01-02")
        assert "without a time" not in done(command, "--db", log)
    never = done("leaderboard", "--db", log, "--since", "2030-01-01")
    assert "No finished debate fits" in never
    assert "3 battles without a time do not count: only those since 2030-01-01 do." in never
    printed = done("export", tmp_path / "out.csv", "--db", log, "--since", "2025-01-02")
    assert printed.splitlines()[1] == words
    window = ("leaderboard", "--db", log, "--until", "2025-02-01", "--format")
    document = json.loads(done(*window, "json"))
    assert (document["comparisons"], document["uncounted"]["timeless"]) == (5, 3)


@pytest.mark.slow
def test_debates_of_who_was_taken_out_are_counted_with_their_names(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    store, plan = planned(path)
    decide(store, plan, ann_bob="ann")
    assert passed_over(path) == Uncounted()
    planned(path, content("ann", "bob"))
    uncounted = passed_over(path)
    assert (uncounted.timeless, uncounted.gone, uncounted.names) == (0, 4, ("cyd",))
    words = "4 finished debates do not count: cyd is not in the tournament any more"
    assert uncounted.said == (words,)
    assert f"{words}." in done("leaderboard", "--db", path)
    assert f"{words}." in done("matrix", "--db", path)
    assert passed_over(path, since=datetime(2030, 1, 1, tzinfo=UTC)).gone == 0
    every = [passed_over(path, category=one).gone for one in ("fact", "policy", "value")]
    assert sum(every) == 4


def test_who_is_there_with_other_settings_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    store, plan = planned(path)
    decide(store, plan)
    planned(path, changed(content("ann", "bob"), ["participants", 0, "model"], "offline/weak"))
    uncounted = passed_over(path)
    assert (uncounted.gone, uncounted.names) == (6, ("ann", "cyd"))
    assert uncounted.said == (
        "6 finished debates do not count: ann (with other settings), cyd are not in the "
        "tournament any more",
    )

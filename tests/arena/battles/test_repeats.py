"""Rows that a log has twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.battles.importer import import_battles
from arena.errors import ConfigError
from arena.store.database import Store
from tests.support.battle_logs import PLAIN, WHOLE, Row, read_log, write_log
from tests.support.command_line import done


def test_rows_that_repeat_an_earlier_one_are_counted_and_dropped(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.csv", [*WHOLE, WHOLE[2], {**WHOLE[2], "judge": "other"}])
    staged, rows = read_log(path)
    assert (staged.repeats.count, len(rows)) == (1, 7)
    staged, rows = read_log(path, drop_repeats=True)
    assert (staged.repeats.count, len(rows), staged.rows) == (1, 6, 6)


@pytest.mark.parametrize(
    ("rows", "half"),
    [([*PLAIN, *PLAIN], 5), ([*PLAIN, *PLAIN[::-1]], 0), ([*PLAIN, *PLAIN[1:]], 0), (PLAIN[:4], 0)],
)
def test_a_log_that_says_everything_twice_is_noticed(
    tmp_path: Path, rows: list[Row], half: int
) -> None:
    staged, read = read_log(write_log(tmp_path / "a.csv", rows), drop_repeats=True)
    assert (staged.repeats.count, staged.repeats.half) == (0, half)
    assert len(read) == len(rows), "equal rows that say nothing of when or on what are battles"


def test_a_second_file_with_the_same_rows_is_counted_or_refused(tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    done("import", write_log(tmp_path / "log.csv", WHOLE), "--db", db)
    with pytest.raises(ConfigError, match="differs from row 1 on"):
        path = write_log(tmp_path / "other.csv", WHOLE[1:])
        import_battles(Store(db), path, tournament="log", seed=0)
    twice = write_log(tmp_path / "twice.csv", [*WHOLE, *WHOLE[:3]])
    printed = done("import", twice, "--db", db, "--name", "log").splitlines()
    assert [printed[0], printed[3]] == [
        "5 stored already, 3 battles added to 'log'; 3 participants.",
        "3 rows are equal to an earlier one in all columns of the file and counted again. If the "
        "file holds battles twice, use --drop-repeats.",
    ]
    dropped = done("import", twice, "--db", db, "--name", "once", "--drop-repeats")
    assert dropped.startswith("5 battles added") and " and did not count." in dropped


@pytest.mark.parametrize("column", ["turn", "Round", "FEN", "answer", "run", "timestamp"])
def test_rows_that_any_column_tells_apart_are_no_repeats(tmp_path: Path, column: str) -> None:
    """Half of the rows are the others once more, but for one column that is not used."""
    at = ("2025-01-01 10:00:00.5", "2025-01-01 10:00:01.5")
    rows = [
        {**row, column: at[n] if column == "timestamp" else n} for n in range(2) for row in WHOLE
    ]
    staged, read = read_log(write_log(tmp_path / "a.csv", rows), drop_repeats=True)
    assert (staged.repeats.count, staged.repeats.half, len(read)) == (0, 0, 10)
    staged, read = read_log(write_log(tmp_path / "b.csv", [*rows, rows[7]]), drop_repeats=True)
    assert (staged.repeats.count, len(read)) == (1, 10)


@pytest.mark.parametrize("at", ["2025-01-01", "2025-01-01T00:00:00+02:00", "2025-01-01 17:00"])
def test_a_day_is_no_time_that_tells_battles_apart(tmp_path: Path, at: str) -> None:
    rows = [{**row, "timestamp": at} for row in (*PLAIN[:3], *PLAIN[1:3])]
    staged, read = read_log(write_log(tmp_path / "a.csv", rows), drop_repeats=True)
    assert (staged.repeats.count, len(read)) == (0, 5)
    rows = [{**row, "timestamp": f"{at[:10]} 10:01:07"} for row in rows]
    staged, read = read_log(write_log(tmp_path / "a.csv", rows), drop_repeats=True)
    assert (staged.repeats.count, len(read)) == (2, 3)


def test_both_games_of_a_row_and_games_of_other_moves_are_kept(tmp_path: Path) -> None:
    row = {"model": "m", "baseline": "b", "games": [{"score": "A=B"}] * 4, "uid": "u"}
    staged, read = read_log(tmp_path / "a.jsonl", json.dumps(row), drop_repeats=True)
    assert (staged.repeats.count, len(read)) == (0, 4)
    tags = '[White "x"]\n[Black "y"]\n[Date "2024.05.13"]\n[UTCDate "2024.05.13"]\n'
    tags += '[UTCTime "10:11:12"]\n[Result "1-0"]\n\n'
    staged, read = read_log(
        tmp_path / "a.pgn", "".join(f"{tags}1. {move} 1-0\n\n" for move in ("e4", "d4", "e4"))
    )
    assert (staged.repeats.count, len(read)) == (1, 3)

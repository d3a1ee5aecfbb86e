"""Rows that a log has twice."""

from __future__ import annotations

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
        "3 rows are equal to an earlier one (participants, verdict, judge, time, motion and group) "
        "and counted again. If the file holds battles twice, use --drop-repeats.",
    ]
    dropped = done("import", twice, "--db", db, "--name", "once", "--drop-repeats")
    assert dropped.startswith("5 battles added") and " and did not count." in dropped

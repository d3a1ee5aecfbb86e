"""Names like formulas: exported to CSV they are text, and come back as they were."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.command_line import done, refused
from tests.logs import PLAIN, write_log

_NAMES = {"ann": "=1+1", "bob": "@sum(A1)", "cyd": "'-x"}


def _renamed() -> list[dict[str, str]]:
    return [
        {key: _NAMES.get(str(value), str(value)) for key, value in row.items()} for row in PLAIN
    ]


def test_an_exported_log_has_no_formulas_and_is_imported_as_it_was(tmp_path: Path) -> None:
    db, out = tmp_path / "a.duckdb", tmp_path / "out.csv"
    log = write_log(tmp_path / "log.jsonl", _renamed())
    done("import", log, "--db", db)
    done("export", out, "--db", db)
    with out.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["model_a"] for row in rows} == {"'=1+1", "'@sum(A1)", "''-x"}
    done("import", out, "--db", db, "--name", "again")
    first, again = (done("leaderboard", "--db", db, "-t", name) for name in ("log", "again"))
    assert first.splitlines()[1:6] == again.splitlines()[1:6] and "=1+1" in again


@pytest.mark.parametrize("weight", ["1e300", "1e-9", "0", "-1", "nan"])
def test_a_weight_out_of_bounds_is_refused(weight: str, tmp_path: Path) -> None:
    rows = [{**row, "weight": weight if not number else "1"} for number, row in enumerate(PLAIN)]
    log = write_log(tmp_path / "log.csv", rows)
    message = refused("import", log, "--db", tmp_path / "a.duckdb")
    assert "1 of 5 rows cannot be used" in message
    assert f"row 1, column weight: given '{weight}'; accepted: a number from 0.000001 to" in message

"""The status and the report of imported battles, which nobody played here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import done

_LOG = """\
model_a,model_b,winner
ann,bob,model_a
bob,cid,tie
cid,ann,model_b
"""


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    log = tmp_path / "log.csv"
    log.write_text(_LOG, "utf-8")
    done("import", log, "--db", tmp_path / "own.duckdb")
    return tmp_path / "own.duckdb"


def test_imported_battles_are_done(imported: Path) -> None:
    text = done("status", "--db", imported)  # the exit code is 0
    assert "all is done" in text
    assert "debates: 3 finished" in text and "ballots: 3 valid" in text


def test_a_report_on_imported_battles_has_a_board_and_nothing_to_read(imported: Path) -> None:
    page = imported.with_name("report.html")
    done("report", "--db", imported, "-o", page)
    text = page.read_text("utf-8")
    assert "Which of 3 participants is best? 3 battles were imported" in text
    assert "The battles were imported without their speeches." in text
    assert "ann" in text and "arena show" not in text

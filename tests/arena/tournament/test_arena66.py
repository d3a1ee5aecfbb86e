"""The paper's arena with simulated models: all motions, both languages, and its tables."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.debates.correction import clean_speech
from arena.debates.speech_phrases import is_refusal
from arena.languages import language
from tests.support.column_tables import blocks, in_columns
from tests.support.console_script import arena, ask

_TABLES = (Path(__file__).parents[3] / "docs/measurements/arena66.md").read_text("utf-8")
_MINUTES = 10


@pytest.mark.deep
def test_it_plays_in_minutes_and_its_tables_are_those_of_the_docs(tmp_path: Path) -> None:
    db = tmp_path / "arena66.duckdb"
    started = time.monotonic()
    code, printed = arena("run", "arena66", "--yes", "--db", db)
    assert code == 0, printed
    assert time.monotonic() - started < 60 * _MINUTES
    (played,) = ask(
        db,
        "SELECT count(*), count(DISTINCT motion_id), count(DISTINCT language) FROM debates "
        "WHERE status = 'finished'",
    )
    assert played == (450, 66, 2)
    assert ask(db, "SELECT count(DISTINCT participant_id) FROM participants") == [(10,)]
    _check_speeches(db)
    code, tables = arena("paper-tables", "--db", db, "--format", "markdown")
    assert code == 0, tables
    assert set(blocks(_TABLES)) <= set(blocks(in_columns(tables)))


def _check_speeches(db: Path) -> None:
    """Nothing is taken off a speech of a simulated model, and none is a refusal."""
    stored = ask(db, "SELECT text, language FROM speeches JOIN debates USING (debate_id)")
    assert len(stored) == 2700
    for text, code in stored:
        spoken = language(str(code))
        cleaned = clean_speech(str(text), spoken)
        assert (cleaned.text, cleaned.removed) == (text, ())
        assert not is_refusal(str(text), spoken), text

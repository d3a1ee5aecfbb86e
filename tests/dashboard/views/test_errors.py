"""The pages on debates and ballots that ended in an error of somebody's code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from arena.store.database import Store
from dashboard.settings import DATABASE
from tests.dashboard.views.drawing import draw, read_texts
from tests.support.tournaments import code_error, commit, content, judged, planned, played

_PROGRESS = (
    "from dashboard import boards, cached\n"
    "boards._show_progress(cached.progress('small'), cached.last_run('small'))"
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Of six debates, the first ended in an error, the second has a ballot that did."""
    made, plan = planned(tmp_path / "own.duckdb", content())
    first, second, *_ = plan.debates
    error = code_error(traceback="File own.py")
    erred = replace(played(first, "error"), errors=(error,), reason="pro, rebuttal: KeyError: 'x'")
    ballot = judged(second, status="error", asked=0)
    commit(made, erred, played(second), replace(ballot, error=error))
    monkeypatch.setenv(DATABASE, str(made.path))
    return made


def test_a_debate_in_error_says_why_and_where_its_traceback_is(store: Store) -> None:
    debate_id = store.rows("SELECT debate_id FROM debates WHERE status = 'error'")[0]["debate_id"]
    page = read_texts(draw("transcript", debate=debate_id))
    assert "Reason: pro, rebuttal: KeyError: 'x'" in page
    assert f"arena show {debate_id[:8]} --db {store.path}" in page
    assert "this debate ended in an error" in page


def test_a_ballot_in_error_is_no_failed_one(store: Store) -> None:
    debate_id = store.rows("SELECT debate_id FROM ballots")[0]["debate_id"]
    assert "Run 1 ended in an error of the judge's code: " in read_texts(
        draw("transcript", debate=debate_id)
    )


def test_progress_counts_errors_apart(store: Store) -> None:
    (bar,) = AppTest.from_string(_PROGRESS, default_timeout=60).run().get("progress")
    line = bar.proto.text
    assert "planned 4 · finished 1 · error 1 · ballots 0 of 6" in line
    assert "ballots in error 1" in line and "failed" not in line and "forfeit" not in line

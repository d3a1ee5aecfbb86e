from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from arena.store.database import Store
from dashboard import states
from dashboard.settings import DATABASE
from dashboard.warming import warm_up
from tests.dashboard.handmade import make, make_empty


def test_the_first_board_is_read_before_there_is_a_viewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make(tmp_path / "results.duckdb")
    monkeypatch.setenv(DATABASE, str(store.path))
    read = []
    stored = states.stored_selections

    def count(store: Store, tournament: str) -> pd.DataFrame:
        read.append(tournament)
        return stored(store, tournament)

    monkeypatch.setattr(states, "stored_selections", count)
    warm_up()
    warm_up()
    assert read == ["handmade"]


@pytest.mark.parametrize("exists", [True, False])
def test_where_there_is_no_board_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exists: bool
) -> None:
    path = tmp_path / "results.duckdb"
    if exists:
        make_empty(path)
    monkeypatch.setenv(DATABASE, str(path))
    warm_up()

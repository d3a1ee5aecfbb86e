"""The page of motions: one that is chosen has the row that it has among all, also as a file."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dashboard.settings import DATABASE
from tests.dashboard.views.drawing import draw
from tests.support.tournaments import commit, content, judged, planned, played


def test_a_motion_has_the_same_row_alone_as_among_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, plan = planned(tmp_path / "own.duckdb", content())
    commit(store, *(record for one in plan.debates for record in (played(one), judged(one))))
    monkeypatch.setenv(DATABASE, str(store.path))
    shown: list[tuple[pd.DataFrame, pd.DataFrame]] = []

    def show(frame: pd.DataFrame, *_: object, files: Any, **_names: object) -> None:  # noqa: ANN401
        (csv,) = (make() for name, make in files.values() if name.endswith(".csv"))
        shown.append((frame, pd.read_csv(StringIO(csv))))

    monkeypatch.setattr("dashboard.views.motions.show_table", show)
    draw("motions")
    motions = shown[0][0]["motion_id"]
    assert len(motions) > 1
    draw("motions", **{"motion-id": motions.iloc[-1]})
    for every, alone in zip(*shown, strict=True):
        row = every.tail(1).reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, row, check_dtype=False)

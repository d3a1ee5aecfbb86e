"""Colours of cells."""

from __future__ import annotations

import numpy as np

from arena.boards.matrix import Matrix
from arena.report.overview.figures import heat_rows


def test_cells_are_blue_above_one_half_and_vermilion_below() -> None:
    value = np.array([[np.nan, 0.75], [0.25, np.nan]])
    count = np.array([[0, 4], [4, 0]])
    rows = heat_rows(Matrix(kind="observed", names=("ann", "bob"), value=value, count=count))
    ((_, (nobody, high)), (_, (low, _))) = rows
    assert (nobody.text, nobody.tone) == ("", "none")
    assert (high.text, high.tone, high.strength) == ("75", "high", 50.0)
    assert (low.text, low.tone, low.strength) == ("25", "low", 50.0)
    assert high.words == "ann against bob: 75.0 %, 4 debates"

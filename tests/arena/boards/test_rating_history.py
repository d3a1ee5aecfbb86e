"""The ratings over a tournament's debates: they end where the board of all of them is."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.boards.board import board
from arena.boards.rating_history import rating_history
from arena.boards.selection import select
from arena.config.stored import stored_config
from arena.output.line_charts import draw_amounts, draw_rating_history
from arena.store.database import Store


def test_a_course_grows_and_ends_at_the_board(small_database: Path) -> None:
    store = Store(small_database)
    resolved = stored_config(store, None)
    course = rating_history(store, resolved, select(resolved), points=3)
    standings = board(store, resolved, select(resolved))
    sizes = sorted(set(course["debates"]))
    assert len(sizes) == 3 and sizes[-1] == standings.comparisons
    last = course[course["debates"] == sizes[-1]].set_index("participant")["rating"]
    expected = {row.participant: row.rating for row in standings.rows}
    assert last.to_dict() == pytest.approx(expected)
    assert len(course[course["debates"] == sizes[0]]) <= len(last)
    figure = draw_rating_history(course)
    assert [line.name for line in figure.data] == list(last.sort_values(ascending=False).index)
    assert figure.data[0].y[-1] == pytest.approx(last.max())


def test_amounts_that_are_reserved_are_apart() -> None:
    import pandas as pd

    rows = pd.DataFrame({"name": ["<b>a", "b"], "usd": [2.0, 1.0], "reserved_usd": [0.0, 0.5]})
    measured, reserved = draw_amounts(rows).data
    assert list(measured.x) == [2.0, 1.0] and list(reserved.x) == [0.0, 0.5]
    assert draw_amounts(rows).layout.yaxis.ticktext == ("&lt;b&gt;a", "b")
    assert len(draw_amounts(rows.assign(reserved_usd=0.0)).data) == 1

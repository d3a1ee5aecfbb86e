"""What the calls of units took, against the rows of a small played tournament."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.read.calls import read_unit_costs
from arena.store.database import Store
from tests.dashboard.handmade import execute


def test_the_calls_of_each_unit_are_added_up(own_database: Path) -> None:
    store = Store(own_database)
    execute(store, "UPDATE calls SET reserved_usd = 0.5 WHERE attempt = 1")
    rows = store.rows(
        "SELECT unit, input_tokens + output_tokens AS tokens, reserved_usd FROM calls"
    )
    unit = rows[0]["unit"]
    own = [row for row in rows if row["unit"] == unit]
    costs = read_unit_costs(store, [unit, "nothing"])
    assert list(costs) == [unit]
    assert costs[unit].tokens == sum(row["tokens"] for row in own)
    assert costs[unit].reserved_usd == pytest.approx(sum(row["reserved_usd"] for row in own))
    assert read_unit_costs(store, []) == {}

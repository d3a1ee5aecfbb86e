"""The growth of a number over the last minute."""

from __future__ import annotations

import pytest

from arena.console.pace import Pace


def test_it_is_counted_from_the_start_until_the_window_is_full() -> None:
    pace = Pace(60, now=100.0)
    assert pace.per_second == 0.0
    pace.add(30, now=110.0)
    assert pace.per_second == 3.0


def test_what_is_older_than_the_window_does_not_count() -> None:
    pace = Pace(60, now=0.0)
    for second in range(1, 301):
        pace.add(min(10 * second, 2400), now=float(second))
    assert pace.per_second == 0.0, "nothing was added since second 240"
    for second in range(301, 331):
        pace.add(2400 + (second - 300), now=float(second))
    assert pace.per_second == pytest.approx(0.5)


def test_a_number_that_falls_has_not_grown() -> None:
    pace = Pace(60, now=0.0)
    pace.add(10, now=1.0)
    pace.add(0, now=2.0)
    pace.add(-5, now=3.0)
    assert pace.per_second == 0.0

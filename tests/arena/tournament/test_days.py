"""When the days of caps begin, what was spent by then, and what a clock that is set does to it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.llm.purse import Cost
from arena.tournament import days
from arena.tournament.days import Days, days_file
from tests.every import for_every


class _Clock:
    """A wall clock that only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = utc("2026-11-20 11:00")
        monkeypatch.setattr(days, "_now", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Clock]:
    """The machine stands in Berlin: UTC+1, in summer UTC+2."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield _Clock(monkeypatch)
    monkeypatch.undo()
    time.tzset()


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def open_days(folder: Path, window: str | None = None, *, writes: bool = True) -> Days:
    return Days(folder / "x.duckdb", "weekend", window=window, writes=writes)


@for_every(
    (
        (None, "2026-11-20 11:00", "2026-11-19 23:00", "2026-11-20 23:00"),
        (None, "2026-11-20 23:00", "2026-11-20 23:00", "2026-11-21 23:00"),
        ("22:00-07:00", "2026-11-20 03:00", "2026-11-19 21:00", "2026-11-20 21:00"),
        ("22:00-07:00 UTC", "2026-11-20 21:59", "2026-11-19 22:00", "2026-11-20 22:00"),
        # 25 hours, and 23: summer time ends, and begins.
        (None, "2026-10-25 12:00", "2026-10-24 22:00", "2026-10-25 23:00"),
        (None, "2026-03-29 12:00", "2026-03-28 23:00", "2026-03-29 22:00"),
        # 02:30 is skipped, and counts as if the clock had gone on; in autumn, the first counts.
        ("02:30-07:00", "2026-03-29 12:00", "2026-03-29 01:30", "2026-03-30 00:30"),
        ("02:30-07:00", "2026-10-25 12:00", "2026-10-25 00:30", "2026-10-26 01:30"),
    )
)
def test_a_day_begins_at_midnight_or_with_the_window(
    window: str | None, now: str, begins: str, ends: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        patch.setattr(days, "_now", lambda: utc(now))
        calendar = open_days(Path("/nonexistent"), window, writes=False)
        assert calendar.turn(Cost()) == Cost()
        assert (calendar.begins, calendar.next()) == (utc(begins), utc(ends))
    time.tzset()


def test_what_was_spent_by_then_is_kept_for_the_runs_of_a_day(
    tmp_path: Path, clock: _Clock
) -> None:
    assert open_days(tmp_path).turn(Cost(1.0, 10)) == Cost(1.0, 10)
    calendar = open_days(tmp_path)
    assert calendar.turn(Cost(1.5, 15)) == Cost(1.0, 10)  # the next run of the day
    assert calendar.turn(Cost(1.75, 20)) is None
    clock.now += timedelta(days=1)
    assert calendar.turn(Cost(2.0, 30)) == Cost(2.0, 30)
    assert open_days(tmp_path).turn(Cost(2.5, 40)) == Cost(2.0, 30)  # killed since, or not


def test_a_clock_that_is_set_back_gives_no_new_money(tmp_path: Path, clock: _Clock) -> None:
    calendar = open_days(tmp_path)
    calendar.turn(Cost(1.0))
    clock.now = utc("2026-11-20 23:10")
    assert calendar.turn(Cost(3.0)) == Cost(3.0)
    clock.now -= timedelta(hours=1)
    assert calendar.turn(Cost(4.0)) == Cost(1.0)  # the day before: all of both counts
    clock.now += timedelta(hours=1)
    assert calendar.turn(Cost(4.5)) == Cost(3.0)


def test_a_reader_writes_nothing(tmp_path: Path, clock: _Clock) -> None:
    assert open_days(tmp_path, writes=False).turn(Cost(1.0)) == Cost(1.0)
    assert list(tmp_path.iterdir()) == []


def test_of_a_database_that_was_replaced_nothing_is_owed(tmp_path: Path, clock: _Clock) -> None:
    open_days(tmp_path).turn(Cost(7.0, 70))
    assert open_days(tmp_path).turn(Cost(0.5, 5)) == Cost(0.5, 5)
    assert open_days(tmp_path).turn(Cost(2.0, 20)) == Cost(0.5, 5)


def test_a_month_is_remembered_of_each_tournament(tmp_path: Path, clock: _Clock) -> None:
    calendar = open_days(tmp_path)
    Days(tmp_path / "x.duckdb", "other", window=None).turn(Cost(1.0))
    for number in range(40):
        calendar.turn(Cost(number))
        clock.now += timedelta(days=1)
    content = json.loads(days_file(tmp_path / "x.duckdb").read_text("utf-8"))
    assert {name: len(marks) for name, marks in content.items()} == {"other": 1, "weekend": 31}


@for_every((b"", b"[]", b'{"weekend": {"2026": [1]}}', b'{"weekend": {"2026": {"eur": 1}}}'))
def test_a_damaged_file_is_named_with_what_to_do(content: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(StoreError, match="Delete it to"):
        patch.setattr(Path, "read_bytes", lambda _: content)
        open_days(Path("/nonexistent")).turn(Cost())


def test_a_file_that_cannot_be_written_is_one_message(tmp_path: Path, clock: _Clock) -> None:
    (tmp_path / "x.duckdb.days.json.new").mkdir()
    with pytest.raises(StoreError, match="caps per day need it"):
        open_days(tmp_path).turn(Cost())

"""Times of runs as people write them: the next such time, dates, zones, and summer time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config.window import Window, read_moment, read_window, split_window
from arena.errors import ConfigError
from tests.support.case_lists import for_every


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine stands in Berlin: UTC+1, in summer UTC+2."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


NOON = utc("2026-11-20 11:00")  # 12:00 in Berlin


@for_every(
    (
        ("22:00", "2026-11-20 21:00"),
        ("12:00", "2026-11-21 11:00"),  # now itself is over
        ("7:00", "2026-11-21 06:00"),
        ("07:00 UTC", "2026-11-21 07:00"),
        ("07:00Z", "2026-11-21 07:00"),
        ("22:00 America/New_York", "2026-11-21 03:00"),
        ("07:00 +05:30", "2026-11-21 01:30"),
        ("2026-12-01 07:00", "2026-12-01 06:00"),
        ("2026-12-01T07:00+01:00", "2026-12-01 06:00"),
        ("2026-07-01 07:00", None),  # past
        ("25:00", None),
        ("07:60", None),
        ("2026-02-30 07:00", None),
        ("7", None),
        ("07:00 Berlin", None),
        ("", None),
    )
)
def test_a_time_is_the_next_such_moment(text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(ConfigError, match="--stop-at") as caught:
            read_moment(text, NOON, option="--stop-at")
        assert len(str(caught.value).splitlines()) == 1
    else:
        assert read_moment(text, NOON) == utc(expected)


@for_every(
    (
        ("2027-03-27 23:00", "02:30", "2027-03-28 01:00"),  # skipped: the moment of the change
        ("2027-03-27 23:00", "02:30 Europe/Berlin", "2027-03-28 01:00"),
        ("2027-03-27 23:00", "07:00", "2027-03-28 05:00"),
        ("2026-10-24 22:00", "02:30", "2026-10-25 00:30"),  # comes twice: the first
        ("2026-10-24 22:00", "07:00", "2026-10-25 06:00"),
    )
)
def test_summer_time(now: str, text: str, expected: str) -> None:
    assert read_moment(text, utc(now)) == utc(expected)


@for_every(
    (
        # (start, stop, daily, now) -> (begins, ends)
        (None, None, None, "2026-11-20 11:00", None, None),
        ("22:00", None, None, "2026-11-20 11:00", "2026-11-20 21:00", None),
        (None, "07:00", None, "2026-11-20 11:00", None, "2026-11-21 06:00"),
        ("22:00", "07:00", None, "2026-11-20 11:00", "2026-11-20 21:00", "2026-11-21 06:00"),
        ("22:00", "07:00", None, "2026-11-20 23:00", None, "2026-11-21 06:00"),  # within it
        (None, None, "22:00-07:00", "2026-11-20 11:00", "2026-11-20 21:00", "2026-11-21 06:00"),
        (None, None, "22:00-07:00", "2026-11-21 02:00", None, "2026-11-21 06:00"),
        (None, None, "09:00 to 17:00 UTC", "2026-11-20 11:00", None, "2026-11-20 17:00"),
        # The night of 28 March 2027 has no time from 02:00 to 03:00.
        (None, None, "02:30-03:15", "2027-03-27 12:00", "2027-03-28 01:00", "2027-03-28 01:15"),
        (None, None, "01:30-02:30", "2027-03-27 12:00", "2027-03-28 00:30", "2027-03-28 01:00"),
        (None, None, "02:00-03:00", "2027-03-27 12:00", "2027-03-29 00:00", "2027-03-29 01:00"),
        (
            *(None, None, "02:30-03:15 Europe/Berlin"),
            *("2027-03-28 01:05", None, "2027-03-28 01:15"),
        ),
        ("now", None, "22:00-07:00", "2026-11-20 11:00", None, "2026-11-21 06:00"),
        ("now", "never", "22:00-07:00", "2026-11-20 11:00", None, None),
        (None, "never", "22:00-07:00", "2026-11-20 11:00", "2026-11-20 21:00", None),
        (
            "2026-11-22 22:00",
            "07:00",
            None,
            "2026-11-20 11:00",
            "2026-11-22 21:00",
            "2026-11-23 06:00",
        ),
    )
)
def test_a_window_is_begun_waited_for_or_without_an_end(
    start: str | None,
    stop: str | None,
    daily: str | None,
    now: str,
    begins: str | None,
    ends: str | None,
) -> None:
    window = read_window(start, stop, daily, utc(now))
    assert window == Window(
        start=None if begins is None else utc(begins), stop=None if ends is None else utc(ends)
    )


@for_every(
    (
        ("22:00", "22:00", None),
        ("7:00", "07:00", None),
        ("18:00", "17:00 UTC", None),
        ("2026-11-22 22:00", "2026-11-21 07:00", None),
        ("2026-11-19 22:00", None, None),
        ("tonight", None, None),
    )
)
def test_a_window_of_no_length_or_in_the_past_is_refused(
    start: str, stop: str | None, daily: str | None
) -> None:
    with pytest.raises(ConfigError):
        read_window(start, stop, daily, NOON)


@for_every(
    ("22:00", "22:00-22:00", "7:00-07:00", "22-07", "25:00-07:00", "22:00-07:00 Nowhere/Land")
)
def test_a_window_of_a_file_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        split_window(text)


def test_a_machine_without_zone_data_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_none(name: str) -> None:
        raise ZoneInfoNotFoundError(name)

    monkeypatch.setattr("arena.config.window.ZoneInfo", find_none)
    monkeypatch.setattr("arena.config.window.available_timezones", set)
    with pytest.raises(ConfigError, match="no time zone data.*pip install tzdata"):
        split_window("22:00-07:00 Europe/Paris")


def test_a_window_of_no_length_and_one_that_ends_before_it_begins_are_said_to_be_so() -> None:
    with pytest.raises(ConfigError, match=r"^the window '22:00-22:00' has no length\. Write"):
        split_window("22:00-22:00")
    with pytest.raises(ConfigError, match=r"end \(2026-12-31 .*\) before it begins \(2027-01-01 "):
        read_window("2027-01-01 22:00", "2026-12-31 22:00", None, NOON)


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1)), st.integers(0, 23), st.integers(0, 59)
)
def test_a_time_of_day_is_within_the_next_day(now: datetime, hour: int, minute: int) -> None:
    after = now.replace(tzinfo=UTC)
    moment = read_moment(f"{hour:02}:{minute:02}", after)
    assert timedelta(0) < moment - after <= timedelta(hours=25)
    local = moment.astimezone()
    skipped = local.date() in (datetime(2026, 3, 29).date(), datetime(2027, 3, 28).date())
    assert (local.hour, local.minute) == (hour, minute) or (skipped and hour == 2)

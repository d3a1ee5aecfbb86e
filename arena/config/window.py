"""Times at which a run may begin and must end, as people write them: `22:00`, `07:00 Europe/Paris`.

A time without a zone is one of the machine's. A time of day that a change to summer time skips is
the moment of the change; a window that lies within what is skipped falls out that night. Of a time
that comes twice, the first counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Annotated, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator

from arena.errors import ConfigError

_MOMENT = re.compile(
    r"(?:(?P<date>\d{4}-\d{2}-\d{2})[T ]\s*)?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?P<zone>\s*\S+)?"
)
_WINDOW = re.compile(r"(\d{1,2}:\d{2})\s*(?:-|–|to)\s*(\d{1,2}:\d{2})(?:\s+(\S+))?")
_OFFSET = re.compile(r"(?:UTC)?([+-])(\d{2}):?(\d{2})")

#: A time zone; `None` for the machine's.
Zone: TypeAlias = tzinfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When a run begins and when it must have ended; `None` for at once, and for no end."""

    start: datetime | None = None
    stop: datetime | None = None


def read_window(
    start_at: str | None, stop_at: str | None, daily: str | None, now: datetime
) -> Window:
    """Return when a run that is asked for now begins and ends.

    Args:
        start_at: as the command line says, a time of day or a date with one, or `now`; `None` where
            it follows from `daily`.
        stop_at: likewise, or `never`.
        daily: the window of the file, `22:00-07:00`.
        now: the time now, with a zone.

    Raises:
        ConfigError: a time cannot be read, is past, or the window has no length.
    """
    begin, end, zone = split_window(daily) if daily else ("now", "never", "")
    start_text = start_at or _with_zone(begin, zone)
    stop_text = stop_at or _with_zone(end, zone)
    if start_text == stop_text:
        raise ConfigError(f"the window from {start_text} to {stop_text} has no length.")
    stop = None if stop_text == "never" else read_moment(stop_text, now, option="--stop-at")
    if start_text == "now":
        return Window(stop=stop)
    start = read_moment(start_text, now, option="--start-at")
    if stop is None:
        return Window(start=start)
    if stop == start and _is_time_of_day(start_text) and _is_time_of_day(stop_text):
        # A change to summer time skips all of it, unless it is empty on the next day too.
        start, stop = (
            read_moment(text, start + timedelta(hours=2), option=option)
            for text, option in ((start_text, "--start-at"), (stop_text, "--stop-at"))
        )
    if stop == start:  # written in two ways, such as 7:00 and 07:00
        raise ConfigError(f"the window from {start_text} to {stop_text} has no length.")
    if _is_time_of_day(start_text) and _is_time_of_day(stop_text) and stop < start:
        return Window(stop=stop)  # between the two: it has begun already
    if _is_time_of_day(stop_text):
        stop = read_moment(stop_text, start, option="--stop-at")
    if stop <= start:
        raise ConfigError(
            f"the run would have to end ({stop.astimezone():%Y-%m-%d %H:%M}) before it begins "
            f"({start.astimezone():%Y-%m-%d %H:%M}). Choose a later --stop-at."
        )
    return Window(start=start, stop=stop)


def read_moment(text: str, after: datetime, *, option: str = "the time") -> datetime:
    """Return the moment that a text names; of a time of day, the next one.

    Args:
        text: `22:00`, `2026-11-30 07:00`, each also with a zone: `07:00 Europe/Paris`, `07:00Z`,
            `2026-11-30T07:00+01:00`.
        after: a moment with a zone, after which the result lies.
        option: how messages call the text.

    Raises:
        ConfigError: it cannot be read, or it is a date and past.
    """
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        raise ConfigError(
            f"{option} is {text!r}, which is no time. Write a time of day such as 22:00, or a date "
            'with one such as "2026-11-30 07:00"; a zone may follow: "07:00 Europe/Paris".'
        )
    zone = _read_zone((match["zone"] or "").strip(), option)
    try:
        clock = datetime.min.replace(hour=int(match["hour"]), minute=int(match["minute"])).time()
        date = match["date"] and datetime.fromisoformat(match["date"]).date()
        dated = _at(datetime.combine(date, clock), zone) if date else None
    except ValueError as error:
        raise ConfigError(f"{option} is {text!r}, which is no time ({error}).") from None
    if dated is not None:
        if dated <= after:
            raise ConfigError(
                f"{option} is {text!r}, which is past: it is {format_moment(after)} now."
            )
        return dated
    today = after.astimezone(zone).date()
    days = (today + timedelta(days=number) for number in range(3))
    moments = (_at(datetime.combine(day, clock), zone) for day in days)
    return next(moment for moment in moments if moment > after)


def split_window(text: str) -> tuple[str, str, str]:
    """Split a daily window into its beginning, its end and its zone ('' for the machine's).

    Raises:
        ConfigError: it is none, or it has no length.
    """
    refused = (
        f"{text!r} is no window. Write the times between which a run may work, such as "
        '"22:00-07:00" or "22:00-07:00 Europe/Paris".'
    )
    match = _WINDOW.fullmatch(text.strip())
    if match is None:
        raise ConfigError(refused)
    now = datetime.now(UTC)
    for part in (match[1], match[2]):
        read_moment(_with_zone(part, match[3] or ""), now, option="window")
    if match[1].zfill(5) == match[2].zfill(5):
        raise ConfigError(f"the window {text!r} has no length. Write two different times.")
    return match[1], match[2], match[3] or ""


def format_moment(moment: datetime) -> str:
    """Format a moment in the machine's zone: `Mon 30 Nov 22:00`."""
    return moment.astimezone().strftime("%a %d %b %H:%M")


def _check_window(text: str) -> str:
    try:
        split_window(text)
    except ConfigError as error:  # as a problem of a key, which is given without a full stop
        raise ValueError(str(error).removesuffix(".")) from None
    return text


#: A daily window in a configuration file.
DailyWindow = Annotated[str, AfterValidator(_check_window)]


def _with_zone(text: str, zone: str) -> str:
    return f"{text} {zone}".strip() if ":" in text else text


def _is_time_of_day(text: str) -> bool:
    match = _MOMENT.fullmatch(text.strip())
    return match is not None and match["date"] is None


def _at(moment: datetime, zone: Zone) -> datetime:
    """Return a time of a zone's clocks as a moment in UTC; the change, of one that is skipped."""

    def clock(second: int) -> datetime:
        return (placed + timedelta(seconds=second)).astimezone(zone).replace(tzinfo=None)

    placed = moment.replace(tzinfo=zone).astimezone(UTC)
    if clock(0) == moment:
        return placed
    seconds = range(-4 * 3600, 4 * 3600)  # the first whose clock shows this time or a later one
    return placed + timedelta(seconds=seconds[bisect_left(seconds, moment, key=clock)])


def _read_zone(text: str, option: str) -> Zone:
    if not text:
        return None
    if text in ("Z", "UTC"):
        return UTC
    if match := _OFFSET.fullmatch(text):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(offset if match[1] == "+" else -offset)
    try:
        return ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        if not available_timezones():
            raise ConfigError(
                f"{option}: {text!r} cannot be looked up, because this machine has no time zone "
                "data, as slim images have none. Install it (python -m pip install tzdata), or "
                "write an offset such as +02:00."
            ) from None
        raise ConfigError(
            f"{option}: no time zone is called {text!r}. Write one as Europe/Paris, UTC or +02:00."
        ) from None

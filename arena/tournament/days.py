"""The days of caps per day: when each begins, and what had been spent by then."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.config.window import read_moment, split_window
from arena.errors import StoreError
from arena.llm.purse import Cost

#: Days of a tournament that are remembered.
_MOST_DAYS = 31


class Days:
    """The days of one tournament.

    A day begins at midnight, or where the file names a daily window, when that begins: so a night
    is one day. What had been spent by then is kept in a file beside the database. What is settled
    later counts for the new day, the calls that were in flight included.

    Args:
        database: beside which the days are kept.
        tournament: its name.
        window: the daily window of the file; `None` for none.
        writes: whether days that begin are written; a reader does not.
    """

    def __init__(
        self, database: Path, tournament: str, *, window: str | None, writes: bool = True
    ) -> None:
        self._file = days_file(database)
        self._tournament, self._writes = tournament, writes
        start, _, zone = split_window(window) if window else ("00:00", "", "")
        self._time_of_day = f"{start} {zone}".strip()
        self._begins = self._ends = datetime.min.replace(tzinfo=UTC)

    @property
    def begins(self) -> datetime:
        """When the day began that it was at the last turn."""
        return self._begins

    def next(self) -> datetime:
        """Return when the next day begins."""
        return read_moment(self._time_of_day, _now())

    def turn(self, spent: Cost) -> Cost | None:
        """Return what had been spent when the day began that it is now; see `Budget`.

        Raises:
            StoreError: the file cannot be read or written.
        """
        now = _now()
        if self._begins <= now < self._ends:
            return None
        self._begins, self._ends = self._find_day(now)
        return self._mark(spent)

    def _find_day(self, now: datetime) -> tuple[datetime, datetime]:
        begins = read_moment(self._time_of_day, now - timedelta(days=2))
        while (following := read_moment(self._time_of_day, begins)) <= now:
            begins = following
        return begins, following

    def _mark(self, spent: Cost) -> Cost:
        """Return the mark of the day; a day without one begins now."""
        tournaments = self._read()
        days = dict(tournaments.get(self._tournament, {}))
        key = self._begins.astimezone(UTC).isoformat()
        marked = Cost(**days[key]) if key in days else spent
        # More than was ever spent: it is of a database that was replaced.
        mark = Cost(min(marked.usd, spent.usd), min(marked.tokens, spent.tokens))
        if self._writes and (key not in days or mark != marked):
            days[key] = mark._asdict()
            last = sorted(days)[-_MOST_DAYS:]
            self._write({**tournaments, self._tournament: {day: days[day] for day in last}})
        return mark

    def _read(self) -> dict[str, dict[str, dict[str, float]]]:
        try:
            content: dict[str, dict[str, dict[str, float]]] = json.loads(self._file.read_bytes())
            for days in content.values():
                for mark in days.values():
                    Cost(**mark)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{self._file}: cannot be read ({error}). It holds what had been spent when each "
                "day began. Delete it to count the caps per day from now on."
            ) from None
        return content

    def _write(self, content: Mapping[str, object]) -> None:
        whole = self._file.with_name(f"{self._file.name}.new")
        try:
            with whole.open("w", encoding="utf-8") as file:
                json.dump(content, file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
            whole.replace(self._file)
        except OSError as error:
            raise StoreError(
                f"{self._file}: cannot be written ({error.strerror}). The caps per day need it: "
                "make room or give write permission, then run it again."
            ) from None


def days_file(database: Path) -> Path:
    """Return the file beside a database that holds what had been spent when each day began."""
    return database.with_name(database.name + ".days.json")


def _now() -> datetime:
    return datetime.now(UTC)

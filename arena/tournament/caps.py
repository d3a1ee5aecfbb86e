"""The caps of a tournament's configuration as purses, with what has been spent of each."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from arena.config.window import read_moment, split_window
from arena.errors import StoreError
from arena.llm.budget import MEASURES, Budget, Cost, Purse
from arena.store.spending import read_spending
from arena.tournament.run_record import find_file
from motions.text_files import read_file

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.config.sections import Config, LimitsSection, ParticipantSection
    from arena.store.database import Store

#: Days of a tournament that are remembered.
_MOST_DAYS = 31
#: The length of the day on which summer time begins.
_SHORTEST_DAY = timedelta(hours=23)


def open_budget(
    store: Store,
    resolved: ResolvedConfig,
    *,
    usd: float | None,
    db: str = "",
    remedy: str = "",
    writes: bool = True,
) -> Budget:
    """Return what a tournament may spend, with what it has spent already.

    Args:
        usd: the cap of the whole, which the command line may have replaced; `None` for none.
        db: the option of commands that names the database, if it must be named.
        remedy: what to do when the cap of the whole is reached; '' for the commands that raise it.
        writes: whether a day that begins now is noted down; a reader does not.
    """
    config = resolved.config
    spending = read_spending(store, resolved.name, detailed=has_further_caps(config))
    file = shlex.quote(find_file(store.path, resolved.name, resolved.where))
    raised = f"in the file and run that (arena run {file}{db})"
    sections = {section.name: section for section in config.participants}
    daily = _daily_purses(config.limits, raised)
    days = SpendingDays(store.path, resolved.name, window=config.schedule.window, writes=writes)
    return Budget(
        math.inf if usd is None else usd,
        spent=spending.whole.usd,
        unbilled=spending.reserved,
        remedy=remedy
        or f"To go on, raise it (arena resume {shlex.quote(resolved.name)} --usd AMOUNT{db}), or "
        f"raise `[limits] usd` {raised}",
        tokens=Purse(
            config.limits.tokens or math.inf,
            spent=spending.whole.tokens,
            measure="tokens",
            remedy=f"Raise `[limits] tokens` {raised}",
        ),
        daily=daily,
        participants={
            owner: _own_purses(sections[name], spending.participants.get(owner, Cost()), raised)
            for owner, name in resolved.names.items()
        },
        days=days if daily else None,
    )


def has_further_caps(config: Config) -> bool:
    """Return whether there are other caps than one in USD on the whole."""
    limits = config.limits
    own = any(section.usd or section.tokens for section in config.participants)
    return bool(limits.tokens or limits.usd_per_day or limits.tokens_per_day or own)


def _daily_purses(limits: LimitsSection, raised: str) -> list[Purse]:
    """Return the purses of a day, one for each cap per day that the file has."""
    return [
        Purse(
            limit,
            measure=measure,
            title="the day's spending cap of {}",
            remedy=f"Run it again on the next day, or raise `[limits] {measure}_per_day` {raised}",
            is_daily=True,
        )
        for measure in MEASURES
        if (limit := getattr(limits, f"{measure}_per_day")) is not None
    ]


def _own_purses(section: ParticipantSection, spent: Cost, raised: str) -> list[Purse]:
    """Return the purses of a participant, one for each cap that its table has."""
    return [
        Purse(
            limit,
            spent=spent.of(measure),
            measure=measure,
            title=f"the spending cap of {{}} of participant {section.name!r}",
            remedy=f"Raise its `{measure}` {raised}",
            participant=section.name,
        )
        for measure in MEASURES
        if (limit := getattr(section, measure)) is not None
    ]


class SpendingDays:
    """The days of one tournament.

    A day begins at midnight, or where the file names a daily window, when that begins: so a night
    is one day. What had been spent by then is kept in a file beside the database. What is settled
    later counts for the new day, the calls that were in flight included.

    Args:
        window: the daily window of the file; `None` for none.
        writes: whether days that begin are written; a reader does not.

    Attributes:
        begins: when the day began that it was at the last turn.
    """

    def __init__(
        self, database: Path, tournament: str, *, window: str | None, writes: bool = True
    ) -> None:
        self._file = days_file(database)
        self._tournament, self._writes = tournament, writes
        start, _, zone = split_window(window) if window else ("00:00", "", "")
        self._time_of_day = f"{start} {zone}".strip()
        self.begins = self._ends = datetime.min.replace(tzinfo=UTC)

    def next(self) -> datetime:
        """Return when the next day begins."""
        return read_moment(self._time_of_day, _now())

    def turn(self, spent: Cost) -> Cost | None:
        """Return what had been spent when the day began that it is now; see `Budget`.

        Raises:
            StoreError: the file cannot be read or written.
        """
        now = _now()
        if self.begins <= now < self._ends:
            return None
        begins = read_moment(self._time_of_day, now - timedelta(days=2))
        while (following := read_moment(self._time_of_day, begins)) <= now:
            begins = following
        self.begins, self._ends = self._running_day(begins, now), following
        return self._mark(spent)

    def _running_day(self, begins: datetime, now: datetime) -> datetime:
        """Return when the day began that it is now: one that is noted down lasts 23 hours at least.

        Else its cap would be granted twice where cron and a shell have different time zones.
        """
        noted = map(datetime.fromisoformat, self._read().get(self._tournament, {}))
        last = max((day for day in noted if day <= now), default=begins)
        return last if begins - last < _SHORTEST_DAY else begins

    def _mark(self, spent: Cost) -> Cost:
        """Return the mark of the day; a day without one begins now."""
        tournaments = self._read()
        days = dict(tournaments.get(self._tournament, {}))
        key = self.begins.astimezone(UTC).isoformat()
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
            content: dict[str, dict[str, dict[str, float]]] = json.loads(read_file(self._file))
            for days in content.values():
                for mark in days.values():
                    Cost(**{measure: float(part) for measure, part in mark.items()})
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
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

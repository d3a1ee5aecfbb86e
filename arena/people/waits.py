"""The speeches that debates wait for: since when, who has opened them, and until when.

The times are those of `[speaking]` in the file. They count from what is stored, so that neither a
run that ends nor the next one changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pandas as pd

from arena.config.speaking import SpeakingSection
from arena.languages import ANSWER, Side, Stage
from arena.store.database import Store

#: The first stages of contests.
_OPENINGS = ("constructive", ANSWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A debate's wait for one speech.

    Attributes:
        since: when it began; `None` where that was not stored yet.
        opened_at: when the speaker opened the speech; `None` where nobody has.
        speaker: who speaks, of a participant of several people; '' where nobody does yet.
    """

    since: datetime | None = None
    opened_at: datetime | None = None
    speaker: str = ""


#: Waits by debate, side and stage.
Waits: TypeAlias = Mapping[tuple[str, Side, Stage], Wait]


def read_waits(store: Store, debate_ids: Iterable[str]) -> Waits:
    """Read since when debates wait, or waited, for the speeches of people.

    A speaker who has opened or submitted a speech speaks for that side of the debate to its end.
    """
    rows = store.rows(
        "SELECT debate_id, side, stage, since, opened_at, "
        "max(speaker) OVER (PARTITION BY debate_id, side) AS speaker "
        "FROM awaited WHERE list_contains($ids, debate_id)",
        {"ids": list(debate_ids)},
    )
    return {
        (row["debate_id"], row["side"], row["stage"]): Wait(
            since=_read_time(row["since"]),
            opened_at=_read_time(row["opened_at"]),
            speaker=row["speaker"],
        )
        for row in rows
    }


def find_due_time(wait: Wait, stage: Stage, times: SpeakingSection | None) -> datetime | None:
    """Return until when a speech can be submitted; `None` where nothing limits it (yet)."""
    if times is None:
        return None
    ends = [times.last_moment]
    if stage in _OPENINGS and times.preparation is not None:
        ends.append(_add(wait.opened_at, times.preparation))
    elif isinstance(times.deadline, float):
        ends.append(_add(wait.since, times.deadline))
    return min((end for end in ends if end is not None), default=None)


def must_be_opened(wait: Wait, stage: Stage, times: SpeakingSection | None) -> bool:
    """Return whether the speaker has yet to open the motion, which starts the preparation."""
    prepared = times is not None and times.preparation is not None and stage in _OPENINGS
    return prepared and wait.opened_at is None


def is_over(due_time: datetime | None) -> bool:
    """Return whether the time for a speech has passed."""
    return due_time is not None and datetime.now(UTC) > due_time


def format_due_time(due_time: datetime) -> str:
    """Format until when a speech can be submitted, in UTC and as the time that is left."""
    left = due_time - datetime.now(UTC)
    return f"{due_time.astimezone(UTC):%Y-%m-%d %H:%M} UTC ({_format_left(left)})"


def format_seconds(seconds: float) -> str:
    """Format a time that is configured: `2 d`, `1 h 30 min`.

    >>> format_seconds(172800), format_seconds(5400), format_seconds(45)
    ('2 d', '1 h 30 min', '45 s')
    """
    days, rest = divmod(int(seconds), 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    units = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in units if number) or "0 s"


def _format_left(left: timedelta) -> str:
    seconds = left.total_seconds()
    if seconds <= 0:
        return "over"
    return f"{format_seconds(max(60, seconds // 60 * 60))} left"


def _add(start: datetime | None, seconds: float) -> datetime | None:
    return None if start is None else start + timedelta(seconds=seconds)


def _read_time(value: Any) -> datetime | None:  # noqa: ANN401 - a cell
    return None if value is None or pd.isna(value) else pd.Timestamp(value).to_pydatetime()

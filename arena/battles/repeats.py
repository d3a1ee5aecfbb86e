"""Rows of a battle log that repeat an earlier one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from arena.battles.source import sql_text
from arena.store.battles import NO_MOTION

#: The number of rows from which on their being there twice is no chance.
_LEAST: Final = 5
#: What rows agree in that are copies of each other, if something tells when or on what they were.
_CONTENT: Final = (
    "first, second, outcome, weight, score_a, score_b, finished_at, judge, category, motion, "
    "language, cluster"
)

#: Whether something tells when or on what a battle was. A time on the full hour does not: dates are
#: at midnight, and many battles are of one day.
_IS_PLACED: Final = (
    "(coalesce(date_part('microseconds', finished_at) <> 0 OR date_part('minute', finished_at) "
    f"<> 0, FALSE) OR cluster IS NOT NULL OR motion <> {sql_text(NO_MOTION)})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Rows that repeat an earlier one.

    Attributes:
        count: of rows with a time, motion or group that are equal to an earlier one, in all columns
            of the file.
        half: of rows without them: the number of rows after which the log says the same once more,
            in the same order; 0 where it does not.
    """

    count: int = 0
    half: int = 0


def is_repeat() -> str:
    """Return the SQL of whether a row repeats an earlier one, for QUALIFY."""
    return f"({_IS_PLACED} AND row_number() OVER (PARTITION BY {_CONTENT}, whole ORDER BY row) > 1)"


def may_repeat(link: Any, rows: str) -> bool:  # noqa: ANN401 - an open connection
    """Return whether rows are equal as far as their columns are used; then `find_repeats` tells.

    Only then the columns that are not used have to be read: rounds, turns, openings, answers.
    """
    repeats = _count(link, rows, _CONTENT)
    return bool(repeats.count or repeats.half)


def find_repeats(link: Any, rows: str) -> Repeats:  # noqa: ANN401 - an open connection
    """Count the rows that repeat an earlier one.

    Args:
        link: an open connection.
        rows: the SQL of the table of checked rows, with a hash of each row of the file as `whole`.
    """
    return _count(link, rows, f"{_CONTENT}, whole")


def _count(link: Any, rows: str, content: str) -> Repeats:  # noqa: ANN401 - an open connection
    query = f"SELECT count(*) - count(DISTINCT hash({content})) FROM {rows} WHERE {_IS_PLACED}"
    count = int(link.execute(query).fetchall()[0][0])
    total = int(link.execute(f"SELECT count(*) FROM {rows}").fetchall()[0][0])
    half = total // 2
    if count or total % 2 or half < _LEAST:
        return Repeats(count=count)
    query = (
        f"SELECT bool_and(later IS NULL OR later = now) FROM (SELECT ({content}) AS now, "
        f"lead(({content}), {half}) OVER (ORDER BY row) AS later FROM {rows})"
    )
    return Repeats(half=half if link.execute(query).fetchall()[0][0] else 0)

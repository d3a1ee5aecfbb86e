"""What a battle log tells without being asked: columns that look like groups, and its seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

from arena.battles.columns import Columns
from arena.battles.source import Source, sql_name
from arena.errors import ConfigError

#: Names of columns that say which rows belong together: of one debate, or of one question.
_GROUP_NAME: Final = re.compile(
    r"(?:.*[_\W])?(?:(?:debate|group|matchup|match|cluster)(?:[_\W]?(?:id|no|number|key))?"
    r"|(?:question|prompt|conversation|session|thread|item)[_\W]?id)",
    re.IGNORECASE,
)
SEED: Final = "seed"
#: DuckDB's largest BIGINT has as many digits; a number of so many is no seed of ours.
_SEED_DIGITS: Final = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What was taken from columns that the user did not name.

    Attributes:
        columns: the columns of the log, with those that were taken.
        group: the column taken as groups; "" where none was.
        groups: the number of its values.
        seed: that of the exported board; None where the log has none.
    """

    columns: Columns
    group: str = ""
    groups: int = 0
    seed: int | None = None


def take_hints(
    link: Any,  # noqa: ANN401 - an open connection
    source: Source,
    columns: Columns,
    *,
    grouped: bool,
) -> Hints:
    """Find the column of groups, if the user named none, and the seed of an exported board.

    Args:
        link: reads the log.
        source: the log.
        columns: those that are known.
        grouped: whether to look for groups.

    Raises:
        ConfigError: several columns look like groups, and they group the rows differently.
    """
    hints = Hints(columns=columns)
    if grouped and "group" not in columns.place:
        hints = _take_group(link, source, hints)
    if SEED in columns.ignored:
        hints = _take_seed(link, source, hints)
    return hints


def _take_group(link: Any, source: Source, hints: Hints) -> Hints:  # noqa: ANN401
    names = [name for name in hints.columns.ignored if _GROUP_NAME.fullmatch(name)]
    counts = {name: _count_values(link, source, [name]) for name in names}
    repeated = {
        name: values
        for name, values in counts.items()
        if 1 < values < _count_rows(link, source, name)
    }
    if not repeated:
        return hints
    if any(
        _count_values(link, source, pair) > min(repeated[name] for name in pair)
        or len({repeated[name] for name in pair}) > 1
        for pair in combinations(repeated, 2)
    ):
        listed = ", ".join(f"{name} ({values:,} values)" for name, values in repeated.items())
        first = next(iter(repeated))
        raise ConfigError(
            f"{source.path}: several columns look like groups of related battles: {listed}. Name "
            f"one with --column group={first}, or use --no-group to count every battle by itself."
        )
    name = next(iter(repeated))
    taken = replace(
        hints.columns,
        place={**hints.columns.place, "group": name},
        ignored=_without(hints.columns.ignored, name),
    )
    return replace(hints, columns=taken, group=name, groups=repeated[name])


def _take_seed(link: Any, source: Source, hints: Hints) -> Hints:  # noqa: ANN401
    """Take a seed that is the same whole number in all rows."""
    query = f"SELECT DISTINCT trim({sql_name(SEED)}) FROM {source.query} LIMIT 2"  # noqa: S608
    values = [str(value) for (value,) in link.execute(query).fetchall()]
    if len(values) != 1 or not re.fullmatch(rf"\d{{1,{_SEED_DIGITS}}}", values[0]):
        return hints
    taken = replace(hints.columns, ignored=_without(hints.columns.ignored, SEED))
    return replace(hints, columns=taken, seed=int(values[0]))


def _count_values(link: Any, source: Source, names: Sequence[str]) -> int:  # noqa: ANN401
    columns = ", ".join(map(sql_name, names))
    known = " AND ".join(f"{sql_name(name)} IS NOT NULL" for name in names)
    query = f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM {source.query} WHERE {known})"
    return int(link.execute(query).fetchall()[0][0])


def _count_rows(link: Any, source: Source, name: str) -> int:  # noqa: ANN401
    query = f"SELECT count({sql_name(name)}) FROM {source.query}"
    return int(link.execute(query).fetchall()[0][0])


def _without(names: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)

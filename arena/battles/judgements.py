"""Verdicts of several judges on the same debates: how the rows of one debate must fit.

A debate has a ballot of each of its judges. A few judges have a bench each, so that their boards
and their agreement are computed as for any benches; many, as workers of a crowd, who have seen too
little for a board of their own, share one bench, on which every verdict counts by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arena.battles.columns import Columns
from arena.battles.source import sql_text
from arena.errors import ConfigError

#: The number of judges up to which each has a bench of its own.
MOST_BENCHES: Final = 20
#: What to do about rows that do not fit each other.
REMEDY: Final = (
    "\nAll rows of a debate have the same participants on the same sides, the same group, motion, "
    "category and language, and one verdict of each judge. Name the column of debates with "
    "--column debate=NAME, that of groups with --column group=NAME, or count every row by itself "
    "with --no-group."
)

_PROBLEMS: Final = """
    SELECT row, CASE {cases} END AS problem FROM (
        SELECT *, first_value(row) OVER debate AS opening, {openings},
               first_value(row) OVER judged AS judged_row,
               first_value(outcome) OVER judged AS judged_outcome
        FROM {staged}
        WINDOW debate AS (PARTITION BY debate ORDER BY row),
               judged AS (PARTITION BY debate, judge ORDER BY row)
    )
"""
#: What all rows of a debate have in common: our column, and its name in the checked rows.
_SHARED: Final = {
    "group": "cluster", "motion": "motion", "category": "category", "language": "language",
}  # fmt: skip


def check_weights(columns: Columns, *, where: str) -> None:
    """Check that verdicts which share a bench have no weights: they count by their number.

    Raises:
        ConfigError: they have.
    """
    if "weight" in columns.place:
        raise ConfigError(
            f"{where}: the verdicts of more than {MOST_BENCHES} judges count one by one, and "
            f"cannot be weighted by the column {columns.place['weight']}. Import the file without "
            "it, or count every row by itself with --no-group."
        )


def judgement_problems(staged: str, columns: Columns) -> str:
    """Return the query of all rows, with a sentence for each that does not fit an earlier one."""
    names = ("first", "second", *_SHARED.values())
    openings = ", ".join(f"first_value({name}) OVER debate AS opening_{name}" for name in names)
    cases = " ".join(f"WHEN {bad} THEN {sentence}" for bad, sentence in _cases(columns))
    return _PROBLEMS.format(cases=cases, openings=openings, staged=staged)


def _cases(columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield conditions of rows that do not fit, and the SQL of the sentences on them."""
    place = columns.place
    pair, debate = place[columns.shape.first], "left(debate, 60)"
    yield (
        "first = opening_second AND second = opening_first",
        _sentence(
            pair,
            "debate '{}' has its sides the other way round in row {}; if "
            f"{escape_braces(place['debate'])} names a matchup, whose debates swap sides, use "
            f"--column group={escape_braces(place['debate'])}",
            debate,
            "opening",
        ),
    )
    yield (
        "first <> opening_first OR second <> opening_second",
        _sentence(pair, "debate '{}' has other participants in row {}", debate, "opening"),
    )
    for ours, name in _SHARED.items():
        given, earlier = (
            f"coalesce(chr(39) || left({value}, 60) || chr(39), 'nothing')"
            for value in (name, f"opening_{name}")
        )
        text = "given {}; debate '{}' has {} in row {}"
        yield (
            f"{name} IS DISTINCT FROM opening_{name}",
            _sentence(place.get(ours, ours), text, given, debate, earlier, "opening"),
        )
    yield (
        "outcome <> judged_outcome",
        _sentence(
            place["winner"],
            "'{}' has judged debate '{}' otherwise in row {}; accepted: one verdict of a judge on "
            "a debate (if it was asked several times, name each time as a judge)",
            "left(judge, 60)",
            debate,
            "judged_row",
        ),
    )


def _sentence(column: str, text: str, *values: str) -> str:
    """Return the SQL of a sentence on a column; its places are filled with the SQL of values."""
    return f"format({sql_text(f'{escape_braces(column)}: {text}')}, {', '.join(values)})"


def escape_braces(name: str) -> str:
    """Return a name for a text in which braces are places."""
    return name.replace("{", "{{").replace("}", "}}")

"""Battle logs checked and converted to one format, before anything is stored.

One streaming query copies the rows to a temporary Parquet file, so that memory does not grow with
the log. A row that cannot be used gets a sentence that says why.

Where several judges give verdicts on the same debates, the rows must fit each other: a debate has
a ballot of each of its judges. A few judges have a bench each, so that their boards and their
agreement are computed as for any benches; many, as workers of a crowd, who have seen too little
for a board of their own, share one bench, on which every verdict counts by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arena.battles.columns import OPTIONAL, WINNERS, Columns, Hints, Shape, recognise, take_hints
from arena.battles.source import Source, open_source, sql_name, sql_text
from arena.config.stored import JUDGES
from arena.errors import ConfigError
from arena.records import IMPORTED
from arena.store.battles import NO_LANGUAGE, NO_MOTION
from arena.store.scratch import open_scratch_database
from arena.text import counted
from ratings import CON_WINS, PRO_WINS

#: The number of judges up to which each has a bench of its own.
MOST_BENCHES: Final = 20
#: Names of judges that mean something else where a bench is named.
_RESERVED: Final = ("all", IMPORTED, JUDGES)
_LONGEST_JUDGE: Final = 80
_LONGEST_NAME: Final = 200
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
            f"{_literal(place['debate'])} names a matchup, whose debates swap sides, use --column "
            f"group={_literal(place['debate'])}",
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
    return f"format({sql_text(f'{_literal(column)}: {text}')}, {', '.join(values)})"


def _literal(name: str) -> str:
    """Return a name for a text in which braces are places."""
    return name.replace("{", "{{").replace("}", "}}")


#: The least and the most that a battle may weigh; without a weight, it weighs 1. Beyond, a single
#: row would outweigh a whole log, or count for nothing.
WEIGHTS = (1e-6, 1e6)

_SHOWN = 5
_STAGE = """
    COPY (
        WITH parsed AS (
            SELECT row_number() OVER () AS row, {columns},
                   TRY_CAST({weight} AS DOUBLE) AS weight,
                   TRY_CAST({score_a} AS DOUBLE) AS score_a,
                   TRY_CAST({score_b} AS DOUBLE) AS score_b,
                   coalesce(TRY_CAST({timestamp} AS TIMESTAMPTZ),
                            to_timestamp(TRY_CAST({timestamp} AS DOUBLE))) AS finished_at,
                   TRY_CAST({simulated} AS BOOLEAN) AS simulated
            FROM {source}
        ), decided AS (
            SELECT *, {outcome} AS outcome FROM parsed
        )
        SELECT row, given_first AS first, given_second AS second, outcome, {kept_weight} AS weight,
               score_a, score_b, finished_at, coalesce(simulated, FALSE) AS simulated,
               coalesce(given_judge, '') AS judge, coalesce(given_category, '') AS category,
               coalesce(given_motion, {no_motion}) AS motion,
               coalesce(given_language, {no_language}) AS language, given_debate AS debate,
               given_group AS cluster,
               {problem} AS problem
        FROM decided
    ) TO {target} (FORMAT parquet)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A checked battle log.

    Attributes:
        path: a Parquet file with the columns row (from 1), first, second, outcome (of the first),
            weight, score_a, score_b, finished_at, simulated, judge, category, motion, language,
            debate (null where a row is a debate of its own), cluster (null where a row, or its
            debate, is a cluster of its own).
        verdicts: how many of them count: a judge's repeated verdict on a debate counts once.
        judges: of debates that several rows judge, in the order of the file; none of battles.
    """

    path: Path
    rows: int
    verdicts: int
    judges: tuple[str, ...]
    unshared: int
    columns: Columns
    hints: Hints
    participants: tuple[str, ...]
    simulated: bool


def stage(file: Path, renamed: Mapping[str, str], *, into: Path, grouped: bool = True) -> Staged:
    """Check a battle log, and copy its rows to a Parquet file.

    Args:
        file: in one of the forms of `open_source`.

    Raises:
        ConfigError: the file cannot be read, has no rows, lacks a column, some row of it cannot be
            used, or several columns look like groups; the message names rows and columns.
    """
    if "debate" in renamed and not grouped:
        raise ConfigError(
            f"--column debate={renamed['debate']} says which rows judge the same debate, and "
            "--no-group counts every row by itself. Use one of them."
        )
    target = into / "checked.parquet"
    with open_scratch_database(file, folder=into) as link:
        source = open_source(link, file)
        columns = recognise(source.columns, renamed, where=str(file))
        hints = take_hints(source, columns, grouped=grouped)
        columns = hints.columns
        link.execute(_staging_statement(source, columns, target))
        staged = f"read_parquet({sql_text(str(target))})"
        _check_rows(link, file, f"SELECT row, problem FROM {staged}")
        if hints.debate:
            _check_rows(link, file, judgement_problems(staged, columns), remedy=REMEDY)
        return Staged(
            path=target,
            columns=columns,
            hints=hints,
            **_summarise(link, staged, is_judged=bool(hints.debate)),
        )


def _summarise(link: Any, staged: str, *, is_judged: bool) -> dict[str, Any]:  # noqa: ANN401
    """Return the fields of `Staged` that are read from the checked rows."""
    judges = link.execute(f"SELECT judge FROM {staged} GROUP BY judge ORDER BY min(row)").fetchall()
    kept = "count(DISTINCT (debate, judge))" if is_judged else "count(*)"
    rows, verdicts, simulated = link.execute(
        f"SELECT count(*), {kept}, bool_or(simulated) FROM {staged}"
    ).fetchall()[0]
    names = link.execute(
        f"SELECT first FROM {staged} UNION SELECT second FROM {staged} ORDER BY ALL"
    ).fetchall()
    return {
        "rows": int(rows),
        "verdicts": int(verdicts),
        "judges": tuple(str(judge) for (judge,) in judges) if is_judged else (),
        "unshared": 0 if is_judged else len(judges),
        "participants": tuple(str(participant) for (participant,) in names),
        "simulated": bool(simulated),
    }


def _check_rows(link: Any, file: Path, query: str, *, remedy: str = "") -> None:  # noqa: ANN401
    """Check that a query of rows and their problems has no problem."""
    rows, bad = link.execute(f"SELECT count(*), count(problem) FROM ({query})").fetchall()[0]
    if not rows:
        raise ConfigError(f"{file}: has no rows; a battle log has a row per battle.")
    if bad:
        first = link.execute(
            f"SELECT row, problem FROM ({query}) WHERE problem IS NOT NULL "
            f"ORDER BY row LIMIT {_SHOWN}"
        ).fetchall()
        listed = "".join(f"\n  row {row}, column {problem}" for row, problem in first)
        more = f"\n  … and {bad - len(first):,} more" if bad > len(first) else ""
        raise ConfigError(
            f"{file}: {bad:,} of {counted(rows, 'row', style=',')} cannot be used, so nothing was "
            "imported (the first battle is row 1)."
            f"{listed}{more}{remedy}"
        )


def _staging_statement(source: Source, columns: Columns, target: Path) -> str:
    """Return the SQL that checks the rows of a source and writes them to a Parquet file."""
    place = {key: sql_name(column) for key, column in columns.place.items()}
    shape = columns.shape
    values = {
        "first": place[shape.first],
        "second": place[shape.second],
        "winner": place["winner"],
        **{key: place.get(key, "NULL") for key in OPTIONAL},
    }
    return _STAGE.format(
        columns=", ".join(
            f"nullif(trim(CAST({column} AS TEXT)), '') AS given_{key}"
            for key, column in values.items()
        ),
        outcome=_outcome_case(shape),
        source=source.query,
        target=sql_text(str(target)),
        kept_weight="weight" if "weight" in place else "1.0",
        problem=_problem_case(columns),
        no_motion=sql_text(NO_MOTION),
        no_language=sql_text(NO_LANGUAGE),
        **{key: values[key] for key in ("weight", "score_a", "score_b", "timestamp", "simulated")},
    )


def _outcome_case(shape: Shape) -> str:
    """Return the SQL of a CASE that reads the winner: a word, or the name of who won."""
    own, others = (
        " ".join(
            f"WHEN lower(given_winner) = {sql_text(word)} THEN {outcome}" for word, outcome in words
        )
        for words in (shape.outcomes.items(), WINNERS.items())
    )
    names = " ".join(
        f"WHEN given_winner = given_{place} THEN {outcome}"
        for place, outcome in (("first", PRO_WINS), ("second", CON_WINS))
    )
    return f"CASE {own} {names} {others} END"


def _problem_case(columns: Columns) -> str:
    """Return the SQL of a CASE that says what is wrong with a row; NULL where nothing is."""
    cases = (
        f"WHEN {bad} THEN {_fault_sentence(key, columns, accepted)}"
        for bad, key, accepted in _checks(columns)
    )
    return f"CASE {' '.join(cases)} END"


def _checks(columns: Columns) -> Iterator[tuple[str, str, str]]:
    """Yield the checks of a row: SQL condition, column, and what is accepted."""
    shape = columns.shape
    yield _check_name("first", shape.first, _LONGEST_NAME)
    yield _check_name("second", shape.second, _LONGEST_NAME)
    same = "a participant cannot be compared with itself"
    yield "given_first = given_second", shape.second, same
    words = ", ".join(dict.fromkeys((*shape.outcomes, *WINNERS)))
    yield "outcome IS NULL", "winner", f"accepted: {words}, or the name of who won"
    if "weight" in columns.place:
        low, high = WEIGHTS
        bad = f"coalesce(NOT (isfinite(weight) AND weight BETWEEN {low} AND {high}), TRUE)"
        yield bad, "weight", f"accepted: a number from {low:f} to {high:,.0f}"
    for key in ("score_a", "score_b"):
        bad = f"given_{key} IS NOT NULL AND coalesce(NOT isfinite({key}), TRUE)"
        yield bad, key, "accepted: a number, or nothing"
    for key, column, accepted in (
        (
            "timestamp",
            "finished_at",
            "a date and time as in ISO 8601, seconds since 1970, or nothing",
        ),
        ("simulated", "simulated", "true, false"),
    ):
        yield f"given_{key} IS NOT NULL AND {column} IS NULL", key, f"accepted: {accepted}"
    if "debate" in columns.place:
        debate = "accepted: the id of the debate (--no-group needs none)"
        yield "given_debate IS NULL", "debate", debate
        yield _check_name("judge", "judge", _LONGEST_JUDGE)
        bad = f"given_judge IN ({', '.join(map(sql_text, _RESERVED))})"
        yield bad, "judge", f"{', '.join(_RESERVED)} are reserved: they name other benches"
    for key in ("category", "language"):
        yield f"given_{key} = 'all'", key, "'all' is reserved: it selects all of them"


def _check_name(key: str, column: str, longest: int) -> tuple[str, str, str]:
    bad = (
        f"coalesce(length(given_{key}) > {longest} "
        f"OR regexp_matches(given_{key}, '[\\x00-\\x1f\\x7f-\\x9f]'), TRUE)"
    )
    return bad, column, f"accepted: a name of 1 to {longest} printable characters"


def _fault_sentence(key: str, columns: Columns, accepted: str) -> str:
    """Return the SQL of a sentence: the column, the value that it has, and what is accepted."""
    shape = columns.shape
    ours = {shape.first: "first", shape.second: "second"}.get(key, key)
    value = f"coalesce('''' || left(given_{ours}, 60) || '''', 'nothing')"
    column = columns.place.get(key, key)
    return f"{sql_text(f'{column}: given ')} || {value} || {sql_text(f'; {accepted}')}"

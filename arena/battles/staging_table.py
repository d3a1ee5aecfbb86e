"""Battle logs checked and converted to one format, before anything is stored.

One streaming query copies the rows to a temporary Parquet file, so that memory does not grow with
the log. A row that cannot be used gets a sentence that says why. Rows without a verdict are left
out, spellings joined and repeats dropped by a second copy, where a log has any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.battles.columns import (
    OPTIONAL,
    Columns,
    Hints,
    check_debate_column,
    recognise,
    take_hints,
)
from arena.battles.judgements import REMEDY, escape_braces, judgement_problems
from arena.battles.layouts import KNOWN_HEADS
from arena.battles.repeats import Repeats, find_repeats, is_repeat, may_repeat
from arena.battles.source import Source, open_source, sql_text
from arena.battles.spellings import Spellings, find_spellings, join_spellings
from arena.battles.times import ACCEPTED_TIMES, read_time, write_iso
from arena.battles.winners import ITSELF, NO_VERDICT, SHOWN_WORDS, check_numbers, outcome_case
from arena.config.stored import JUDGES
from arena.errors import ConfigError
from arena.records import IMPORTED
from arena.store.battles import NO_LANGUAGE, NO_MOTION
from arena.store.scratch import open_scratch_database
from arena.text import counted

#: Names of judges that mean something else where a bench is named.
_RESERVED: Final = ("all", IMPORTED, JUDGES)
_LONGEST_JUDGE: Final = 80
_LONGEST_NAME: Final = 200
_ENCODING_REMEDY: Final = (
    ", or name its encoding, for example --encoding cp1252 (Western European, as Excel writes it) "
    "or --encoding gb18030 (Chinese)"
)

#: The least and the most that a battle may weigh; without a weight, it weighs 1. Beyond, a single
#: row would outweigh a whole log, or count for nothing.
WEIGHTS = (1e-6, 1e6)

#: What programs write for a value that is missing.
_MISSING: Final = "'nan', 'nat', 'null', 'none', 'na', 'n/a', '<na>', '-'"
_SCORED: Final = "count(*) FILTER (WHERE outcome <> 0.5 AND score_a <> score_b)"
_COMMA: Final = "; for 7,5: --decimal-comma"
_SHOWN = 5
_STAGE = """
    COPY (
        WITH parsed AS (
            SELECT row_number() OVER () AS row, {columns},
                   TRY_CAST({weight} AS DOUBLE) AS weight,
                   TRY_CAST({score_a} AS DOUBLE) AS score_a,
                   TRY_CAST({score_b} AS DOUBLE) AS score_b,
                   TRY_CAST({simulated} AS BOOLEAN) AS simulated
            FROM {source}
        ), dated AS (
            SELECT *, {written} AS written FROM parsed
        ), decided AS (
            SELECT *, {outcome} AS outcome, {finished_at} AS finished_at FROM dated
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
class ReadingOptions:
    """How a user wants a file to be read.

    Attributes:
        renamed: heads by our names of columns; empty for a column that is not used.
        winners: what the file's words for the winner mean, as `MEANINGS` names it.
        encoding: that of the text; empty to find it.
        grouped: whether rows may be debates and groups.
        join_spellings: whether spellings of one name count as one.
        drop_repeats: whether rows that repeat an earlier one are left out.
        baseline: the model that a file of Arena-Hard does not name.
        decimal_comma: whether numbers are written as 7,5.
        dates: the order of day, month and year, a key of `DATES`; None where the year is first.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    winners: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    grouped: bool = True
    join_spellings: bool = False
    drop_repeats: bool = False
    baseline: str = ""
    decimal_comma: bool = False
    dates: str | None = None


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
        skipped: the number of rows that hold no verdict, which are left out.
        itself: the number of rows that compare a participant with itself, left out as well.
        scored: the number of rows with a winner and two scores that are not equal.
        contradicted: that of those in which the winner has the lower score.
    """

    reading: ReadingOptions
    path: Path
    rows: int
    verdicts: int
    judges: tuple[str, ...]
    unshared: int
    columns: Columns
    hints: Hints
    participants: tuple[str, ...]
    simulated: bool
    skipped: int
    itself: int
    scored: int
    contradicted: int
    repeats: Repeats
    spellings: tuple[Spellings, ...]


def stage(file: Path, reading: ReadingOptions, *, into: Path) -> Staged:
    """Check a battle log, and copy its rows to a Parquet file.

    Args:
        file: in one of the forms of `open_source`.
        reading: how it is read.
        into: the folder of the Parquet file.

    Raises:
        ConfigError: the file cannot be read, has no rows, lacks a column, some row of it cannot be
            used, or several columns look like groups; the message names rows and columns.
    """
    if reading.renamed.get("debate") and not reading.grouped:
        raise ConfigError(
            f"--column debate={reading.renamed['debate']} says which rows judge the same debate, "
            "and --no-group counts every row by itself. Use one of them."
        )
    with open_scratch_database(file, folder=into) as link:
        source = open_source(
            link,
            file,
            folder=into,
            encoding=reading.encoding,
            remedy=_ENCODING_REMEDY,
            heads=KNOWN_HEADS,
        )
        source, columns = recognise(source, reading.renamed, baseline=reading.baseline)
        check_debate_column(reading.renamed, columns, where=str(file))
        hints = take_hints(source, columns, grouped=reading.grouped)
        check_numbers(source, hints.columns, reading.winners)
        path = into / "checked.parquet"
        link.execute(_staging_statement(source, hints.columns, reading, path))
        _check_rows(link, file, f"SELECT row, problem FROM {_table(path)}")
        return _settle(source, reading, path=path, hints=hints)


def _settle(source: Source, reading: ReadingOptions, *, path: Path, hints: Hints) -> Staged:
    """Leave out and join what is to be, check how rows fit each other, and describe them."""
    link, file = source.link, source.path
    skipped, itself = (
        _count(link, f"{_table(path)} WHERE outcome = {outcome}")
        for outcome in (NO_VERDICT, ITSELF)
    )
    if skipped or itself:
        path = _copy(link, path, f"FROM {_table(path)} WHERE outcome >= 0", "verdicts")
    spellings = find_spellings(link, _table(path))
    if spellings and reading.join_spellings:
        path = _copy(link, path, join_spellings(link, _table(path), spellings), "joined")
        head = hints.columns.place[hints.columns.shape.second]
        same = sql_text(
            f"{escape_braces(head)}: '{{}}' would be compared with itself: its spellings "
            "are joined. Remove the row, or leave --join-spellings out"
        )
        problem = f"CASE WHEN first = second THEN format({same}, left(first, 60)) END AS problem"
        _check_rows(link, file, f"SELECT row, {problem} FROM {_table(path)}")
    is_judged = bool(hints.debate)
    repeats = Repeats()
    if not is_judged and may_repeat(link, _table(path)):
        path = _copy(link, path, _with_whole_rows(source, path), "whole")
        repeats = find_repeats(link, _table(path))
    if repeats.count and reading.drop_repeats:
        path = _copy(link, path, f"FROM {_table(path)} QUALIFY NOT {is_repeat()}", "once")
    if not _count(link, _table(path)):
        raise ConfigError(f"{file}: none of its rows has a verdict, so nothing was imported.")
    if is_judged:
        problems = judgement_problems(_table(path), hints.columns)
        _check_rows(link, file, problems, remedy=REMEDY)
    return Staged(
        reading=reading,
        path=path,
        columns=hints.columns,
        hints=hints,
        skipped=skipped,
        itself=itself,
        repeats=repeats,
        spellings=spellings,
        **_summarise(link, _table(path), is_judged=is_judged),
    )


def _table(path: Path) -> str:
    return f"read_parquet({sql_text(str(path))})"


def _copy(link: Any, path: Path, query: str, name: str) -> Path:  # noqa: ANN401 - a connection
    """Copy rows to another Parquet file beside the first."""
    target = path.with_name(f"{name}.parquet")
    link.execute(f"COPY ({query}) TO {sql_text(str(target))} (FORMAT parquet)")
    return target


def _with_whole_rows(source: Source, path: Path) -> str:
    """Return the SQL of checked rows with a hash of all that the file's row has."""
    whole = f"SELECT row_number() OVER () AS row, hash(own) AS whole FROM {source.query} AS own"  # noqa: S608
    return f"SELECT * FROM {_table(path)} JOIN ({whole}) USING (row) ORDER BY row"  # noqa: S608


def _count(link: Any, rows: str) -> int:  # noqa: ANN401 - an open connection
    return int(link.execute(f"SELECT count(*) FROM {rows}").fetchall()[0][0])


def _summarise(link: Any, staged: str, *, is_judged: bool) -> dict[str, Any]:  # noqa: ANN401
    """Return the fields of `Staged` that are read from the checked rows."""
    judges = link.execute(f"SELECT judge FROM {staged} GROUP BY judge ORDER BY min(row)").fetchall()
    kept = "count(DISTINCT (debate, judge))" if is_judged else "count(*)"
    rows, verdicts, simulated, scored, contradicted = link.execute(
        f"SELECT count(*), {kept}, bool_or(simulated), {_SCORED}, "
        f"{_SCORED[:-1]} AND (outcome > 0.5) = (score_a < score_b)) FROM {staged}"
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
        "scored": int(scored),
        "contradicted": int(contradicted),
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
        listed = "".join(_list_problems(first))
        more = f"\n  … and {bad - len(first):,} more" if bad > len(first) else ""
        raise ConfigError(
            f"{file}: {bad:,} of {counted(rows, 'row', style=',')} cannot be used, so nothing was "
            "imported (the first battle is row 1)."
            f"{listed}{more}{remedy}"
        )


def _list_problems(rows: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield a line for each problem; what is accepted is said once where it is the same."""
    known = ""
    for row, problem in rows:
        given, accepted, rest = problem.partition("; accepted: ")
        yield f"\n  row {row}, column {given if accepted and rest == known else problem}"
        known = rest


def _staging_statement(
    source: Source, columns: Columns, reading: ReadingOptions, target: Path
) -> str:
    """Return the SQL that checks the rows of a source and writes them to a Parquet file."""
    place = {key: source.columns[head] for key, head in columns.place.items()}
    shape = columns.shape
    values = {
        "first": place[shape.first],
        "second": place[shape.second],
        "winner": place["winner"],
        **{key: place.get(key, "NULL") for key in OPTIONAL},
    }
    for key in ("score_a", "score_b", "timestamp"):
        values[key] = (
            f"CASE WHEN lower(trim({values[key]})) NOT IN ({_MISSING}) THEN {values[key]} END"
        )
    if reading.decimal_comma:
        for key in ("weight", "score_a", "score_b"):
            values[key] = f"replace(replace({values[key]}, '.', ''), ',', '.')"
    return _STAGE.format(
        columns=", ".join(
            f"nullif(trim(CAST({column} AS TEXT)), '') AS given_{key}"
            for key, column in values.items()
        ),
        outcome=outcome_case(shape, reading.winners),
        written=write_iso("given_timestamp", reading.dates),
        finished_at=read_time("written"),
        source=source.query,
        target=sql_text(str(target)),
        kept_weight="weight" if "weight" in place else "1.0",
        problem=_problem_case(columns),
        no_motion=sql_text(NO_MOTION),
        no_language=sql_text(NO_LANGUAGE),
        **{key: values[key] for key in ("weight", "score_a", "score_b", "simulated")},
    )


def _problem_case(columns: Columns) -> str:
    """Return the SQL of a CASE that says what is wrong with a row; NULL where nothing is."""
    cases = (
        f"WHEN {bad} THEN {_fault_sentence(key, columns, accepted)}"
        for bad, key, accepted in _checks(columns)
    )
    return f"CASE WHEN outcome < 0 THEN NULL {' '.join(cases)} END"


def _checks(columns: Columns) -> Iterator[tuple[str, str, str]]:
    """Yield the checks of a row: SQL condition, column, and what is accepted."""
    shape = columns.shape
    yield _check_name("first", shape.first, _LONGEST_NAME)
    yield _check_name("second", shape.second, _LONGEST_NAME)
    words = ", ".join(dict.fromkeys((*shape.outcomes, *SHOWN_WORDS)))
    accepted = f"accepted: {words}, or the name of who won; for others: --winner THEIRS=OURS"
    yield "outcome IS NULL", "winner", accepted
    if "weight" in columns.place:
        low, high = WEIGHTS
        bad = f"coalesce(NOT (isfinite(weight) AND weight BETWEEN {low} AND {high}), TRUE)"
        yield bad, "weight", f"accepted: a number from {low:f} to {high:,.0f}{_COMMA}"
    for key in ("score_a", "score_b"):
        bad = f"given_{key} IS NOT NULL AND coalesce(NOT isfinite({key}), TRUE)"
        yield bad, key, f"accepted: a number, or nothing{_COMMA}"
    for key, column, accepted in (
        (
            "timestamp",
            "finished_at",
            f"{ACCEPTED_TIMES}, or nothing; without this column: --column timestamp=",
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

"""The tables and views of the database with the meaning of each column, read from their SQL.

python -m arena.store.descriptions > docs/database.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from arena.store.connections import open_memory
from arena.store.schema import THIS_FILE, schema_sql, views_sql

#: The beginning of a statement, with the comment before it.
_STATEMENT: Final = re.compile(r"((?:^-- .*\n)*)^CREATE (?:OR REPLACE )?(TABLE|VIEW) (\w+)", re.M)
#: A line of a statement: its SQL, and its comment.
_LINE: Final = re.compile(r"^(.*?)\s*-- (.*)$")
_COLUMNS: Final = f"""
    SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE {THIS_FILE} ORDER BY table_oid, column_index
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedColumn:
    """A column: its type in DuckDB, and its meaning with its unit."""

    name: str
    kind: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedTable:
    """A table or view: what its rows are, a query of a view, and the columns in their order."""

    name: str
    is_view: bool
    meaning: str
    example: str
    columns: tuple[DescribedColumn, ...]


def describe_database() -> list[DescribedTable]:
    """Return all views, then all tables, in the order of their SQL.

    A meaning is '' where the SQL has no comment.
    """
    with open_memory() as connection:
        connection.execute(schema_sql())
        connection.execute(views_sql())
        rows = connection.execute(_COLUMNS).fetchall()
    described = []
    for text in (views_sql(), schema_sql()):
        for kind, name, comment, body in _split(text):
            meanings = dict(_column_meanings(body, is_view=kind == "VIEW"))
            columns = tuple(
                DescribedColumn(
                    name=column,
                    kind=type_name,
                    meaning=meanings.get(column, ""),
                )
                for table, column, type_name in rows
                if table == name
            )
            meaning, _, example = comment.partition("\nExample:\n")
            described.append(
                DescribedTable(
                    name=name,
                    is_view=kind == "VIEW",
                    meaning=meaning.replace("\n", " "),
                    example=example,
                    columns=columns,
                )
            )
    return described


def _split(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield kind, name, comment and body of each statement."""
    found = list(_STATEMENT.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=True):
        comment = "\n".join(line.removeprefix("-- ") for line in match[1].splitlines())
        yield match[2], match[3], comment, text[match.end() : end]


def _column_meanings(body: str, *, is_view: bool) -> Iterator[tuple[str, str]]:
    """Yield each column that has a comment, and the comment, its further lines included."""
    column, words = "", list[str]()
    for line in body.splitlines():
        match = _LINE.match(line)
        if match is None or match[1].strip():
            if column:
                yield column, " ".join(words)
            column, words = "", []
        if match is None:
            continue
        if names := re.findall(r"\w+", match[1]):
            column = names[-1] if is_view else names[0]
        words.append(match[2])
    if column:
        yield column, " ".join(words)


_HEAD: Final = """\
# The database

Results are in one DuckDB file: `results.duckdb`, or what `--db` names. This page \
is made by `python -m arena.store.descriptions`.

    import duckdb
    with duckdb.connect("results.duckdb", read_only=True) as db:
        print(db.sql("FROM leaderboard"))

While a run works, it opens the file for a moment at a time, and DuckDB refuses readers during \
that moment: try again. Read only: what is changed by hand, `arena verify` reports. A database of \
an older version gets the views when a command next writes to it.

Texts that are not there are `''`, numbers and times `NULL`. Times have a zone; costs are USD.
"""


def database_page() -> str:
    """Return the page of all views and tables, as Markdown."""
    described = describe_database()
    parts = [_HEAD]
    for title, is_view in (("Views", True), ("Tables", False)):
        parts.append(f"## {title}\n")
        if is_view:
            parts.append("Names and columns of views are kept as they are by later versions.\n")
        parts += [_section(table) for table in described if table.is_view == is_view]
    return "\n".join(parts)


def _section(table: DescribedTable) -> str:
    lines = [f"### {table.name}", "", table.meaning, ""]
    if table.example:
        lines += [f"    {line}" for line in table.example.splitlines()] + [""]
    lines += ["| column | type | meaning |", "| --- | --- | --- |"]
    for column in table.columns:
        meaning = column.meaning.replace("|", "\\|")
        lines.append(f"| `{column.name}` | {column.kind} | {meaning} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(database_page(), end="")

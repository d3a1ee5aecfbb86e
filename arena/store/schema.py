"""The schema of the database, and how an older file comes to it: things are only ever added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from arena.store.battles import KEEP_STORED

#: How a table that an older file lacks is filled from what it has.
FILLS: Final[Mapping[str, str]] = {"battles": KEEP_STORED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: its type, whether it may be empty, and its default."""

    kind: str
    nullable: bool
    default: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a database holds: the statements that make its tables, and their columns."""

    tables: Mapping[str, str]
    columns: Mapping[tuple[str, str], Column]


def schema() -> str:
    """The statements that make all tables."""
    return files("arena.store").joinpath("schema.sql").read_text("utf-8")


def layout(link: Any) -> Layout:  # noqa: ANN401 - an open connection
    """The layout of an open database."""
    tables = link.execute("SELECT table_name, sql FROM duckdb_tables() WHERE NOT internal")
    found = dict(tables.fetchall())
    columns = link.execute(
        "SELECT table_name, column_name, data_type, is_nullable, column_default "
        "FROM duckdb_columns() WHERE NOT internal ORDER BY table_oid, column_index"
    )
    return Layout(
        tables=found,
        columns={
            (table, name): Column(kind=kind, nullable=nullable, default=default)
            for table, name, kind, nullable, default in columns.fetchall()
        },
    )


def steps(found: Layout, wanted: Layout) -> list[str]:
    """The statements that add tables and columns, let be empty what may be empty now, and fill."""
    made = [text for name, text in wanted.tables.items() if name not in found.tables]
    for (table, name), column in wanted.columns.items():
        if table not in found.tables:
            continue
        if (table, name) not in found.columns:
            given = "" if column.default is None else f" DEFAULT {column.default}"
            made.append(f'ALTER TABLE {table} ADD COLUMN "{name}" {column.kind}{given}')
        elif column.nullable and not found.columns[table, name].nullable:
            made.append(f'ALTER TABLE {table} ALTER COLUMN "{name}" DROP NOT NULL')
    return made + [FILLS[name] for name in FILLS if name not in found.tables]

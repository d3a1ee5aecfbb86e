"""The schema of the database, and the upgrade of older files, which only ever adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from arena.store.battles import INSERT_STORED_BATTLES

#: The statement that fills a table which an older file lacks, by table.
_FILL_STATEMENTS: Final[Mapping[str, str]] = {"battles": INSERT_STORED_BATTLES}

#: What the tables of one file fulfil, where several are attached to an instance of DuckDB.
THIS_FILE: Final = "database_name = current_database() AND NOT internal"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredColumn:
    """A column of a table: its type, whether it may be NULL, and its default."""

    kind: str
    nullable: bool
    default: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaLayout:
    """The tables of a database: the CREATE statement of each, and their columns."""

    tables: Mapping[str, str]
    columns: Mapping[tuple[str, str], StoredColumn]


def schema_sql() -> str:
    """Return the statements that create all tables."""
    return files("arena.store").joinpath("schema.sql").read_text("utf-8")


def views_sql() -> str:
    """Return the statements that create, or replace, the views for users."""
    return files("arena.store").joinpath("views.sql").read_text("utf-8")


def read_views(connection: Any) -> Mapping[str, str]:  # noqa: ANN401 - a DuckDB connection
    """Return the CREATE statement of each view of an open database, by name."""
    views = connection.execute(f"SELECT view_name, sql FROM duckdb_views() WHERE {THIS_FILE}")
    return dict(views.fetchall())


def read_layout(connection: Any) -> SchemaLayout:  # noqa: ANN401 - a DuckDB connection
    """Read the layout of an open database."""
    tables = connection.execute(f"SELECT table_name, sql FROM duckdb_tables() WHERE {THIS_FILE}")
    statements = dict(tables.fetchall())
    columns = connection.execute(
        "SELECT table_name, column_name, data_type, is_nullable, column_default "
        f"FROM duckdb_columns() WHERE {THIS_FILE} ORDER BY table_oid, column_index"
    )
    return SchemaLayout(
        tables=statements,
        columns={
            (table, name): StoredColumn(kind=kind, nullable=nullable, default=default)
            for table, name, kind, nullable, default in columns.fetchall()
        },
    )


def upgrade_statements(old: SchemaLayout, new: SchemaLayout) -> list[str]:
    """Return the statements that bring a database from one layout to a newer one.

    They add tables and columns, drop NOT NULL from columns that may be empty now, and fill the
    added tables from the others.
    """
    statements = [text for name, text in new.tables.items() if name not in old.tables]
    for (table, name), column in new.columns.items():
        if table not in old.tables:
            continue
        if (table, name) not in old.columns:
            default = "" if column.default is None else f" DEFAULT {column.default}"
            statements.append(f'ALTER TABLE {table} ADD COLUMN "{name}" {column.kind}{default}')
        elif column.nullable and not old.columns[table, name].nullable:
            statements.append(f'ALTER TABLE {table} ALTER COLUMN "{name}" DROP NOT NULL')
    fills = [text for table, text in _FILL_STATEMENTS.items() if table not in old.tables]
    return statements + fills

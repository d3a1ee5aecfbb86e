"""Anybody's queries on a database, whose results are kept in memory."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from arena.errors import StoreError
from arena.store.database import Store

_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"


def read_relation(
    store: Store, query: str, parameters: Mapping[str, object] | None = None
) -> duckdb.DuckDBPyRelation:
    """Run one SELECT, and return its result as a relation of a database in memory.

    Args:
        parameters: by name, for `$name` in the query.

    Raises:
        StoreError: the query is wrong or does something else than select, or the file cannot be
            read.
    """

    def work(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
        kinds = [statement.type.name for statement in connection.extract_statements(query)]
        if kinds not in (["SELECT"], ["SELECT_STATEMENT"]):  # as versions of DuckDB call it
            raise StoreError(
                f"{store.path}: only one SELECT at a time can be run on results, not: {query!r}."
            )
        result = connection.sql(query, params=dict(parameters or {})).to_arrow_table()
        return duckdb.connect().from_arrow(result)

    if not store.exists():
        store.tuples(_TABLES)  # says that there is no such database
    try:
        return store.fetch(work)
    except duckdb.Error as error:
        tables = ", ".join(sorted(str(name) for (name,) in store.tuples(_TABLES)))
        reason = str(error).splitlines()[0]
        raise StoreError(
            f"{store.path}: the query cannot be run ({reason}). Tables: {tables}."
        ) from None


def read_table(store: Store, table: str) -> duckdb.DuckDBPyRelation:
    """Return a table as a relation of a database in memory; raises as `read_relation`."""
    name = table.replace('"', '""')
    return read_relation(store, f'SELECT * FROM "{name}"')

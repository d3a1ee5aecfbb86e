"""Several tournaments of a database as one: views in the place of the tables that name them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from arena.errors import StoreError
from arena.store.database import Store

if TYPE_CHECKING:
    import duckdb

#: The tables that name tournaments and are read for boards; the ids of all others lead to these.
#: Stored boards are of single tournaments, so that a joined one has none.
_TABLES: Final = ("debates", "battles")
#: Views are asked for `rowid` as the tables are.
_SAME: Final = """
    CREATE TEMP VIEW {table} AS SELECT rowid, * REPLACE ({name} AS tournament)
    FROM {file}.{table} WHERE list_contains({joined}, tournament)
"""
_TOURNAMENT: Final = """
    CREATE TEMP VIEW tournaments AS
    SELECT * REPLACE ({name} AS tournament, {config}::JSON AS config)
    FROM {file}.tournaments WHERE tournament = {joined}[1]
"""
_PARTICIPANTS: Final = """
    CREATE TEMP VIEW participants AS SELECT DISTINCT ON (participant_id)
        * REPLACE ({name} AS tournament)
    FROM {file}.participants WHERE list_contains({joined}, tournament)
"""
#: The waves of a tournament follow those of the one before, and its plan is added to that one's: as
#: if the plan had been changed when the earlier board had been seen.
_WAVES: Final = """
    CREATE TEMP VIEW waves AS
    WITH numbered AS (
        SELECT *, list_position({joined}, tournament) AS place,
               CAST(schedule->>'$.planned' AS INTEGER) AS planned
        FROM {file}.waves WHERE list_contains({joined}, tournament)
    ), ends AS (
        SELECT place, max(wave) + 1 AS waves, arg_max(planned, wave) AS planned
        FROM numbered GROUP BY place
    ), starts AS (
        SELECT place, coalesce(sum(waves) OVER earlier, 0)::INTEGER AS first_wave,
               coalesce(sum(planned) OVER earlier, 0)::INTEGER AS planned_before
        FROM ends
        WINDOW earlier AS (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
    SELECT * EXCLUDE (place, planned, first_wave, planned_before) REPLACE (
        {name} AS tournament, wave + first_wave AS wave,
        CASE WHEN planned IS NULL THEN schedule ELSE json_merge_patch(
            schedule, json_object('planned', planned + planned_before)
        ) END AS schedule
    ) FROM numbered JOIN starts USING (place)
"""


class JoinedStore(Store):
    """A database in which some tournaments are one; it is only read.

    Args:
        store: the database.
        name: of all of them together.
        tournaments: their names, the oldest first.
        config: the configuration of all of them together, as it would be stored.
    """

    def __init__(
        self, store: Store, name: str, tournaments: Sequence[str], config: Mapping[str, Any]
    ) -> None:
        super().__init__(store.path)
        self.patience = store.patience
        self.name = name
        self._values = {
            "name": _quote(name),
            "joined": f"[{', '.join(map(_quote, tournaments))}]",
            "config": _quote(json.dumps(config, ensure_ascii=False)),
        }

    @contextmanager
    def _connect(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        if not read_only:
            raise StoreError(f"{self.name!r} is several tournaments, which can only be read.")
        with super()._connect(read_only=True) as connection:
            (file,) = connection.execute("SELECT current_database()").fetchone() or ("",)
            for table in _TABLES:
                connection.execute(_SAME.format(table=table, file=file, **self._values))
            for view in (_TOURNAMENT, _PARTICIPANTS, _WAVES):
                connection.execute(view.format(file=file, **self._values))
            yield connection


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

"""A database of results in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from arena.boards.method import IntervalKind
from arena.notebook.results import Leaderboard, Records
from arena.notebook.tournament import Filters, Tournament
from arena.read.joined import open_tournaments
from arena.read.tournaments import TournamentRow, read_tournaments
from arena.store.database import Store
from arena.store.relations import read_relation, read_table

if TYPE_CHECKING:
    import duckdb


class Database:
    """A database of results, of which nothing stays open between two calls.

    Another process may write meanwhile: a call waits for up to ten seconds until the file is free.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __repr__(self) -> str:
        return f"<database {self.path}: {', '.join(self.names()) or 'no tournament'}>"

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    @property
    def tournaments(self) -> Records[TournamentRow]:
        """All tournaments, the newest first."""
        rows = read_tournaments(self._store)
        noun = ("tournament", "tournaments")
        return Records(TournamentRow, rows, about=str(self.path), noun=noun)

    def names(self) -> list[str]:
        """Return the names of the tournaments, the newest first."""
        return [row.tournament for row in self.tournaments]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __getitem__(self, names: str | tuple[str, ...]) -> Tournament:
        return self.tournament(*((names,) if isinstance(names, str) else names))

    def tournament(self, *names: str) -> Tournament:
        """Return a tournament, by default the newest, or several as one.

        Participants and benches that they share, by name and definition, are one.

        Raises:
            ConfigError: there is none of a name, and the message lists those that there are; or
                several cannot be joined.
        """
        resolved = open_tournaments(self._store, names)[1]
        return Tournament(self._store, *(resolved.joined or (resolved.name,)))

    def leaderboard(
        self,
        tournaments: Sequence[str] = (),
        *,
        anchor: str | None = None,
        intervals: IntervalKind = "sandwich",
        **filters: Unpack[Filters],
    ) -> Leaderboard:
        """Rate the participants of the newest tournament, or of several as one.

        Args:
            tournaments: their names.
            anchor: as in `Tournament.leaderboard`, with all that follows.

        Raises:
            ConfigError: as in `tournament`.
        """
        joined = self.tournament(*tournaments)
        return joined.leaderboard(anchor=anchor, intervals=intervals, **filters)

    def sql(self, query: str, **parameters: object) -> duckdb.DuckDBPyRelation:
        """Run a query that only reads, such as `SELECT * FROM debates WHERE tournament = $name`.

        Returns:
            Its result as a relation in memory, with `.df()`, `.to_arrow_table()`, `.filter(…)` and
            so on; the file is closed, and was not copied.

        Raises:
            StoreError: the query is wrong or would write, or the file cannot be read.
        """
        return read_relation(self._store, query, parameters)

    def relation(self, table: str) -> duckdb.DuckDBPyRelation:
        """Return a table of the database, as `sql` does; for example `debates`.

        Raises:
            StoreError: there is no such table; the message lists those that there are.
        """
        return read_table(self._store, table)


def open_database(path: str | Path = "results.duckdb") -> Database:
    """Open a database of results; one of an older version is upgraded, as by a command.

    Raises:
        StoreError: there is no such file, or it is no database that this version can read.
    """
    store = Store(Path(path))
    store.check()
    read_tournaments(store)  # says where there is no such file, or nothing in it
    return Database(store)

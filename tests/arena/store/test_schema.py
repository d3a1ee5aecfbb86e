"""The schema: made by the first write, and brought from what an older program wrote."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from arena.errors import StoreError
from arena.store.database import SCHEMA_VERSION, Store
from tests.support.stored_databases import set_version, write_exchanges

TABLES = {
    "awaited", "ballot_scores", "ballots", "battles", "board_states", "boards", "calibrations",
    "call_limits", "calls", "debates", "diversity", "drafts", "exchanges", "motions",
    "participants", "ratings", "request_shapes", "speeches", "structured_modes", "tournaments",
    "trials", "waves",
}  # fmt: skip


def names(store: Store) -> set[str]:
    """The tables of a database; its views are looked at by themselves."""
    return {str(name) for (name,) in store.tuples("SELECT table_name FROM duckdb_tables()")}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "own.duckdb")


def test_the_first_write_makes_the_schema(store: Store) -> None:
    assert not store.exists()
    store.check()
    assert not store.exists(), "looking makes nothing"
    write_exchanges(store, "a")
    assert store.exists()
    assert names(store) == TABLES
    store.check()


@pytest.mark.parametrize("table", ["cats", "tournaments"])
def test_a_database_of_something_else_is_refused(store: Store, table: str) -> None:
    with duckdb.connect(str(store.path)) as link:
        link.execute(f"CREATE TABLE {table} (id INTEGER)")
    with pytest.raises(StoreError, match="not one of debate-arena") as caught:
        store.check()
    assert table in str(caught.value) and "--db" in str(caught.value)


def test_an_empty_database_may_be_used(store: Store) -> None:
    duckdb.connect(str(store.path)).close()
    store.check()
    write_exchanges(store, "a")
    assert names(store) == TABLES


def test_a_newer_schema_version_is_refused(store: Store) -> None:
    set_version(store, SCHEMA_VERSION + 1)
    with pytest.raises(StoreError) as caught:
        store.check()
    assert f"its schema is version {SCHEMA_VERSION + 1}" in str(caught.value)
    assert f"reads version {SCHEMA_VERSION}" in str(caught.value)


def test_an_older_schema_is_brought_to_this_one(store: Store) -> None:
    set_version(store, SCHEMA_VERSION - 1)
    with duckdb.connect(str(store.path)) as link:
        link.execute("DROP TABLE drafts")
        link.execute("ALTER TABLE ballots DROP COLUMN weight")
        link.execute("ALTER TABLE debates DROP COLUMN replays")
        link.execute("ALTER TABLE ballot_scores ALTER COLUMN pro_mark SET NOT NULL")
        link.execute(
            "INSERT INTO debates (debate_id, matchup_id, tournament, motion_id, language, leg, "
            "repeat, pro, con, status) VALUES ('d', 'm', 't', 'x', 'en', 0, 0, 'a', 'b', 'planned')"
        )
    store.check()
    assert names(store) == TABLES
    assert store.read("SELECT replays FROM debates")["replays"].tolist() == [0]
    assert store.read("SELECT weight FROM ballots").empty
    columns = (
        "SELECT is_nullable FROM duckdb_columns() "
        "WHERE table_name = 'ballot_scores' AND column_name = 'pro_mark'"
    )
    assert store.read(columns)["is_nullable"].tolist() == [True]
    versions = store.read("SELECT DISTINCT schema_version AS v FROM tournaments")["v"]
    assert versions.tolist() == [SCHEMA_VERSION]
    before = store.path.read_bytes()
    store.check()
    assert store.path.read_bytes() == before, "there is nothing to add any more"

"""Hashes of what has ended: the same for the same content, and made for older databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store import consistency, seals
from arena.store.consistency import find_faults
from arena.store.database import Store
from arena.store.seals import GROUP_KEYS, ROW_TABLES, UNIT_KEYS, VERSIONS, sealed_columns
from tests.support.command_line import done
from tests.support.older_databases import restore
from tests.support.stored_databases import change
from tests.support.tournaments import commit, judged, planned, played

_SEALED = (*UNIT_KEYS, *ROW_TABLES, *GROUP_KEYS)


def _hashes(store: Store, column: str) -> list[str]:
    frame = store.read(f"SELECT {column} AS hash FROM debates WHERE status = 'finished' ORDER BY 1")
    return list(frame["hash"])


def test_every_column_is_sealed_but_those_that_are_named(tmp_path: Path) -> None:
    """A new column goes into a list of a new version, or stands here with what makes up for it."""
    store, _ = planned(tmp_path / "a.duckdb")
    own = {"result_hash", "record_hash"}  # the hashes themselves
    others = {
        "ballots": {"entry"},  # the number of the writing, counted anew by `verify`
        # By which calls are grouped, an account, and how it was made.
        "calls": {"unit", "reserved_tokens", "estimated"},
        "exchanges": {"unit", "requests_and_answers"},  # the content has a hash of its own
        **dict.fromkeys(("speeches", "awaited"), {"debate_id"}),
        "drafts": {"debate_id", "handed_in", "changed_at"},
        "ballot_scores": {"ballot_id"},
    }
    columns = "SELECT column_name AS name FROM duckdb_columns() WHERE table_name = $table"
    for table, sealed in sealed_columns().items():
        stored = {row["name"] for row in store.plain_rows(columns, {"table": table})}
        assert stored - sealed - own == others.get(table, set()), table


def test_what_was_decided_has_the_same_hash_whatever_it_cost(tmp_path: Path) -> None:
    stores = []
    for name, usd in (("a", 0.5), ("b", 0.25)):
        store, plan = planned(tmp_path / f"{name}.duckdb")
        commit(store, played(plan.debates[0], costs=[("pro/a", usd)]), judged(plan.debates[0]))
        stores.append(store)
    results, records = (
        [_hashes(s, f"{kind}_hash") for s in stores] for kind in ("result", "record")
    )
    assert results[0] == results[1] and results[0][0].startswith(f"{seals.VERSION}:")
    assert records[0] != records[1]


def test_only_what_has_ended_has_a_hash(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "a.duckdb")
    first, second, *_ = plan.debates
    commit(store, played(first, "void"), played(second), judged(second, status="failed"))
    states = store.read("SELECT status FROM debates WHERE result_hash <> ''")["status"]
    assert list(states) == ["finished"]
    assert list(store.read("SELECT entry FROM ballots WHERE record_hash <> ''")["entry"]) == [1]


def test_an_older_database_gets_its_hashes_when_it_is_opened(own_database: Path) -> None:
    store = Store(own_database)
    change(
        store,
        *(f"ALTER TABLE {table} DROP COLUMN record_hash" for table in _SEALED),
        *(f"ALTER TABLE {table} DROP COLUMN result_hash" for table in ("debates", "ballots")),
        "ALTER TABLE ballots DROP COLUMN entry",
        "ALTER TABLE exchanges DROP COLUMN content_hash",
        "DROP TABLE boards",
        "UPDATE tournaments SET schema_version = 6",
    )
    store.check()
    assert list(find_faults(store)) == []
    assert set(store.read("SELECT DISTINCT entry FROM ballots")["entry"]) == {0}
    assert len(_hashes(store, "result_hash")) == 6 and all(_hashes(store, "record_hash"))


def test_an_added_row_without_a_hash_is_a_fault(own_database: Path) -> None:
    store = Store(own_database)
    change(store, "UPDATE ballots SET record_hash = ''")
    (fault,) = find_faults(store)
    assert (fault.table, fault.count) == ("ballots", 6)
    assert "it differs from its hash, or carries none" in str(fault)
    assert str(fault).endswith("and 3 more)")


_RAISED = """
[tournament]
name = "older"
languages = ["en"]
motions = "arena66"
most_motions = 2
seed = 7

[schedule]
matchups_per_pair = 2

[[participants]]
name = "good"
debater = "direct"
model = "offline/good"

[[participants]]
name = "weak"
debater = "direct"
model = "offline/weak"

[[benches]]
name = "bench"
judge = "single"
model = "offline/strong"
runs = 1
"""


@pytest.mark.parametrize("name", ["layout_20261125", "version_1"])
def test_an_older_database_is_read_resumed_and_verified(name: str, tmp_path: Path) -> None:
    store = Store(restore(name, tmp_path / "older.duckdb"))
    (sealed,) = _hashes(store, "record_hash")
    assert "Everything is consistent" in done("verify", "--db", store.path)
    assert "older · bench bench" in done("leaderboard", "--db", store.path)
    (tmp_path / "older.toml").write_text(_RAISED, "utf-8")
    done("run", tmp_path / "older.toml", "--yes", "--db", store.path)
    assert sealed in _hashes(store, "record_hash") and len(_hashes(store, "record_hash")) == 4
    assert "Everything is consistent" in done("verify", "--db", store.path)


def test_a_column_of_a_later_version_leaves_what_was_sealed_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new column: each row is checked by the lists of the version that sealed it."""
    store = Store(restore("version_1", tmp_path / "older.duckdb"))
    columns = {**VERSIONS[1], "debates.record": (*VERSIONS[1]["debates.record"], "venue")}
    monkeypatch.setitem(seals.VERSIONS, 2, columns)
    for module in (seals, consistency):
        monkeypatch.setattr(module, "VERSION", 2)
    change(store, "ALTER TABLE debates ADD COLUMN venue VARCHAR DEFAULT 'hall'")
    assert list(find_faults(store)) == []
    change(store, "UPDATE debates SET venue = 'barn' WHERE status = 'finished'")
    assert list(find_faults(store)) == []  # what version 1 sealed does not cover it
    keys = list(store.read("SELECT debate_id AS id FROM debates WHERE status = 'finished'")["id"])
    store.write(lambda connection: seals.seal_units(connection, "debates", keys))
    assert {text[:2] for text in _hashes(store, "record_hash")} == {"2:"}
    assert list(find_faults(store)) == []
    change(store, "UPDATE debates SET venue = 'hall' WHERE status = 'finished'")
    (fault,) = find_faults(store)
    assert str(fault).startswith("debates: record was changed")
    change(store, "UPDATE ballots SET rationale = 'none'")
    assert [fault.table for fault in find_faults(store)] == ["debates", "ballots"]

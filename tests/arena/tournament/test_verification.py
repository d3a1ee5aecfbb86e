"""What was changed, removed or added in a database is named by its table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.boards.kept_boards import KeptBoard
from arena.config.stored import stored_config
from arena.errors import ConfigError
from arena.store.database import Store
from arena.store.spending import availability_prefix
from arena.tournament.verification import find_published, verify
from tests.support.broken_rows import ADDED, CHANGED, MAY_GO, REMOVED, fill_all_tables
from tests.support.console_script import ask
from tests.support.played_tournaments import copied
from tests.support.stored_databases import change


@pytest.fixture(scope="module")
def full(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with rows in every table; for reading only."""
    folder = tmp_path_factory.mktemp("full")
    database = copied(small_database, folder)
    fill_all_tables(database, folder / "log.csv")
    return database


def _named(database: Path) -> set[str]:
    """The tables in which verification finds something wrong."""
    return {fault.table for fault in verify(Store(database)).faults}


def _broken(database: Path, folder: Path, statement: str) -> Path:
    own = copied(database, folder)
    change(Store(own), statement)
    return own


def test_nothing_is_wrong_with_what_was_stored(full: Path) -> None:
    result = verify(Store(full))
    assert list(map(str, result.faults)) == []
    small, log = result.tournaments
    assert (small.debates["finished"], small.ballots) == (6, {"valid": 6})
    assert (log.name, log.debates["finished"]) == ("log", 2)
    assert [len(digest) for digest in small.digests.values()] == [32]


def test_every_table_has_rows_and_is_broken(full: Path) -> None:
    tables = {str(row[0]) for row in ask(full, "SELECT table_name FROM duckdb_tables()")}
    assert tables == CHANGED.keys() == ADDED.keys() == REMOVED.keys() | MAY_GO
    empty = [table for table in tables if ask(full, f"SELECT count(*) FROM {table}") == [(0,)]]
    assert not empty


#: Tables without a hash of their own rows: what was made of the rows is named instead.
_PART_OF = {
    "speeches": "debates",
    "drafts": "debates",
    "awaited": "debates",
    "calls": "debates",
    "exchanges": "debates",
    "ballot_scores": "ballots",
}


def test_a_change_of_a_speech_a_lost_call_and_a_stray_ballot_are_named(
    full: Path, tmp_path: Path
) -> None:
    own = copied(full, tmp_path)
    change(Store(own), CHANGED["speeches"], REMOVED["calls"], ADDED["ballots"])
    messages = "\n".join(map(str, verify(Store(own)).faults))
    assert "debates: record was changed: it differs from its hash, or carries none" in messages
    assert "ballots: two ballots for one debate, bench and run" in messages


#: What takes a debate's ballot away with all that belongs to it.
_NO_BALLOT = (
    "DELETE FROM calls WHERE unit = (SELECT min(ballot_id) FROM ballots)",
    "DELETE FROM exchanges WHERE unit = (SELECT min(ballot_id) FROM ballots)",
    "DELETE FROM ballot_scores WHERE ballot_id = (SELECT min(ballot_id) FROM ballots)",
    "DELETE FROM ballots WHERE ballot_id = (SELECT min(ballot_id) FROM ballots)",
)
#: What makes one debate unplayed again.
_UNPLAYED = (
    "CREATE TEMP TABLE gone AS SELECT min(debate_id) AS debate_id FROM debates",
    "CREATE TEMP TABLE units AS SELECT debate_id AS unit FROM gone UNION ALL "
    "SELECT ballot_id FROM ballots JOIN gone USING (debate_id)",
    *(f"DELETE FROM {table} WHERE unit IN (FROM units)" for table in ("calls", "exchanges")),
    *(
        f"DELETE FROM {table} WHERE ballot_id IN (FROM units)"
        for table in ("ballot_scores", "ballots")
    ),
    "DELETE FROM speeches WHERE debate_id IN (FROM gone)",
    "UPDATE debates SET status = 'planned', cost_usd = 0, replays = 0, started_at = NULL, "
    "finished_at = NULL, result_hash = '', record_hash = '' WHERE debate_id IN (FROM gone)",
)


@pytest.mark.parametrize(
    ("statements", "to_judge"), [(_NO_BALLOT, 1), (_UNPLAYED, 0)], ids=["ballot", "debate"]
)
def test_what_was_removed_with_all_that_belongs_to_it_is_missed_by_the_kept_board(
    own_database: Path, statements: tuple[str, ...], to_judge: int
) -> None:
    assert verify(Store(own_database)).faults == ()
    change(Store(own_database), *statements)
    result = verify(Store(own_database))
    (fault,) = result.faults
    assert fault.table == "boards"
    assert "that a kept board counted were removed, changed or made unplayed" in fault.what
    assert result.tournaments[0].to_judge == to_judge


@pytest.mark.slow
@pytest.mark.parametrize(
    "statements",
    [
        pytest.param(CHANGED, id="change"),
        pytest.param(REMOVED, id="loss", marks=pytest.mark.deep),
        pytest.param(ADDED, id="addition", marks=pytest.mark.deep),
    ],
)
def test_every_change_loss_and_addition_is_named(
    full: Path, tmp_path: Path, statements: dict[str, str]
) -> None:
    missed = {
        table: named
        for table, statement in statements.items()
        if not {table, _PART_OF.get(table, table)}
        & (named := _named(_broken(full, tmp_path, statement)))
        and not (statements is REMOVED and named)
    }
    assert missed == {}


def test_a_journal_of_a_deleted_debate_is_named_and_one_of_open_work_is_not(
    small_database: Path, tmp_path: Path
) -> None:
    store = Store(copied(small_database, tmp_path))
    (finished,) = ask(store.path, "SELECT debate_id FROM debates ORDER BY 1 LIMIT 1")[0]
    (ballot,) = ask(store.path, "SELECT ballot_id FROM ballots ORDER BY 1 LIMIT 1")[0]
    store.journal_folder.mkdir(exist_ok=True)
    for unit in (finished, ballot):
        (store.journal_folder / f"{unit}.jsonl").write_text("", "utf-8")
    scout = availability_prefix(stored_config(store, None).name) + "openai-judge"
    (store.journal_folder / f"{scout}.jsonl").write_text("", "utf-8")
    assert "journals" not in _named(store.path)
    lost = store.journal_folder / "00000000deadbeef.jsonl"
    lost.write_text("", "utf-8")
    (fault,) = verify(Store(store.path)).faults
    assert (fault.table, fault.rows) == ("journals", ("00000000deadbeef",))
    assert "belongs to no debate and no ballot" in fault.what
    assert lost.exists()


def test_a_journal_with_lines_of_other_types_is_named(small_database: Path, tmp_path: Path) -> None:
    store = Store(copied(small_database, tmp_path))
    (finished,) = ask(store.path, "SELECT debate_id FROM debates ORDER BY 1 LIMIT 1")[0]
    store.journal_folder.mkdir(exist_ok=True)
    line = '{"event": "call", "path": [], "attempt": "0"}\n'
    (store.journal_folder / f"{finished}.jsonl").write_text(line * 2, "utf-8")
    (fault,) = verify(Store(store.path)).faults
    assert (fault.table, fault.rows, fault.count) == ("journals", (f"{finished}.jsonl",), 2)
    assert "lines that cannot be read" in fault.what


def test_digits_that_fit_several_boards_name_none(small_database: Path) -> None:
    store = Store(small_database)
    result = verify(store)
    (tournament,) = result.tournaments
    (digest,) = tournament.digests.values()
    twice = replace(tournament, digests={"bench": digest, "other": f"{digest[:8]}{'0' * 24}"})
    result = replace(result, tournaments=(twice,))
    with pytest.raises(ConfigError, match=f"'{digest[:8]}' fits 2 boards: .* Give more digits"):
        find_published(store, result, digest[:8])
    assert isinstance(find_published(store, result, digest), KeptBoard)

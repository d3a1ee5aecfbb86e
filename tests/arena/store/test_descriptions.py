"""The page of the database, and the views for users: described, right, and there when they should.

python -m arena.store.descriptions > docs/database.md
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.store.database import Store
from arena.store.descriptions import DescribedTable, database_page, describe_database
from tests.support.case_lists import for_every
from tests.support.command_line import done

PAGE = Path(__file__).parents[3] / "docs" / "database.md"
VIEWS = [table for table in describe_database() if table.is_view]


def test_the_page_is_what_the_program_makes() -> None:
    again = "write it anew: python -m arena.store.descriptions > docs/database.md"
    assert PAGE.read_text("utf-8") == database_page(), again


def test_every_table_and_column_is_described() -> None:
    described = describe_database()
    lacking = [table.name for table in described if not table.meaning]
    lacking += [f"{t.name}.{c.name}" for t in described for c in t.columns if not c.meaning]
    assert not lacking, "write a comment beside it in arena/store/schema.sql or views.sql"
    assert {view.name for view in VIEWS} == {
        *("leaderboard", "debate_results", "ballot_outcomes", "costs")
    }


@for_every(VIEWS)
def test_the_example_of_a_view_finds_something(view: DescribedTable, small_database: Path) -> None:
    assert Store(small_database).rows(view.example), view.name


def test_results_are_what_boards_count(small_database: Path) -> None:
    store = Store(small_database)
    resolved = stored_config(store, None)
    selection = Selection(tournament="small", bench="bench")
    counted = compared_debates(store, selection, scope(resolved))
    expected = {
        (
            row["debate_id"],
            row["pro"],
            row["con"],
            {1.0: "pro", 0.0: "con"}.get(row["outcome"], "tie"),
        )
        for row in counted.to_dict("records")
    }
    query = "SELECT debate_id, pro, con, winner FROM debate_results"
    assert expected == {tuple(row.values()) for row in store.plain_rows(query)}


def test_nothing_is_counted_twice(small_database: Path) -> None:
    store = Store(small_database)
    for view, table in (
        ("SELECT sum(calls), sum(input_tokens), sum(usd) FROM costs",
         "SELECT count(*), sum(input_tokens), sum(cost_usd) FROM calls"),
        ("SELECT count(*), sum(outcome) FROM ballot_outcomes",
         "SELECT count(*), sum(outcome) FROM ballot_scores"),
        ("SELECT count(*), count(DISTINCT debate_id) FROM debate_results",
         "SELECT count(*), count(*) FROM debates"),
        ("SELECT count(*), sum(rating), count(model) FROM leaderboard",
         "SELECT count(*), sum(rating), count(*) FROM ratings"),
    ):  # fmt: skip
        assert store.tuples(view) == store.tuples(table), view


def test_an_older_database_is_read_without_views_and_gets_them_with_the_next_write(
    own_database: Path,
) -> None:
    with duckdb.connect(str(own_database)) as link:
        link.execute("DROP VIEW leaderboard; CREATE OR REPLACE VIEW costs AS SELECT 1 AS calls")
    before, modified = own_database.read_bytes(), own_database.stat().st_mtime_ns
    assert "strong" in done("leaderboard", "--db", own_database)
    assert (own_database.read_bytes(), own_database.stat().st_mtime_ns) == (before, modified)
    store = Store(own_database)
    store.check()
    store.write(lambda _: None)
    assert store.rows("FROM leaderboard") and "usd" in store.rows("FROM costs")[0]
    assert "6 debates = 6 finished" in done("verify", "--db", own_database)

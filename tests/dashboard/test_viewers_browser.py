"""Several viewers of one server, and a database that is gone or replaced while they look."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.store.database import Store
from tests.dashboard.conftest import VIEWPORT, Serve
from tests.dashboard.gated import FIRST, gated_run
from tests.dashboard.handmade import Texts, execute, make, make_empty
from tests.dashboard.watching import Watched, board_cell, open_choices, tick, without_first_rows

pytestmark = pytest.mark.slow

_GONE = "The database cannot be read at the moment."
_HAS_WAITED = "began => performance.now() - began > 5000"
#: Another program that writes into a database, and keeps it open until its input ends.
_HOLDER = (
    "import sys, duckdb; link = duckdb.connect(sys.argv[1]); "
    "link.execute('CREATE TABLE other AS SELECT 1 AS x'); link.execute('CHECKPOINT'); "
    "print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def other(browser: Browser) -> Iterator[Watched]:
    """Another viewer, watched like the first."""
    with browser.new_context(viewport=VIEWPORT) as context:
        context.set_default_timeout(60_000)
        viewer = Watched(context.new_page())
        yield viewer
        assert viewer.problems() == []


@contextmanager
def held(db: Path) -> Iterator[None]:
    """Keep a database open for writing in another program, so that nobody can read it."""
    words = [sys.executable, "-c", _HOLDER, str(db)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin is not None and holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            holder.stdin.close()


def check_policy_board(page: Page) -> None:
    """Check that the page shows the board of policy motions, as its address says."""
    open_choices(page)
    expect(page.get_by_role("radio", name="Policy")).to_be_checked()
    expect(page).to_have_url(re.compile("category=policy"))
    expect(page.get_by_text(re.compile("^[1-9] debates rated at"))).to_be_visible()
    expect(board_cell(page, "participant", 0)).to_have_text("a4d-good")


def check_source_matrix(page: Page) -> None:
    """Check that the page shows the counts of the dimension that its address names."""
    open_choices(page)
    expect(page.get_by_role("radio", name="Source")).to_be_checked()
    expect(page.get_by_role("radio", name="Counts")).to_be_checked()
    expect(page.locator(".js-plotly-plot .heatmap-label text")).to_have_text(["4"] * 6)


@pytest.mark.deep
def test_two_viewers_keep_their_choices_while_the_database_is_gone(
    own: Path, serve: Serve, watched: Watched, other: Watched
) -> None:
    aside = own.with_name("aside.duckdb")
    address = serve(own)
    board = watched.open(address)
    matrix = other.open(f"{address}/win-rates")
    open_choices(board)
    open_choices(matrix)
    tick(board.get_by_role("radio", name="Policy"))
    tick(matrix.get_by_role("radio", name="Source"))
    tick(matrix.get_by_role("radio", name="Counts"))
    check_policy_board(board)
    check_source_matrix(matrix)
    own.rename(aside)
    for page in (board, matrix):
        page.reload()
        expect(page.get_by_text(_GONE)).to_be_visible()
    aside.rename(own)
    check_policy_board(board)
    check_source_matrix(matrix)
    with held(own):
        board.reload()
        expect(board.get_by_text(_GONE)).to_be_visible()
    check_policy_board(board)
    check_source_matrix(matrix)


def test_two_viewers_follow_a_run_whose_database_is_away_for_five_seconds(
    tmp_path: Path, serve: Serve, watched: Watched, other: Watched
) -> None:
    db, aside = make_empty(tmp_path / "results.duckdb").path, tmp_path / "aside.duckdb"
    with gated_run(db) as gate:
        gate.open_for(FIRST)  # then nothing is stored until the gate opens
        address = serve(db)
        board, progress = watched.open(address), other.open(f"{address}/tournament")
        _check_run(board, progress)
        db.rename(aside)
        for page in (board, progress):
            expect(page.get_by_text(_GONE)).to_be_visible()
        # Long enough for each page to look again, in vain.
        board.wait_for_function(_HAS_WAITED, arg=board.evaluate("performance.now()"))
        for page in (board, progress):
            expect(page.get_by_text(_GONE)).to_be_visible()
            expect(page.get_by_test_id("stException")).to_have_count(0)
        aside.rename(db)
        _check_run(board, progress)
        gate.open_for(None)
        expect(board.get_by_text("12 debates rated at")).to_be_visible()
        expect(progress.get_by_text("12 of 12").first).to_be_visible()


def _check_run(board: Page, progress: Page) -> None:
    """Check that both pages show the figures of a run whose first debates have begun."""
    expect(board.get_by_text("planned 8 · playing 4")).to_be_visible()
    expect(progress.get_by_text(re.compile("running since"))).to_be_visible()
    expect(progress.get_by_text("0 of 12").first).to_be_visible()
    for page in (board, progress):
        expect(page.get_by_text(_GONE)).to_have_count(0)
        expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.deep
def test_another_database_in_the_place_of_the_one_that_is_looked_at(
    tmp_path: Path, serve: Serve, watched: Watched, other: Watched
) -> None:
    store = make(tmp_path / "results.duckdb")  # of four debates, one is still to play
    new = make(tmp_path / "new.duckdb", Texts(tournament="another", names=("gamma", "delta")))
    address = serve(store.path)
    board = watched.open(f"{address}/?tournament=handmade")
    profile = other.open(f"{address}/participants?profile=beta")
    expect(board_cell(board, "participant", 0)).to_have_text("alpha")
    new.path.replace(store.path)
    for page in (board, profile):
        expect(page.get_by_text("not in the database any more")).to_be_visible()
        page.reload()
        expect(without_first_rows(page).get_by_text("2 debates rated at")).to_be_visible()
        open_choices(page)
        expect(page.get_by_role("combobox", name=re.compile("Tournament"))).to_have_value("another")
    expect(board_cell(board, "participant", 0)).to_have_text("gamma")
    board.goto(f"{address}/transcript?debate=d9")
    expect(board.get_by_text("No such debate.")).to_be_visible()


def test_a_database_with_an_older_schema_is_shown(
    own: Path, serve: Serve, watched: Watched
) -> None:
    execute(
        Store(own),
        "DROP TABLE board_states",
        "DROP TABLE boards",
        "ALTER TABLE ballots DROP COLUMN voter",
        "ALTER TABLE debates DROP COLUMN forfeited",
        "UPDATE tournaments SET schema_version = 1",
    )
    page = watched.open(serve(own))
    expect(page.get_by_text("12 debates rated at")).to_be_visible()
    expect(board_cell(page, "participant", 0)).to_have_text("a4d-good")

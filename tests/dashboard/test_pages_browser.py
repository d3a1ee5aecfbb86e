from __future__ import annotations

import http.client
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard.accessibility import check_both_themes
from tests.dashboard.conftest import Serve
from tests.dashboard.gated import FIRST, HALF, gated_run
from tests.dashboard.handmade import Texts, execute, make, make_empty
from tests.dashboard.watching import Watched, board_cell, click_row, open_choices, tick

pytestmark = pytest.mark.slow


def cell(page: Page, column: int, row: int, *, table: int = 0) -> Locator:
    """A cell of a table as assistive technology reads it: the canvas has no text."""
    grid = page.get_by_test_id("stDataFrame").nth(table)
    return grid.get_by_test_id(f"glide-cell-{column}-{row}")


def test_an_empty_database_says_what_to_do(tmp_path: Path, serve: Serve, watched: Watched) -> None:
    address = serve(make_empty(tmp_path / "results.duckdb").path)
    for path in ("/", "/win-rates", "/head-to-head", "/debates", "/participants", "/motions"):
        page = watched.open(address + path)
        expect(page.get_by_text("No tournament yet.")).to_be_visible()
        expect(page.get_by_text("arena run --db")).to_be_visible()
        check_both_themes(page)
    page = watched.open(f"{address}/transcript?debate=d1")
    expect(page.get_by_text("No such debate.")).to_be_visible()
    check_both_themes(page)


def test_a_tournament_without_debates_says_what_to_do(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    address = serve(make_empty(tmp_path / "results.duckdb", tournament_row=True).path)
    for path in ("/", "/win-rates", "/head-to-head", "/debates", "/participants", "/motions"):
        page = watched.open(address + path)
        expect(page.get_by_text("No debates yet.")).to_be_visible()
        expect(page.get_by_text("arena run FILE --db")).to_be_visible()


def test_debates_without_ratings_say_what_to_do(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    store = make(tmp_path / "results.duckdb")
    execute(store, "DELETE FROM board_states")
    address = serve(store.path)
    for path in ("/", "/win-rates", "/head-to-head", "/participants"):
        page = watched.open(address + path)
        expect(page.get_by_text("No ratings yet.")).to_be_visible()
        expect(page.get_by_text("arena resume handmade --db")).to_be_visible()
        counts = page.get_by_text("2 of 4 debates: planned 1 · cut off 1 · finished 2")
        expect(counts).to_be_visible()
        expect(page.get_by_text("simulated models")).to_have_count(0)


def test_the_leaderboard_has_a_name_in_the_address_too(served: str, watched: Watched) -> None:
    page = watched.open(served + "/leaderboard?category=Policy")
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    open_choices(page)
    expect(page.get_by_role("radio", name="Policy")).to_be_checked()
    expect(page.get_by_text("Page not found")).to_have_count(0)


def test_the_leaderboard_of_a_played_tournament(served: str, watched: Watched) -> None:
    page = watched.open(served)
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
    expect(page.get_by_text("simulated models").first).to_be_visible()
    expect(board_cell(page, "participant", 0)).to_have_text("a4d-good")
    expect(board_cell(page, "debates", 0)).to_have_text("8")
    expect(page.locator(".modebar-btn:visible")).not_to_have_count(0)
    expect(page.get_by_text("12 debates rated at")).to_be_visible()
    expect(page.get_by_test_id("stProgress")).to_have_count(0)


def test_the_kind_of_intervals_is_a_switch_and_stands_in_the_address(
    served: str, watched: Watched
) -> None:
    page = watched.open(served)
    open_choices(page)
    expect(page.get_by_role("radio", name="By formula (sandwich)")).to_be_checked()
    usual = board_cell(page, "95 % interval", 0).inner_text()
    tick(page.get_by_role("radio", name="By resampling (bootstrap)"))
    expect(page).to_have_url(re.compile("intervals=bootstrap"))
    expect(board_cell(page, "95 % interval", 0)).not_to_have_text(usual)
    expect(page.get_by_text("percentiles of ratings of resampled matchups")).to_be_visible()
    page = watched.open(page.url)
    open_choices(page)
    expect(page.get_by_role("radio", name="By resampling (bootstrap)")).to_be_checked()


def test_a_click_into_a_fold_that_is_still_opening_is_not_lost(
    served: str, watched: Watched
) -> None:
    page = watched.open(served + "/debates")
    devtools = page.context.new_cdp_session(page)
    devtools.send("Animation.enable")
    devtools.send("Animation.setPlaybackRate", {"playbackRate": 0.1})
    fold = page.locator(".st-key-fold details")
    fold.locator("summary").click()
    box = page.get_by_role("combobox", name=re.compile("Participant"))
    place = box.bounding_box()
    assert place is not None
    point = [place["x"] + 20, place["y"] + 4]  # the fold reaches it long before the box's end
    page.wait_for_function("point => document.elementFromPoint(...point)?.ariaLabel", arg=point)
    page.mouse.click(*point)
    expect(fold).not_to_have_css("overflow", "hidden")  # it is open
    expect(page.get_by_role("option").first).to_be_visible()


def test_a_row_opens_its_transcript_and_the_address_leads_there_again(
    served: str, watched: Watched
) -> None:
    page = watched.open(served + "/debates")
    expect(page.get_by_text("12 of 12 debates.")).to_be_visible()
    expect(cell(page, 1, 1)).not_to_be_empty()
    motion = cell(page, 1, 1).inner_text()
    table = page.get_by_test_id("stDataFrame").first
    click_row(table, 1, r"/transcript\?debate=[0-9a-f]{16}")
    for _ in range(2):
        expect(page.get_by_text(motion, exact=True)).to_be_visible()
        for stage in ("Constructive", "Rebuttal", "Summary", "Ballots"):
            expect(page.get_by_role("heading", name=stage)).to_be_visible()
        expect(page.get_by_text(re.compile(r"^(Pro|Con), rebuttal · \d+ words"))).to_have_count(2)
        expect(cell(page, 1, 2)).to_have_text(re.compile(r"^(Pro|Con|Tie)"))
        page = watched.open(page.url)
    page.get_by_text("All debates").click()
    expect(page.get_by_role("heading", name="Debates")).to_be_visible()


def test_pages_follow_a_run(tmp_path: Path, serve: Serve, watched: Watched) -> None:
    db = make_empty(tmp_path / "results.duckdb").path
    page = watched.open(serve(db))
    expect(page.get_by_text("No tournament yet.")).to_be_visible()
    with gated_run(db) as gate:
        gate.open_for(FIRST)
        expect(page.get_by_text("planned 8 · playing 4")).to_be_visible()
        gate.open_for(HALF)
        expect(page.get_by_text(re.compile(r"^[1-9]\d* of 12 debates"))).to_be_visible()
        bar = page.get_by_test_id("stProgress")
        expect(bar).to_be_visible()
        gate.open_for(None)
        expect(page.get_by_text("12 debates rated at")).to_be_visible()
        expect(bar).to_have_count(0)
    expect(board_cell(page, "participant", 0)).not_to_be_empty()


def test_a_long_word_does_not_widen_the_page(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    store = make(tmp_path / "results.duckdb", Texts(speech="x" * 400, motion="y" * 200))
    page = watched.open(serve(store.path) + "/transcript?debate=d1")
    expect(page.get_by_role("heading", name="Ballots")).to_be_visible()
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 0


def test_a_database_that_vanishes_is_one_sentence(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    store = make(tmp_path / "results.duckdb")
    address = serve(store.path)
    store.path.unlink()
    page = watched.open(address)
    expect(page.get_by_text("The database cannot be read at the moment.")).to_be_visible()
    expect(page.get_by_text(str(tmp_path))).to_have_count(0)


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 101), ("evil.example", 403)])
def test_a_foreign_host_name_gets_no_connection(
    tmp_path: Path, serve: Serve, host: str, status: int
) -> None:
    address = serve(make(tmp_path / "results.duckdb").path)
    link = http.client.HTTPConnection(address.removeprefix("http://"))
    upgrade = {
        "Host": host,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    link.request("GET", "/_stcore/stream", headers=upgrade)
    assert link.getresponse().status == status
    link.close()

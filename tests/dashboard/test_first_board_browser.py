"""The rows in the HTML page: read before any script has run, and replaced where they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from arena.store.database import Store
from tests.dashboard.conftest import VIEWPORT, Serve
from tests.dashboard.handmade import execute
from tests.dashboard.watching import Watched, board_cell, press

pytestmark = pytest.mark.slow

#: Where what is read first stands, its colour and that of the paper, in the rows and on the page.
_LOOK = """([title, basis, summary, table]) => {
    const paper = document.querySelector("#first-board, [data-testid=stApp]");
    const look = [["paper", getComputedStyle(paper).backgroundColor]];
    for (const [name, selector] of Object.entries({title, basis, summary, table})) {
        const shown = [...document.querySelectorAll(selector)].find(each => each.clientWidth);
        const place = shown.getBoundingClientRect(), style = getComputedStyle(shown);
        look.push([name, style.color, place.x, place.y, name === "table" ? place.width : 0]);
    }
    return look;
}"""
_FIRST = tuple(f"#first-board {part}" for part in ("h1", ".basis", ".summary", ".board-table"))
_DRAWN = (
    "[data-testid=stMain] h1",
    ".st-key-quiet-basis [data-testid=stText]",
    ".st-key-summary [data-testid=stText]",
    "[data-testid=stMain] .board-table",
)
#: Remembers when the table was drawn, by the page's own clock.
_WATCH = """
    const look = () => {
        const table = document.querySelector("[data-testid=stMain] .board-table");
        if (table?.clientWidth) window.drawnAt = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
"""
_CHARTS_ASKED_FOR = """() => performance.getEntriesByType("resource")
    .find(each => each.name.includes("PlotlyChart")).startTime"""
#: Pixels by which what is read may move when the page takes the place of the rows.
_MOST = 2


def open_rows(page: Page, address: str) -> None:
    """Open a page on which no script of Streamlit's is loaded, so that the first rows stay.

    A server that is too busy to read them in time leaves them out.
    """
    page.route(re.compile(r"\.js$"), lambda route: route.abort())
    for _ in range(20):
        page.goto(address)
        if page.locator("#first-board").count():
            return
    pytest.fail("the page never had its rows")


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (768, "light"), (1280, "light")])
def test_the_page_takes_the_place_of_its_rows_without_a_jump(
    served: str, browser: Browser, width: int, theme: Literal["light", "dark"]
) -> None:
    size: ViewportSize = {"width": width, "height": VIEWPORT["height"]}
    looks: list[list[list[Any]]] = []
    for without_scripts, selectors in ((True, _FIRST), (False, _DRAWN)):
        with browser.new_context(viewport=size, color_scheme=theme) as context:
            page = context.new_page()
            if without_scripts:
                open_rows(page, served)
            else:
                Watched(page).open(served)
                expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
            looks.append(page.evaluate(_LOOK, selectors))
    for (name, colour, *first), (_, drawn_colour, *drawn) in zip(*looks, strict=True):
        assert colour == drawn_colour, name
        assert drawn == pytest.approx(first, abs=_MOST), name


def test_the_rows_say_what_the_table_says(served: str, watched: Watched) -> None:
    page = watched.open(served)
    with page.context.new_page() as plain:
        open_rows(plain, served)
        # in one reading: the application takes the place of the rows at any moment
        rows = plain.locator("#first-board tbody").evaluate("body => body.innerText")
    assert page.locator("[data-testid=stMain] .board-table tbody").inner_text() == rows
    assert len(rows.splitlines()) >= 3


def test_a_theme_that_was_chosen_is_that_of_the_rows(served: str, browser: Browser) -> None:
    with browser.new_context(viewport=VIEWPORT) as context:
        page = Watched(context.new_page()).open(served)
        dark = page.get_by_role("menuitemradio", name="Dark").or_(page.get_by_text("Dark")).first
        press(page.get_by_test_id("stMainMenu"), dark)
        dark.click()
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", "rgb(23, 22, 20)")
        open_rows(page, served)
        expect(page.locator("#first-board")).to_have_css("background-color", "rgb(23, 22, 20)")


def test_the_table_is_drawn_before_the_script_of_the_charts_is_loaded(
    served: str, browser: Browser
) -> None:
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.add_init_script(_WATCH)
        watched = Watched(page).open(served)  # waits for the charts; nobody presses a button
        expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
        expect(page.get_by_role("button", name="Show the charts")).to_have_count(0)
        assert page.evaluate(_CHARTS_ASKED_FOR) > page.evaluate("drawnAt")
        watched.get_by_role("link", name="Debates").click()
        watched.get_by_role("link", name="Leaderboard").click()
        expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
        assert page.locator(".st-key-charts-later").count() == 0


def test_what_the_page_says_instead_is_not_hidden(served: str, browser: Browser) -> None:
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()

        def refuse(route: Route) -> None:
            route.abort()

        page.route(re.compile(r"/Html\."), refuse)  # the table never comes
        page.goto(served)
        expect(page.locator("#first-board")).to_be_visible()
        expect(page.locator("#first-board")).to_have_count(0, timeout=15_000)


@pytest.mark.parametrize(("width", "height", "most"), [(1280, 800, 400), (390, 844, 500)])
def test_the_sentence_and_the_leader_stand_at_the_top(
    served: str, browser: Browser, width: int, height: int, most: int
) -> None:
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = Watched(context.new_page()).open(served)
        leader = board_cell(page, "participant", 0)
        expect(leader).to_be_visible()
        box = leader.bounding_box()
        assert box is not None and box["y"] + box["height"] <= most
        summary = page.locator(".st-key-summary").bounding_box()
        assert summary is not None and summary["y"] < box["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width


_FORFEITED = (
    """
    UPDATE debates SET status = 'forfeit', forfeited = 'pro', reason = 'The speech is empty.'
    WHERE pro IN (SELECT participant_id FROM participants WHERE name = 'direct-fair')
    """,
    "DELETE FROM ballots WHERE debate_id IN (SELECT debate_id FROM debates WHERE reason <> '')",
)


def test_what_needs_attention_stands_above_the_sentence(
    own: Path, serve: Serve, browser: Browser
) -> None:
    execute(Store(own), *_FORFEITED)
    address = serve(own)
    for width, height, most in ((1280, 800, 400), (390, 844, 500)):
        places: list[float] = []
        for without_scripts in (True, False):
            with browser.new_context(viewport={"width": width, "height": height}) as context:
                page = context.new_page()
                if without_scripts:
                    open_rows(page, address)
                else:
                    Watched(page).open(address)
                place = page.locator("#first-board" if without_scripts else "[data-testid=stMain]")
                line = place.get_by_text("Needs attention: direct-fair: forfeited")
                expect(line).to_be_visible()
                expect(line).to_contain_text("(The speech is empty). Debate ")
                leader = place.locator(".board-table td.name").first
                box, above = leader.bounding_box(), line.bounding_box()
                assert box is not None and above is not None
                assert above["y"] < box["y"] and box["y"] + box["height"] <= most
                places.append(box["y"])
        assert places[0] == pytest.approx(places[1], abs=_MOST), width

"""Pages for people who cannot see them well, or use no mouse: axe's rules, and the keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.store.database import Store
from dashboard.navigation import RESULTS, PageEntry
from tests.dashboard.accessibility import THEMES, check_page, streamlit_findings
from tests.dashboard.conftest import VIEWPORT, Varied
from tests.dashboard.test_reading_browser import unfold_all, wait_until_drawn
from tests.dashboard.watching import Watched, board_cell

pytestmark = pytest.mark.slow

_NAME = """
    (() => {
        const focus = document.activeElement;
        return focus.ariaLabel || focus.innerText?.trim() || focus.tagName;
    })()
"""


#: Marks what has the focus; returns its name, whether one sees the focus, and whether it is a cell.
_REACH = """
    () => {
        const focus = document.activeElement;
        if (focus === document.body) return null;
        (focus.closest("canvas") ?? focus).dataset.reached = "";  // a cell is within the canvas
        const isFramed = getComputedStyle(focus).outlineStyle !== "none";
        let isShown = true;
        for (let each = focus; each; each = each.parentElement)
            isShown &&= getComputedStyle(each).opacity > 0.5;
        const hasOwn = focus.matches("input, main, [data-testid=stDataFrame] *:not(button)");
        const name = focus.ariaLabel || focus.innerText || focus.tagName;
        const isCell = focus.closest("canvas") !== null;
        return [name, hasOwn || (isFramed && isShown), isCell];
    }
"""
#: What can be clicked and was not reached; of a choice of several, the present one is reached.
_UNREACHED = """
    () => [...document.querySelectorAll(
        "a[href], button, input, textarea, summary, [role=tab], [data-testid=data-grid-canvas]"
    )].filter((each) => each.checkVisibility({visibilityProperty: true}) && !each.disabled
        && each.tabIndex >= 0 && !each.closest("[aria-hidden=true]")
        && each.dataset.reached === undefined
        && !each.ariaLabel?.startsWith("Clear selection")  // comes with the focus of its table
        && !each.closest("[role=radiogroup], [role=tablist]")?.querySelector("[data-reached]")
    ).map((each) => each.outerHTML.slice(0, 200))
"""
#: Pages that the Tab key goes through in every run of the slow tests; the others take minutes.
_OFTEN = ("leaderboard", "transcript", "tournament")
_FIRST_STOP, _MOST_STOPS = "Skip to main content", 150
#: A slow machine may draw a part anew after it was reached; what no walk reaches has no place.
_WALKS = 3
#: Milliseconds after which Streamlit has told the server of a cell, and shown what has the focus.
_TOLD = 200


def walk_with_tab(page: Page) -> list[str]:
    """Go through a page with the Tab key; what had the focus without one seeing it."""
    hidden = []
    for stop in range(_MOST_STOPS):
        page.keyboard.press("Tab")
        reached = page.evaluate(_REACH)
        if reached and (reached[2] or not reached[1]):
            page.wait_for_timeout(_TOLD)
            reached = page.evaluate(_REACH)
        if reached is None or (reached[0] == _FIRST_STOP and stop):  # it begins again
            break
        if not reached[1]:
            hidden.append(reached[0])
    return hidden


def open_whole(page: Page, address: str) -> None:
    """Open a page and all that is folded away on it."""
    Watched(page).open(address)
    wait_until_drawn(page)
    unfold_all(page)
    wait_until_drawn(page)
    page.wait_for_load_state("networkidle")


def test_axe_finds_nothing_but_what_is_listed_of_streamlit(
    served: str, played: Path, browser: Browser
) -> None:
    debate = Store(played).rows("SELECT min(debate_id) AS id FROM debates")[0]["id"]
    found, occurring = [], set()
    for theme in THEMES:  # a page that is there draws its charts in the colours of before
        with browser.new_context(viewport=VIEWPORT, color_scheme=theme) as context:
            page = context.new_page()
            for entry in RESULTS:
                open_whole(page, f"{served}/{entry.path}?debate={debate}")
                own, listed = check_page(page, theme)
                found += [f"{entry.path}, {theme}: {finding}" for finding in own]
                occurring |= listed
    assert not found, "\n".join(found)
    assert occurring == {" ".join(row) for row in streamlit_findings()}, "the list is of now"


def test_all_controls_are_reached_and_a_row_is_opened_with_the_keyboard(
    served: str, watched: Watched
) -> None:
    page = watched.open(served)
    wait_until_drawn(page)
    below = [focus_next(page, back=True) for _ in range(3)]
    assert {"CSV", "JSON"} <= set(below)
    page = watched.open(served)
    wait_until_drawn(page)
    reached = [focus_next(page)]
    third = board_cell(page, "participant", 2).inner_text()
    while reached[-1] != third:
        reached.append(focus_next(page))
        if "all motions" in reached[-1]:
            page.keyboard.press("Enter")  # unfolds the choices
            expect(page.locator(".st-key-fold details")).to_have_attribute("open", "")
        assert len(reached) < 40, reached
    for name in ("Leaderboard", "Costs", "Overall", "All", "By formula (sandwich)"):
        assert name in reached, f"{name}; a choice of several is reached at its present one"
    assert any("debatrix · overall · all motions" in name for name in reached)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"profile={third}"))
    page = watched.open(f"{served}/debates")
    wait_until_drawn(page)
    while focus_next(page) != "CANVAS":
        pass
    for _ in range(3):
        page.keyboard.press("ArrowDown")
        expect(page).to_have_url(f"{served}/debates")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("debate="))


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, marks=() if entry.path in _OFTEN else pytest.mark.deep, id=entry.path)
        for entry in RESULTS
    ],
)
def test_the_tab_key_goes_through_a_whole_page_and_one_sees_where(
    entry: PageEntry, varied: Varied, watched: Watched
) -> None:
    debate = Store(varied.db).rows("SELECT min(debate_id) AS id FROM debates")[0]["id"]
    page = watched.open(f"{varied.address}/{entry.path}?debate={debate}")
    wait_until_drawn(page)
    page.wait_for_load_state("networkidle")
    heading = page.get_by_role("heading").first.inner_text()
    for _ in range(_WALKS):
        assert not walk_with_tab(page), "one sees what has the focus"
        assert page.get_by_role("heading").first.inner_text() == heading, "no row was opened"
        wait_until_drawn(page)  # while the page is computed there is a button that stops it
        if not (unreached := page.evaluate(_UNREACHED)):
            break
    assert not unreached


def test_one_sees_which_cell_has_the_focus(served: str, watched: Watched) -> None:
    page = watched.open(f"{served}/debates")
    wait_until_drawn(page)
    table = page.get_by_test_id("stDataFrame").first
    before = table.screenshot()
    while focus_next(page) != "CANVAS":
        pass
    page.wait_for_timeout(_TOLD)
    assert table.screenshot() != before


def focus_next(page: Page, *, back: bool = False) -> str:
    """Go on by a key, and return the name of what has the focus."""
    page.keyboard.press("Shift+Tab" if back else "Tab")
    return str(page.evaluate(_NAME)).rpartition("\n")[2]

"""Pages for people who cannot see them well, or use no mouse: axe's rules, and the keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.store.database import Store
from dashboard.navigation import RESULTS
from tests.dashboard.accessibility import check_page, streamlit_findings
from tests.dashboard.conftest import VIEWPORT
from tests.dashboard.test_pages_browser import cell
from tests.dashboard.test_reading_browser import wait_until_drawn
from tests.dashboard.watching import Watched

pytestmark = pytest.mark.slow

_NAME = """
    (() => {
        const focus = document.activeElement;
        return focus.ariaLabel || focus.innerText?.trim() || focus.tagName;
    })()
"""


def open_whole(page: Page, address: str) -> None:
    """Open a page and all that is folded away on it."""
    Watched(page).open(address)
    wait_until_drawn(page)
    for folded in page.get_by_test_id("stExpander").all():
        folded.locator("summary").click()
    wait_until_drawn(page)
    page.wait_for_load_state("networkidle")


def test_axe_finds_nothing_but_what_is_listed_of_streamlit(
    served: str, played: Path, browser: Browser
) -> None:
    debate = Store(played).rows("SELECT min(debate_id) AS id FROM debates")[0]["id"]
    found, occurring = [], set()
    for theme in ("light", "dark"):
        with browser.new_context(viewport=VIEWPORT, color_scheme=theme) as context:
            page = context.new_page()
            for entry in RESULTS:
                open_whole(page, f"{served}/{entry.path}?debate={debate}")
                own, listed = check_page(page)
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
    while reached[-1] != "CANVAS":
        reached.append(focus_next(page))
        assert len(reached) < 40, reached
    for name in ("Leaderboard", "Costs", "Overall", "All", "Sandwich"):
        assert name in reached, f"{name}; a choice of several is reached at its present one"
    assert any("Time, language and rating model" in name for name in reached)
    third = cell(page, 1, 2).inner_text()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
        expect(page).to_have_url(f"{served}/")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(f"profile={third}"))


def focus_next(page: Page, *, back: bool = False) -> str:
    """Go on by a key, and return the name of what has the focus."""
    page.keyboard.press("Shift+Tab" if back else "Tab")
    return str(page.evaluate(_NAME)).rpartition("\n")[2]

"""A published site in a browser, opened from the disk: it loads nothing else, and finds rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from arena.publish import addresses
from arena.store.database import Store
from tests.dashboard.accessibility import THEMES, Theme
from tests.dashboard.handmade import execute
from tests.dashboard.hostile import HOSTILE, harmless
from tests.support.command_line import done
from tests.support.console_script import ask
from tests.support.played_tournaments import copied

pytestmark = pytest.mark.slow

WIDTHS = (390, 768, 1280, 1920)


@pytest.fixture(scope="module")
def hostile_site(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose every speech, motion and comment is hostile."""
    folder = tmp_path_factory.mktemp("site")
    database = copied(small_database, folder)
    text = HOSTILE.replace("'", "''")
    statements = (
        f"UPDATE speeches SET text = '{text}'",
        f"UPDATE motions SET text = '{text}', info_slide = '{text}'",
        f"UPDATE ballot_scores SET comment = '{text}'",
        f"UPDATE ballots SET rationale = '{text}'",
    )
    execute(Store(database), *statements)
    done("publish", folder / "site", "--db", database)
    return folder / "site"


def _pages(site: Path, database: Path) -> list[str]:
    debate = str(ask(database, "SELECT min(debate_id) FROM debates")[0][0])
    motion = str(ask(database, "SELECT min(motion_id) FROM debates")[0][0])
    first, second, *_ = (str(row[0]) for row in ask(database, "SELECT name FROM participants"))
    special = [addresses.debate_page(debate), addresses.motion_page(motion)]
    special += [addresses.participant_page(first), addresses.pair_page(first, second)]
    return [*sorted(page.name for page in site.glob("*.html")), *special]


@pytest.mark.parametrize("theme", THEMES)
def test_pages_are_inert_and_fit_and_are_accessible(
    hostile_site: Path, small_database: Path, browser: Browser, theme: Theme
) -> None:
    problems: list[str] = []
    context = browser.new_context(color_scheme=theme)
    page = context.new_page()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.extend(_outside(request.url)))
    for name in _pages(hostile_site, small_database):
        page.goto(f"file://{hostile_site / name}")
        harmless(page)
        problems += _wide(page, name)
        found = Axe().run(page, options={"preload": False})  # else it fetches the style sheet
        problems += [
            f"{name}: {each['id']}: {[node['html'][:200] for node in each['nodes']]}"
            for each in found.response["violations"]
        ]
    context.close()
    assert problems == []


def _outside(url: str) -> list[str]:
    return [] if url.startswith("file://") else [url]


def _wide(page: Page, name: str) -> list[str]:
    wide = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(f"{name} is wider than {width}")
    return wide


def test_rows_are_found_and_sorted(small_database: Path, tmp_path: Path, page: Page) -> None:
    done("publish", tmp_path / "site", "--db", small_database)
    page.goto(f"file://{tmp_path}/site/{addresses.INDEX}")
    names = page.locator(".board-table tbody .name")
    before = names.all_inner_texts()
    page.get_by_role("button", name="Elo").click()
    assert names.all_inner_texts() == before[::-1]
    page.get_by_role("link", name="Costs").click()
    rows = page.locator("table.find tbody tr")
    every = rows.count()
    page.get_by_label("participant", exact=True).select_option("strong")
    expect(page.get_by_role("status")).not_to_have_text(f"{every} of {every}")
    shown = [row for row in rows.all() if row.is_visible()]
    assert shown and all("strong" in row.inner_text() for row in shown)
    page.get_by_label("Search this table").fill("nothing like this")
    expect(page.get_by_role("status")).to_have_text(f"0 of {every}")

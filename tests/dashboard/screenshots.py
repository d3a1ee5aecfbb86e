"""The pictures of the README: pages of the default offline tournament in headless Chromium.

arena run --yes --db results.duckdb
python -m tests.dashboard.screenshots results.duckdb docs/images
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser, expect

from arena.store.database import Store
from tests.dashboard.conftest import VIEWPORT, chromium, free_port, serving
from tests.dashboard.watching import Watched

_PAGES = {
    "leaderboard": "/leaderboard",
    "win-rates": "/win-rates",
    "transcript": "/transcript?debate={debate}",
}


def main(db: Path, folder: Path) -> None:
    """Take them all."""
    # Any debate; the first of all ids is the same one in every run.
    debate = Store(db).read("SELECT min(debate_id) AS id FROM debates")["id"][0]
    with serving(db, free_port()) as (_, address), chromium() as browser:
        for name, path in _PAGES.items():
            _take(browser, address + path.format(debate=debate), folder / f"{name}.png")


def _take(browser: Browser, address: str, picture: Path) -> None:
    with browser.new_context(viewport=VIEWPORT) as context:
        page = Watched(context.new_page()).open(address)
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=picture, animations="disabled")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

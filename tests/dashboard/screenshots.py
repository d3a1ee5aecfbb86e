"""The pictures of the docs: pages of the default offline tournament in headless Chromium.

Those of the README at one width; every page at two widths in both themes, in a folder `dashboard`.

arena run --yes --db results.duckdb
python -m tests.dashboard.screenshots results.duckdb docs/images
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, ViewportSize, expect

from arena.store.database import Store
from tests.dashboard.conftest import VIEWPORT, chromium, free_port, serving
from tests.dashboard.watching import Watched

#: Pages by name; those of the README first.
_PAGES = {
    "leaderboard": "/leaderboard",
    "win-rates": "/win-rates",
    "transcript": "/transcript?debate={debate}",
    "head-to-head": "/head-to-head",
    "debates": "/debates",
    "participants": "/participants",
    "motions": "/motions",
    "judges": "/judges",
    "tournament": "/tournament",
    "costs": "/costs",
}
_README = ("leaderboard", "win-rates", "transcript")
_WIDTHS = (390, 1280)
_Theme = Literal["light", "dark"]
_THEMES: tuple[_Theme, ...] = ("light", "dark")


def main(db: Path, folder: Path) -> None:
    """Take them all."""
    # Any debate; the first of all ids is the same one in every run.
    debate = str(Store(db).read("SELECT min(debate_id) AS id FROM debates")["id"][0])
    with serving(db, free_port()) as (_, address), chromium() as browser:
        for name, path, width, theme, picture in _pictures(folder):
            picture.parent.mkdir(parents=True, exist_ok=True)
            viewport = ViewportSize(width=width, height=VIEWPORT["height"])
            _take(browser, address + path.format(debate=debate), picture, viewport, theme)
            print(name, width, theme)


def _pictures(folder: Path) -> Iterator[tuple[str, str, int, _Theme, Path]]:
    for name in _README:
        yield name, _PAGES[name], VIEWPORT["width"], "light", folder / f"{name}.png"
    for name, path in _PAGES.items():
        for width in _WIDTHS:
            for theme in _THEMES:
                yield name, path, width, theme, folder / "dashboard" / f"{name}-{width}-{theme}.png"


def _take(
    browser: Browser, address: str, picture: Path, viewport: ViewportSize, theme: _Theme
) -> None:
    with browser.new_context(viewport=viewport, color_scheme=theme) as context:
        context.set_default_timeout(120_000)
        page = Watched(context.new_page()).open(address)
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=picture, animations="disabled")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""The pictures of the docs: pages of the default offline tournament in headless Chromium.

Those of the README at one width; every page at two widths in both themes, in a folder `dashboard`,
with the pages on which people vote, speak and rank.

arena run --yes --db results.duckdb
python -m tests.dashboard.screenshots results.duckdb docs/images
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from arena.config.load import shipped_configs
from arena.store.database import Store
from tests.dashboard.conftest import VIEWPORT, chromium, free_port, read_link, serving
from tests.dashboard.test_rank_browser import ESSAYS
from tests.dashboard.test_speak_browser import CONFIG
from tests.dashboard.watching import Watched
from tests.support.console_script import arena

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
    "add-model": "/add-model",
    "new-tournament": "/new-tournament",
}
#: Pages that are served alone, for people who take part: the file of the tournament, the commands
#: that come before, and the options of the server.
_ALONE: Mapping[str, tuple[str, Sequence[Sequence[str]], Sequence[str]]] = {
    "vote": (
        "",
        (
            ("run", "--motion", "Cities should ban cars", "--a", "offline/good", "--b",
             "offline/fair", "--yes"),
            ("rejudge", "--judge", "human", "--yes"),
        ),
        ("--voting",),
    ),
    "speak": (CONFIG, (("run", "own.toml", "--yes"),), ("--speaking",)),
    "rank": (
        ESSAYS,
        (
            ("run", "own.toml", "--yes"),
            ("rank", "sheet", "sheets", "--sample", "1", "--seed", "1"),
        ),
        ("--ranking", "--tournament", "written"),
    ),
}  # fmt: skip
_ASK_FOR_NAME = ("vote", "rank")
_README = ("leaderboard", "win-rates", "transcript")
_WIDTHS = (390, 1280)
_Theme = Literal["light", "dark"]
_THEMES: tuple[_Theme, ...] = ("light", "dark")
#: Colours of a picture: enough for two dozen shades of text and two scales.
_COLOURS = 128


def main(db: Path, folder: Path) -> None:
    """Take them all."""
    # Any debate; the first of all ids is the same one in every run.
    debate = str(Store(db).read("SELECT min(debate_id) AS id FROM debates")["id"][0])
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        copy = Path(shutil.copy(db, place))
        copy.with_name("weekend.toml").write_text(shipped_configs()["starter"], "utf-8")
        with (
            serving(copy, free_port(), "--admin") as (child, address),
            browser.new_context() as own,
        ):
            page = own.new_page()
            page.goto(read_link(child))
            page.get_by_role("button").click()
            page.wait_for_url("**/add-model", wait_until="commit", timeout=120_000)
            state = own.storage_state()
            for theme in _THEMES:
                with browser.new_context(color_scheme=theme, storage_state=state) as context:
                    context.set_default_timeout(120_000)
                    for name, path, width, picture in _pictures(folder, theme):
                        _take(context, address + path.format(debate=debate), picture, width)
                        print(name, width, theme)
        _take_alone(browser, folder)


def _take_alone(browser: Browser, folder: Path) -> None:
    """Take pictures of the pages that are served alone."""
    for name, (file, commands, options) in _ALONE.items():
        with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
            db = Path(place) / "results.duckdb"
            Path("own.toml").write_text(file, "utf-8")
            for words in commands:
                code, printed = arena(*words, "--db", db)
                assert code == 0, printed
            with serving(db, free_port(), *options) as (_, address):
                for theme in _THEMES:
                    with browser.new_context(color_scheme=theme) as context:
                        context.set_default_timeout(120_000)
                        for width in _WIDTHS:
                            picture = folder / "dashboard" / f"{name}-{width}-{theme}.png"
                            enter = _give_name if name in _ASK_FOR_NAME else None
                            _take(context, address, picture, width, enter)
                            print(name, width, theme)


def _give_name(page: Page) -> None:
    page.get_by_label("Your pseudonym").fill("ann")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stRadio").first).to_be_visible()


def _pictures(folder: Path, theme: _Theme) -> Iterator[tuple[str, str, int, Path]]:
    if theme == "light":
        for name in _README:
            yield name, _PAGES[name], VIEWPORT["width"], folder / f"{name}.png"
    for name, path in _PAGES.items():
        for width in _WIDTHS:
            yield name, path, width, folder / "dashboard" / f"{name}-{width}-{theme}.png"


def _take(
    context: BrowserContext,
    address: str,
    picture: Path,
    width: int,
    enter: Callable[[Page], None] | None = None,
) -> None:
    """Take a picture of a page, once somebody has entered; it has few colours, so it is small."""
    page = context.new_page()
    page.set_viewport_size(ViewportSize(width=width, height=VIEWPORT["height"]))
    Watched(page).open(address)
    if enter is not None:
        enter(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    picture.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(_COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)
    page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

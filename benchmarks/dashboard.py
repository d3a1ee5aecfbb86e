"""How quick the pages are on 200 participants and 100,000 debates, in headless Chromium.

    python benchmarks/dashboard.py [--json] [--short]

Debates, ballots and ratings are made, not played, as `benchmarks/large.py` makes them. An empty
page of Streamlit (a line and a button) is measured in the same run, in turn with the pages: each
time in a browser that has cached nothing, the median of five. What a page shows is timed by the
browser's own clock, from the start of the navigation or from the press of a key or button until it
can be read:

- *leaderboard, first row*: until it can be read, beside the line of the empty page (the first that
  it paints); *first viewer* is the same right after the server has started. *Table*: until there
  are letters in the table that takes the place of these rows, and which can be clicked. *A table
  alone* is a page with nothing but a table of Streamlit's of as many rows.
- *filter*: Debates by participant, until the count of debates and the first row are those of the
  filter; *transcript*: from a row of Debates until the last heading, that of the ballots; both
  beside a press of the empty page's button, until it has run anew. *A row that leads to a heading*
  is a page with nothing but a table of Streamlit's, and one with nothing but that heading.
- *memory*: resident memory of `arena serve` and its server while ten viewers look at ten pages.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.boards.stored_boards import store_boards  # noqa: E402 - the project, as a script
from arena.config.stored import stored_config  # noqa: E402
from arena.store.database import Store  # noqa: E402
from benchmarks.bare_pages import EMPTY, LEADING, TABLE, bare_page  # noqa: E402
from benchmarks.large import make_database  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from dashboard.navigation import RESULTS  # noqa: E402
from dashboard.tables import ROW_PIXELS  # noqa: E402
from tests.dashboard.conftest import VIEWPORT, chromium, free_port, serving  # noqa: E402

_PARTICIPANTS, _DEBATES, _REPEATS = 200, 100_000, 5
#: Participants differ in strength by their numbers, as in a real tournament; Elo points.
_SPREAD = 600
_OUTCOMES = f"""
    UPDATE ballot_scores s SET outcome = CASE
        WHEN hash(s.ballot_id || s.dimension) % 1000 < 150 THEN 0.5
        WHEN hash(s.dimension || s.ballot_id) % 1000 / 1000
             < 1 / (1 + pow(10, (c.place - p.place) * {_SPREAD} / 400)) THEN 1 ELSE 0 END
    FROM ballots b, debates d, seats p, seats c
    WHERE b.ballot_id = s.ballot_id AND d.debate_id = b.debate_id
      AND p.participant_id = d.pro AND c.participant_id = d.con
"""
_SEATS = """
    CREATE TEMP TABLE seats AS
    SELECT participant_id, row_number() OVER (ORDER BY name) / count(*) OVER () AS place
    FROM participants
"""
#: Looks at every frame that the browser draws; the moment is of the page's own clock.
_LOOK = """
    window.firstSeen = (isThere) => new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`not seen in a minute: ${isThere}`)), 60_000);
        const look = () => isThere() ? resolve(performance.now()) : requestAnimationFrame(look);
        look();
    });
    for (const kind of ["pointerdown", "keydown"])
        document.addEventListener(kind, () => { window.began = performance.now(); }, true);
    window.firstRowIsThere = () =>
        document.querySelector("#first-board tbody tr")?.getBoundingClientRect().height > 0;
    window.tableIsDrawn = () => {
        const canvas = document.querySelector("[data-testid=data-grid-canvas]");
        if (!canvas?.width || !canvas.clientWidth) return false;
        const scale = canvas.width / canvas.clientWidth;
        const place = [70, 37, 120, 30].map((pixels) => Math.round(pixels * scale));
        const colours = canvas.getContext("2d").getImageData(...place).data;
        const greens = colours.filter((_, place) => place % 4 === 1);
        return Math.max(...greens) - Math.min(...greens) > 100;
    };
    window.cell = (column, row) =>
        document.querySelector(`[data-testid=glide-cell-${column}-${row}]`)?.textContent ?? "";
"""
_FIRST_ROW, _TABLE = "firstRowIsThere()", "tableIsDrawn()"
_RUN = "document.querySelector('[data-testid=stText]')?.textContent ?? ''"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Figures of the pages, and those of an empty page that was measured in turn with them."""

    pages: list[float]
    empty: list[float]

    def row(self, case: str) -> dict[str, object]:
        """Return a row of the table."""
        own, empty = statistics.median(self.pages), statistics.median(self.empty)
        return {
            "case": case,
            "page": round(own),
            "empty page": round(empty),
            "times": round(own / empty, 2),
        }


def make_tournament(path: Path, participants: int, debates: int) -> Store:
    """Make a database with a tournament of participants of different strength, and its boards."""
    store = make_database(path, debates, participants=participants)

    def decide(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        connection.execute(_SEATS)
        connection.execute(_OUTCOMES)

    store.write(decide)
    store_boards(store, stored_config(store, "large"))
    return store


@contextmanager
def new_viewer(browser: Browser) -> Iterator[Page]:
    """Open a page of a browser that has nothing cached."""
    with browser.new_context(viewport=VIEWPORT) as context:
        context.set_default_timeout(120_000)
        context.add_init_script(_LOOK)
        yield context.new_page()


def time_opening(browser: Browser, address: str, condition: str) -> float:
    """Return the milliseconds from the start of a navigation until a condition holds."""
    with new_viewer(browser) as page:
        page.goto(address, wait_until="commit")
        return float(page.evaluate(f"firstSeen(() => {condition})"))


def time_action(page: Page, act: Callable[[], None], condition: str) -> float:
    """Return the milliseconds from the last press of a key or button until a condition holds."""
    page.bring_to_front()  # a page behind another draws no frames
    page.evaluate(f"void (window.seen = firstSeen(() => {condition}))")
    act()
    return float(page.evaluate("seen.then(moment => moment - began)"))


def measure_opening(
    browser: Browser, address: str, empty: str, repeats: int, *, condition: str = _TABLE
) -> Measured:
    """Measure a page until a condition holds beside the empty page's line."""
    line = f"({_RUN}) !== ''"
    pairs = [
        (time_opening(browser, empty, line), time_opening(browser, address, condition))
        for _ in range(repeats)
    ]
    return Measured(pages=[own for _, own in pairs], empty=[bare for bare, _ in pairs])


def open_drawn(page: Page, address: str) -> None:
    """Open a page and wait until its script has run and its tables are drawn."""
    page.goto(address)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_load_state("networkidle")


def _run_again(page: Page) -> float:
    """Return the milliseconds that a press of the empty page's button takes."""
    before = page.get_by_test_id("stText").inner_text()
    click = page.get_by_role("button", name="Again").click
    return time_action(page, click, f"({_RUN}) !== '{before}'")


def measure_filter(browser: Browser, address: str, empty: str, names: Sequence[str]) -> Measured:
    """Measure choices of participants on Debates beside runs of the empty page."""
    measured = Measured(pages=[], empty=[])
    with new_viewer(browser) as page, new_viewer(browser) as bare:
        open_drawn(page, f"{address}/debates")
        open_drawn(bare, empty)
        box = page.get_by_role("combobox", name=re.compile("^Participant|Participant$"))
        for name in names:
            measured.empty.append(_run_again(bare))
            box.click()
            box.fill(name)
            chosen = f"location.search.includes('{name}')"
            shown = f"{chosen} && [cell(2, 0), cell(3, 0)].includes('{name}')"
            measured.pages.append(time_action(page, lambda: page.keyboard.press("Enter"), shown))
    return measured


def measure_leading(browser: Browser, tables: Sequence[str], empty: str) -> Measured:
    """Measure clicks on the first rows of tables beside runs of the empty page."""
    measured = Measured(pages=[], empty=[])
    last = "[...document.querySelectorAll('h2')].some(each => each.textContent === 'Ballots')"
    with new_viewer(browser) as page, new_viewer(browser) as bare:
        open_drawn(bare, empty)
        for address in tables:
            open_drawn(page, address)
            box = page.get_by_test_id("stDataFrame").first.bounding_box()
            assert box is not None
            click = partial(page.mouse.click, box["x"] + 200, box["y"] + 1.5 * ROW_PIXELS)
            measured.empty.append(_run_again(bare))
            measured.pages.append(time_action(page, click, last))
    return measured


def measure_memory(browser: Browser, address: str, process: int, *, paths: Sequence[str]) -> float:
    """Return the megabytes of a server's processes while each of some pages has a viewer."""
    with ExitStack() as stack:
        for path in paths:
            open_drawn(stack.enter_context(new_viewer(browser)), f"{address}/{path}")
        return sum(map(resident_megabytes, process_tree(process)))


def process_tree(process: int) -> list[int]:
    """Return a process and all that it has started, and they."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(each for child in children for each in process_tree(int(child)))]


def resident_megabytes(process: int) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(folder: Path, store: Store, repeats: int) -> Iterator[dict[str, object]]:
    """Yield a row per case."""
    names = list(store.read("SELECT name FROM participants ORDER BY name")["name"])
    with (
        chromium() as browser,
        bare_page(folder, EMPTY) as (bare, empty),
        bare_page(folder, TABLE) as (_, table),
        bare_page(folder, LEADING) as (_, leading),
        serving(store.path, free_port()) as (pages, address),
    ):
        first = partial(measure_opening, condition=_FIRST_ROW)
        yield first(browser, address, empty, 1).row("leaderboard, first row, first viewer, ms")
        yield first(browser, address, empty, repeats).row("leaderboard, first row, ms")
        yield measure_opening(browser, address, empty, repeats).row("leaderboard, table, ms")
        yield measure_opening(browser, table, empty, repeats).row("a table alone, ms")
        yield measure_filter(browser, address, empty, names[3 : 3 + repeats]).row("filter, ms")
        lists = [f"{address}/debates?participant={name}" for name in names[:repeats]]
        yield measure_leading(browser, lists, empty).row("transcript, ms")
        bare_lists = [leading] * repeats
        yield measure_leading(browser, bare_lists, empty).row("a row that leads to a heading, ms")
        paths = [entry.path for entry in RESULTS]
        memory = Measured(
            pages=[measure_memory(browser, address, pages.pid, paths=paths)],
            empty=[measure_memory(browser, empty, bare.pid, paths=[""] * len(paths))],
        )
        yield memory.row(f"memory, {len(paths)} viewers, MB")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One object per line and case.")
@click.option("--short", is_flag=True, help="20 participants and 1,000 debates, each case once.")
@click.option("--db", type=click.Path(path_type=Path), help="Make the database here, or take it.")
def main(*, as_json: bool, short: bool, db: Path | None) -> None:
    """Measure the pages on a made database."""
    participants, debates, repeats = (
        (20, 1_000, 1) if short else (_PARTICIPANTS, _DEBATES, _REPEATS)
    )
    with tempfile.TemporaryDirectory() as name:
        store = Store(db or Path(name) / "large.duckdb")
        if not store.exists():
            make_tournament(store.path, participants, debates)
        report(measure(Path(name), store, 1 if short else _REPEATS), as_json=as_json)


if __name__ == "__main__":
    main()

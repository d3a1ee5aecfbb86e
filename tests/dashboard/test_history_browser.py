"""The browser's history: one action makes one entry, and Back returns to what was seen before."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from arena.store.database import insert
from tests.dashboard.conftest import Serve
from tests.dashboard.handmade import Texts, make, tournament
from tests.dashboard.test_pages_browser import cell
from tests.dashboard.test_reading_browser import wait_until_drawn
from tests.dashboard.watching import (
    Watched,
    board_cell,
    choose,
    click_figure,
    click_row,
    open_choices,
    tick,
)

pytestmark = pytest.mark.slow

_SCRIPT = Path(__file__).parents[2] / "dashboard" / "history.js"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of the history: its address, and a check of what the page shows there."""

    address: str
    check: Callable[[], object]


class History:
    """What a viewer does, each time with the entry that it makes."""

    def __init__(self, page: Page, check: Callable[[], object]) -> None:
        self.page = page
        self.entries: list[Entry] = []
        self._first = self._length()
        self._add(check)

    def act(self, action: Callable[[], object], leads: str, check: Callable[[], object]) -> None:
        """Do something, which leads to an address, and expect one entry for it."""
        action()
        expect(self.page).to_have_url(re.compile(leads))
        self._add(check)
        assert self._length() == self._first + len(self.entries) - 1, self.page.url

    def walk_back_and_forth(self) -> None:
        """Go back to the first entry and forward to the last, and expect what was there."""
        *before, last = self.entries
        for entry in reversed(before):
            self.page.go_back(wait_until="commit")
            self._expect(entry)
        for entry in (*before[1:], last):
            self.page.go_forward(wait_until="commit")
            self._expect(entry)

    def reload(self) -> None:
        """Load the last entry again, and expect the same."""
        self.page.reload()
        self._expect(self.entries[-1])

    def _add(self, check: Callable[[], object]) -> None:
        check()
        wait_until_drawn(self.page)
        self.entries.append(Entry(address=self.page.url, check=check))

    def _expect(self, entry: Entry) -> None:
        expect(self.page).to_have_url(entry.address)
        entry.check()
        wait_until_drawn(self.page)
        expect(self.page).to_have_url(entry.address)

    def _length(self) -> int:
        return int(self.page.evaluate("history.length"))


def chosen(page: Page, name: str, option: str) -> None:
    """Expect what a list shows as chosen."""
    box = page.get_by_role("combobox", name=re.compile(name))
    expect(box).to_have_value(option)


def see(place: Locator) -> Callable[[], object]:
    return lambda: expect(place).to_be_visible()


def test_back_from_the_leaderboard_to_a_transcript_and_its_other_leg(
    served: str, watched: Watched
) -> None:
    page = watched.open(served)
    policy, every = (page.get_by_role("radio", name=name, exact=True) for name in ("Policy", "All"))
    expect(page.locator(".st-key-wide-costs")).to_be_visible()
    table = page.get_by_test_id("stDataFrame").first

    def check_first() -> None:
        open_choices(page)
        expect(every).to_be_checked()

    history = History(page, check_first)
    check_first()
    first = page.get_by_text("12 debates rated")

    def check_board() -> None:
        open_choices(page)
        expect(policy).to_be_checked()
        expect(first).to_have_count(0)
        expect(board_cell(page, "participant", 0)).not_to_be_empty()

    history.act(lambda: tick(policy), "/[?]category=policy$", check_board)
    second = board_cell(page, "participant", 1)
    name = second.inner_text()

    def check_profile() -> None:
        chosen(page, "^Participant", name)
        expect(page.locator(".st-key-name-profile-0")).to_have_text(name)

    profile = f"/participants[?].*profile={name}"
    history.act(second.get_by_role("link").click, profile, check_profile)

    def open_list() -> None:
        expect(page.get_by_role("heading", name="Debates", exact=True)).to_be_visible()
        open_choices(page)

    def check_debates() -> None:
        open_list()
        chosen(page, "^Side", "Con")
        chosen(page, "^Participant", name)
        expect(cell(page, 3, 0)).to_have_text(name)

    history.act(
        page.get_by_role("link", name="Lost as Con", exact=True).click,
        "/debates[?].*side=con",
        check_debates,
    )

    def check_all() -> None:
        open_list()
        chosen(page, "^Category", "All")
        check_debates()

    history.act(
        lambda: choose(page, re.compile("^Category"), "All"),
        "/debates[?](?!.*category=policy)",
        check_all,
    )
    transcript, summary = "/transcript[?].*debate=", page.get_by_role("heading", name="Summary")
    history.act(lambda: click_row(table, 0, transcript), transcript, see(summary))
    here = page.url
    shown = page.get_by_text(re.compile(r" · debate [0-9a-f]{16}$"))
    leg = shown.inner_text()
    history.entries[-1] = Entry(address=here, check=lambda: expect(shown).to_have_text(leg))
    other = page.get_by_role("link", name="The other leg")
    history.act(other.click, f"debate=(?!{leg[-16:]})", lambda: expect(shown).not_to_have_text(leg))
    history.walk_back_and_forth()
    history.reload()


def test_back_from_a_cell_of_the_matrix_and_a_debate_of_the_two(
    served: str, watched: Watched
) -> None:
    page = watched.open(f"{served}/win-rates")
    figures = page.locator(".js-plotly-plot .heatmap-label text")
    history = History(page, lambda: expect(figures).to_have_count(6))
    predicted = page.get_by_role("radio", name="Predicted")
    said = page.get_by_text(re.compile("^Win probability of the row"))
    history.act(lambda: tick(predicted), "/win-rates[?]shown=predicted", see(said))

    both = see(page.get_by_text(re.compile(r"^\d debates in \d matchups; ")))
    history.act(lambda: click_figure(figures.nth(1)), "/head-to-head[?].*first=.*second=", both)
    debates = page.locator(".st-key-wide-meetings").get_by_test_id("stDataFrame")
    summary = see(page.get_by_role("heading", name="Summary"))
    transcript = "/transcript[?].*debate="
    history.act(lambda: click_row(debates, 0, transcript), transcript, summary)
    history.walk_back_and_forth()
    history.reload()


def test_back_along_the_navigation_bar_with_two_tournaments(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    """Pages write the tournament into their addresses by themselves; that makes no entry."""
    store = make(tmp_path / "results.duckdb")
    store.write(lambda link: insert(link, "tournaments", [tournament(Texts(tournament="empty"))]))
    page = watched.open(f"{serve(store.path)}/?tournament=handmade")
    assert page.evaluate("history.length") == 2, "the empty page, and this one"
    bar = page.get_by_test_id("stTopNavLink")

    def go(title: str) -> Callable[[], None]:
        return lambda: bar.get_by_text(title, exact=True).click()

    def check(title: str, name: str) -> Callable[[], None]:
        def shows() -> None:
            expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
            open_choices(page)
            chosen(page, "^Tournament", name)

        return shows

    history = History(page, check("Leaderboard", "handmade"))
    for title, path in (("Debates", "debates"), ("Motions", "motions"), ("Win rates", "win-rates")):
        history.act(go(title), f"/{path}[?]tournament=handmade$", check(title, "handmade"))
    history.act(
        lambda: choose(page, re.compile("^Tournament"), "empty"),
        "/win-rates[?]tournament=empty$",
        check("Win rates", "empty"),
    )
    history.act(go("Leaderboard"), "/[?]tournament=empty$", check("Leaderboard", "empty"))
    history.walk_back_and_forth()


@pytest.fixture
def bare(page: Page) -> Page:
    """A page with the script and a button."""
    script = f"<script>{_SCRIPT.read_text('utf-8')}</script>"
    body = f"<head>{script}</head><button>Go</button>"
    page.clock.install(time=0)
    page.route("http://bare.test/**", lambda route: route.fulfill(body=body))
    page.goto("http://bare.test/")
    page.clock.pause_at(1000)
    return page


def push(page: Page, address: str) -> int:
    """Push an address as Streamlit does, and return the number of entries after the first."""
    page.evaluate("address => history.pushState({}, '', address)", address)
    assert page.url == f"http://bare.test{address}"
    return int(page.evaluate("history.length")) - 2


def test_what_follows_one_action_is_one_entry(bare: Page) -> None:
    assert push(bare, "/?by=itself") == 0
    bare.mouse.click(9, 9)
    assert push(bare, "/?new") == 1
    assert push(bare, "/other?new") == 1
    assert push(bare, "/other?new&more") == 1
    bare.go_back()
    assert bare.url == "http://bare.test/?by=itself"
    bare.go_forward()
    bare.keyboard.press("Enter")
    assert push(bare, "/keyboard") == 2


def test_a_double_click_is_one_action(bare: Page) -> None:
    bare.mouse.click(9, 9)
    assert push(bare, "/?new") == 1
    bare.clock.run_for(200)
    bare.mouse.click(9, 9)
    assert push(bare, "/other?new") == 1
    bare.mouse.click(99, 9)
    assert push(bare, "/elsewhere") == 2
    bare.clock.run_for(1000)
    bare.mouse.click(99, 9)
    assert push(bare, "/later") == 3


def test_going_back_by_a_key_makes_no_entry(bare: Page) -> None:
    bare.mouse.click(9, 9)
    push(bare, "/other")
    bare.keyboard.press("Alt")
    bare.go_back()
    assert push(bare, "/?by=itself") == 1
    bare.go_forward()
    assert bare.url == "http://bare.test/other"


def test_a_click_by_a_script_is_no_action(bare: Page) -> None:
    button = bare.get_by_role("button")
    button.evaluate("button => button.click()")
    assert push(bare, "/?by=itself") == 0
    button.press("Space")
    assert push(bare, "/other") == 1

"""A page whose console and requests are written down."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Locator, Page, TimeoutError, expect

#: Seconds for which the effect of a click is waited for, click by click.
_PATIENCE = (20, 40, 80)
#: The middle of an element, once it is the same in ten frames.
_MIDDLE_AT_REST = """async (element) => {
    let last = "", middle = [];
    for (let same = 0; same < 10; ) {
        await new Promise(requestAnimationFrame);
        const {x, y, width, height} = element.getBoundingClientRect();
        middle = [x + width / 2, y + height / 2];
        same = last === middle.join() ? same + 1 : 0;
        last = middle.join();
    }
    return middle;
}"""
T = TypeVar("T")


def without_first_rows(page: Page) -> Page:
    """Wait until the rows of the HTML page, which are there before all else, have gone."""
    expect(page.locator("#first-board")).to_have_count(0)
    return page


def press(place: Locator, effect: Locator) -> None:
    """Click until the effect is seen: a click on what is drawn anew at that moment is lost.

    A second click must not undo the first; what folds is for `unfold`.
    """
    for seconds in _PATIENCE:
        place.click()
        with suppress(AssertionError):
            return expect(effect).to_be_visible(timeout=1000 * seconds)
    pytest.fail(f"after {len(_PATIENCE)} clicks on {place} there is no {effect}")


def unfold(details: Locator) -> None:
    """Unfold something by clicks, unless the page does so by itself, and wait until it is open.

    Playwright scrolls what is still opening, and a list in it closes when it is scrolled.
    """
    for seconds in _PATIENCE:
        if details.get_attribute("open") is None:
            details.locator("summary").first.click()
        with suppress(AssertionError):
            expect(details).to_have_attribute("open", "", timeout=1000 * seconds)
            return expect(details).not_to_have_css("overflow", "hidden")
    pytest.fail(f"{details} stays folded")


def tick(radio: Locator, label: Locator | None = None) -> None:
    """Choose one of several by clicks, on its label where it lies below, until it is chosen."""
    for seconds in _PATIENCE:
        (label or radio).click()
        with suppress(AssertionError):
            return expect(radio).to_be_checked(timeout=1000 * seconds)
    pytest.fail(f"{radio} is not chosen")


def board_cell(page: Page, head: str, place: int) -> Locator:
    """A cell of the leaderboard, by the head of its column and the place of its row."""
    rows = page.locator("[data-testid=stMain] .board-table tbody tr")
    return rows.nth(place).locator(f"td[data-head='{head}']")


def click_row(table: Locator, row: int, leads: str) -> None:
    """Click on a row of a table, each time once the table stands still, until it leads there."""
    for seconds in _PATIENCE:
        table.hover(position={"x": 220, "y": 17})
        table.click(position={"x": 200, "y": 35 * (row + 1) + 17})
        with suppress(AssertionError):
            return expect(table.page).to_have_url(re.compile(leads), timeout=1000 * seconds)
    pytest.fail(f"row {row} of {table} does not lead to {leads}")


def click_figure(figure: Locator) -> None:
    """Click on a figure of a chart once it stands still; it lies below what takes the clicks."""
    figure.scroll_into_view_if_needed()
    x, y = figure.evaluate(_MIDDLE_AT_REST)
    figure.page.mouse.click(x, y)


def open_choices(page: Page) -> None:
    """Unfold the choices of a board, unless they are."""
    unfold(page.locator(".st-key-fold details"))


def open_list(page: Page, name: str | re.Pattern[str]) -> Locator:
    """Open the list of a box, and return its options."""
    options = page.get_by_role("option")
    press(page.get_by_role("combobox", name=name), options.first)
    return options


def choose(page: Page, name: str | re.Pattern[str], option: str) -> None:
    """Choose an option of a box, and wait until the box shows it."""
    box = page.get_by_role("combobox", name=name)
    for seconds in _PATIENCE:
        open_list(page, name)
        with suppress(AssertionError, TimeoutError):  # the list may have closed by itself
            page.get_by_role("option", name=option, exact=True).click(timeout=1000 * seconds)
            return expect(box).to_have_value(option, timeout=1000 * seconds)
    pytest.fail(f"{box} does not show {option}")


def read_until(page: Page, is_right: Callable[[str], bool]) -> str:
    """Read what a page shows again and again, each time at once, until it is right."""
    return ask_until(page, page.get_by_test_id("stMain").inner_text, is_right)


def ask_until(page: Page, ask: Callable[[], T], is_right: Callable[[T], bool]) -> T:
    """Ask again and again, each time for all at once, until the answer is right."""
    deadline = time.monotonic() + 120
    while not is_right(answer := ask()):
        assert time.monotonic() < deadline, f"the page is not as it should be: {answer}"
        page.wait_for_timeout(100)
    return answer


class Watched:
    """A page that remembers what went wrong on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requested: list[str] = []
        self._said: list[str] = []
        page.on("request", lambda request: self.requested.append(request.url))
        page.on("websocket", lambda socket: self.requested.append(socket.url))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._said.append(str(error)))

    def open(self, address: str) -> Page:
        """Go to an address and wait until all of its page is there."""
        self.page.goto(address)
        return self._await_page()

    def enter(self, link: str) -> Page:
        """Use the link to the forms, and wait until the first of them is there."""
        self.page.goto(link)
        self.page.get_by_role("button").click()
        return self._await_page()

    def _await_page(self) -> Page:
        expect(self.page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        return without_first_rows(self.page)

    def problems(self) -> list[str]:
        """Errors on the console, and requests to anything but 127.0.0.1."""
        outside = [
            url
            for url in self.requested
            if urlsplit(url).scheme not in ("data", "blob")
            and urlsplit(url).hostname != "127.0.0.1"
        ]
        return [*self._said, *outside]

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._said.append(message.text)

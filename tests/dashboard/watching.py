"""A page whose console and requests are written down."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, expect


def without_first_rows(page: Page) -> Page:
    """Wait until the rows of the HTML page, which are there before all else, have gone."""
    expect(page.locator("#first-board")).to_have_count(0)
    return page


def open_choices(page: Page) -> None:
    """Unfold the choices of a board, unless they are."""
    fold = page.locator(".st-key-fold details")
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    expect(fold).to_have_attribute("open", "")


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

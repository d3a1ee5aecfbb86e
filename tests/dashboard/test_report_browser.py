"""The report in a browser that has no network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from arena.store.database import Store
from tests.dashboard.hostile import HOSTILE, harmless
from tests.support.command_line import done

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_without_a_network(
    width: int, scheme: str, small_database: Path, tmp_path: Path, browser: Browser
) -> None:
    file = tmp_path / "small.html"
    done("report", "--db", small_database, "-o", file)
    problems: list[str] = []
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        offline=True,
    )
    page = context.new_page()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url))
    page.goto(file.as_uri())
    assert problems == [file.as_uri()], "nothing is asked for but the file"
    size = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert page.evaluate(size) == [width, width], "the page is not wider than the window"
    printed = json.loads(done("leaderboard", "--db", small_database, "--format", "json"))
    for row in printed["rows"]:
        line = page.locator("#board tr", has_text=row["participant"])
        expect(line).to_contain_text(f"{row['rating']:.0f}")
        expect(line).to_contain_text(f"{row['lower']:.0f} to {row['upper']:.0f}")
    ink, paper = (
        page.evaluate(f"getComputedStyle(document.body).{name}")
        for name in ("color", "backgroundColor")
    )
    assert (ink, paper) == {
        "light": ("rgb(47, 45, 43)", "rgb(255, 255, 255)"),
        "dark": ("rgb(237, 235, 232)", "rgb(14, 17, 23)"),
    }[scheme]
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    context.close()


def test_what_a_stranger_wrote_does_nothing(own_database: Path, browser: Browser) -> None:
    def write(connection: Any) -> None:  # noqa: ANN401 - an open connection
        connection.execute("UPDATE speeches SET text = ?", [HOSTILE])

    Store(own_database).write(write)
    file = own_database.with_name("report.html")
    done("report", "--db", own_database, "-o", file)
    page = browser.new_page()
    page.goto(file.as_uri())
    expect(page.get_by_text("window.hacked").first).to_be_visible()
    harmless(page)
    page.close()

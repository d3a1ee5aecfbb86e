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
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    assert page.evaluate(size) == [width, width]
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = false)")
    page.emulate_media(media="print")
    for part in ("#board table", "#run table", ".reading blockquote"):
        expect(page.locator(part).first).to_be_visible()  # print opens what is folded
    page.set_viewport_size({"width": 688, "height": 900})  # A4 without its margins
    tables = "[...document.querySelectorAll('table')]"
    right = f"Math.max(...{tables}.map((each) => each.getBoundingClientRect().right))"
    assert page.evaluate(right) <= 688
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
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    expect(page.get_by_text("window.hacked").first).to_be_visible()
    harmless(page)
    page.close()

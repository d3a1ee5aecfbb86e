"""The reading pages in a browser: their widths, their links to each other, and their files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from arena.store.database import Store
from arena.text import counted
from tests.dashboard.test_pages_browser import cell
from tests.dashboard.watching import Watched, board_cell, click_figure, click_row, unfold
from tests.support.command_line import done

pytestmark = pytest.mark.slow

WIDTHS = (390, 768, 1280, 1920)
PAGES = ("/", "/win-rates", "/head-to-head", "/debates", "/participants", "/motions")


def wait_until_drawn(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def unfold_all(page: Page) -> None:
    """Open all that is folded away."""
    for folded in page.get_by_test_id("stExpander").all():
        unfold(folded.locator("details"))


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_wider_than_its_window(served: str, watched: Watched, path: str) -> None:
    page = watched.open(served + path)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        wait_until_drawn(page)
        main = page.get_by_test_id("stMain")
        over = main.evaluate("element => element.scrollWidth - element.clientWidth")
        assert over <= 0, (path, width)


def test_on_a_phone_rank_name_rating_and_interval_are_in_view(
    served: str, watched: Watched
) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 900})
    page = watched.open(served)
    places = {}
    for head in ("#", "participant", "Elo", "95 % interval"):
        expect(board_cell(page, head, 0)).to_be_visible()
        box = board_cell(page, head, 0).bounding_box()
        assert box is not None and box["x"] + box["width"] <= 390
        places[head] = box["y"]
    assert places["95 % interval"] > places["participant"], "the picture is under the name"


def test_on_a_phone_a_matrix_scrolls_and_keeps_its_cells(served: str, watched: Watched) -> None:
    watched.page.set_viewport_size({"width": 390, "height": 900})
    page = watched.open(f"{served}/win-rates")
    texts = page.locator(".js-plotly-plot .heatmap-label text")
    expect(texts).to_have_count(6)
    boxes = [text.bounding_box() for text in texts.all()[:2]]
    first, second = (box for box in boxes if box is not None)
    assert first["x"] + first["width"] < second["x"], "figures do not run into each other"
    scroll = page.locator(".st-key-matrix-scroll")
    assert scroll.evaluate("element => element.scrollWidth - element.clientWidth") > 0


@pytest.mark.parametrize("filters", [{}, {"category": "policy", "language": "en"}])
def test_a_cell_leads_to_the_debates_of_the_two(
    served: str, played: Path, watched: Watched, filters: dict[str, str]
) -> None:
    page = watched.open(f"{served}/win-rates?{urlencode(filters | {'shown': 'counts'})}")
    texts = page.locator(".js-plotly-plot .heatmap-label text")
    expect(texts).to_have_count(6)
    names = page.locator(".js-plotly-plot .ytick text").all_text_contents()
    number = texts.nth(1).text_content()  # the first row, the third column
    click_figure(texts.nth(1))
    expect(page.get_by_role("heading", name="Head to head")).to_be_visible()
    first, second = names[0], names[2]
    expect(page).to_have_url(re.compile(f"first={first}.*second={second}"))
    options = [word for name, value in filters.items() for word in (f"--{name}", value)]
    pair = json.loads(done("versus", first, second, "--db", played, "--format", "json", *options))
    assert str(pair["debates"]) == number
    met = f"{counted(pair['debates'], 'debate')} in {counted(pair['matchups'], 'matchup')}"
    sentence = f"{met}; {first} was Pro in"
    expect(page.get_by_text(re.compile(f"^{re.escape(sentence)}"))).to_be_visible()


def test_the_start_of_an_id_opens_a_debate_and_its_other_leg(
    served: str, played: Path, watched: Watched
) -> None:
    rows = Store(played).rows("SELECT debate_id, matchup_id FROM debates ORDER BY debate_id")
    whole = str(rows[0]["debate_id"])
    page = watched.open(f"{served}/transcript?debate={whole[:10]}")
    expect(page.get_by_text(f"debate {whole}")).to_be_visible()
    expect(page.get_by_text(re.compile("^Bench debatrix: "))).to_be_visible()
    unfold(page.locator("details").filter(has_text="How it was made").first)
    expect(page.locator("[class*='st-key-step-']").first).to_be_visible()
    (other,) = (
        str(row["debate_id"])
        for row in rows
        if row["matchup_id"] == rows[0]["matchup_id"] and row["debate_id"] != whole
    )
    page.get_by_text("The other leg").click()
    expect(page.get_by_text(f"debate {other}")).to_be_visible()
    page = watched.open(f"{served}/transcript?debate=zz")
    expect(page.get_by_text("No such debate.")).to_be_visible()


def test_a_motion_opens_with_its_brief(served: str, watched: Watched) -> None:
    page = watched.open(f"{served}/motions")
    motion = cell(page, 1, 0).inner_text()
    click_row(page.get_by_test_id("stDataFrame").first, 0, "motion-id=")
    expect(page.get_by_text(motion, exact=True).first).to_be_visible()
    unfold(page.locator("details").filter(has_text="Brief (En)"))
    page.get_by_text("Its debates").click()
    expect(page.get_by_role("heading", name="Debates")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^\d of 12 debates\."))).to_be_visible()


@pytest.mark.parametrize("form", ["CSV", "JSON"])
def test_a_file_is_what_the_command_prints(
    served: str, played: Path, watched: Watched, form: str
) -> None:
    page = watched.open(served)
    with page.expect_download() as download:
        page.get_by_role("button", name=form, exact=True).first.click()
    content = Path(download.value.path()).read_text("utf-8")
    assert content == done("leaderboard", "--db", played, "--format", form.lower())

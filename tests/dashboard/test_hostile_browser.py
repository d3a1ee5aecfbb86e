"""A database whose every text is hostile: all pages render, nothing runs, nothing is fetched."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.dashboard.conftest import Serve
from tests.dashboard.handmade import Texts, execute, make
from tests.dashboard.hostile import HOSTILE, harmless
from tests.dashboard.test_pages_browser import cell
from tests.dashboard.test_reading_browser import unfold_all, wait_until_drawn
from tests.dashboard.watching import Watched, board_cell, open_choices, open_list, unfold

pytestmark = pytest.mark.slow

_MARKDOWN = "| a | b |\n|---|---|\n\u202egnp\u202c \x07 $$\\frac{1}{0}$$ `code` # x\n> y"
_LONG = f"{HOSTILE} {_MARKDOWN} {'w' * 1_000_000}"


@pytest.fixture
def address(tmp_path: Path, serve: Serve) -> str:
    texts = Texts(
        **dict.fromkeys(("tournament", "motion", "origin", "excerpt"), HOSTILE),
        **dict.fromkeys(("comment", "bench", "dimension", "model", "reason"), HOSTILE),
        speech=HOSTILE,
        names=(f"alpha {HOSTILE}", f"beta {HOSTILE}"),
    )
    store = make(tmp_path / "results.duckdb", texts)
    brief = json.dumps({"pro": [{"claim": HOSTILE, "evidence": HOSTILE, "source": HOSTILE}]})
    trace = json.dumps([{"agent": HOSTILE, "fault": HOSTILE, "note": HOSTILE, "round": 1}])
    quoted = HOSTILE.replace("'", "''")
    execute(
        store,
        f"UPDATE motions SET info_slide = '{quoted}', topic = '{quoted}', "
        f"brief = '{brief.replace(chr(39), chr(39) * 2)}'",
        f"UPDATE speeches SET trace = '{trace.replace(chr(39), chr(39) * 2)}'",
        f"UPDATE participants SET debater = '{quoted}'",
    )
    return serve(store.path)


def test_the_board_and_the_matrix_are_inert(address: str, watched: Watched) -> None:
    page = watched.open(address)
    expect(board_cell(page, "participant", 0)).to_contain_text("alpha <scr")
    expect(page.locator(".js-plotly-plot .ytick text").first).to_be_visible()
    harmless(page)
    page = watched.open(f"{address}/win-rates")
    expect(page.locator(".js-plotly-plot .ytick text").first).to_have_text("alpha…")
    harmless(page)
    page = watched.open(f"{address}/head-to-head")
    expect(page.get_by_role("heading", name="Debate by debate")).to_be_visible()
    expect(cell(page, 1, 0, table=2)).to_contain_text("<scr")
    harmless(page)
    assert not [url for url in watched.requested if "192.0.2.1" in url]


def test_filters_profiles_and_motions_are_inert(address: str, watched: Watched) -> None:
    page = watched.open(f"{address}/debates")
    open_choices(page)
    for name, text in (("Tournament", "<scrip"), ("Participant", "beta…"), ("Motion", "<scrip")):
        expect(open_list(page, re.compile(name)).last).to_contain_text(text)
        harmless(page)
        page.keyboard.press("Escape")
    page = watched.open(f"{address}/participants")
    expect(page.get_by_text(re.compile("Largest upset|Closest split")).first).to_be_visible()
    fold = page.locator("details").filter(has_text="How the speeches are made")
    unfold(fold)
    expect(fold.get_by_text("Speeches", exact=True).first).to_be_visible()
    harmless(page)
    page = watched.open(f"{address}/motions?motion-id=m1")
    unfold(page.locator("details").filter(has_text="Brief (En)"))
    expect(page.get_by_text(HOSTILE, exact=True).nth(3)).to_be_visible()
    harmless(page)
    assert not [url for url in watched.requested if "192.0.2.1" in url]


def test_a_transcript_is_inert(address: str, watched: Watched) -> None:
    page = watched.open(f"{address}/transcript?debate=d1")
    expect(page.get_by_role("heading", name="Ballots")).to_be_visible()  # the end of the page
    wait_until_drawn(page)
    unfold_all(page)
    speech = page.get_by_text(f"pro constructive: {HOSTILE}", exact=True)
    expect(speech).to_be_visible()
    expect(page.get_by_text(f"[1] {HOSTILE} — {HOSTILE}", exact=True).first).to_be_visible()
    words = page.get_by_role("tabpanel").get_by_text(HOSTILE, exact=True)
    expect(words.first).to_be_visible()
    expect(page.get_by_text(f"note: {HOSTILE}", exact=True).first).to_be_visible()
    harmless(page)
    page = watched.open(f"{address}/transcript?debate=d")
    expect(page.get_by_text("Several debates begin so")).to_be_visible()
    harmless(page)
    assert not [url for url in watched.requested if "192.0.2.1" in url]


def test_a_line_of_a_megabyte_and_broken_tables_are_shown_as_they_are(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    store = make(tmp_path / "results.duckdb", Texts(speech=_LONG, comment=_MARKDOWN))
    page = watched.open(f"{serve(store.path)}/transcript?debate=d1")
    expect(page.get_by_role("heading", name="Ballots")).to_be_visible()
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 0
    expect(main.locator("table:not([role=grid]), blockquote")).to_have_count(0)
    harmless(page)

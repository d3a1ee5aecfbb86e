"""Labels of long like names: no two of a view are equal, and none reads as its opposite."""

from __future__ import annotations

import re
from itertools import islice, product
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import Serve
from tests.dashboard.test_many_browser import make_many
from tests.dashboard.watching import Watched, open_choices, open_list

pytestmark = pytest.mark.slow

_HEAD = "together_ai-meta-llama-Llama-3-agent4debate-of-the-second-night"


def make_names(number: int) -> list[str]:
    """Names of up to 80 characters: pairs with a part and without it, and what differs in one."""
    parts = product(range(number), ("searcher", "no-searcher"))
    names = [f"{_HEAD}-{place}-{part}" for place, part in parts]
    return sorted(islice(names, number))


def check_labels(page: Page, selector: str, number: int) -> None:
    """Check the labels of a view, as far as they are drawn."""
    places = page.locator(selector)
    expect(places).to_have_count(number)
    labels = [" ".join(text.split()) for text in places.all_text_contents()]
    assert len(set(labels)) == number, sorted(labels)
    for label, name in zip(labels, make_names(number), strict=True):
        if "searcher" in label.replace(" ", ""):
            assert ("no-searcher" in label.replace(" ", "")) == ("no-searcher" in name), label


def check_narrow_board(page: Page, number: int) -> None:
    """Check that figures of a row stand in one line, and that a head above turns the order."""
    board = page.locator("[data-testid=stMain] .board-table")
    lines = "(cells) => new Set(cells.map((cell) => cell.getBoundingClientRect().bottom)).size"
    assert board.locator("tbody td.more:visible").evaluate_all(lines) == number
    names = board.locator("td.name bdi")
    last = names.last.get_attribute("title")
    board.locator("th.rank button").click()
    expect(names.first).to_have_attribute("title", str(last))


@pytest.mark.parametrize("number", [7, 40])
def test_labels_are_told_apart_on_every_page(
    tmp_path: Path, serve: Serve, watched: Watched, number: int
) -> None:
    store = make_many(tmp_path / "results.duckdb", names=make_names(number))
    address = serve(store.path)
    for width in (390, 1280):
        watched.page.set_viewport_size({"width": width, "height": 900})
        page = watched.open(address)
        check_labels(page, "[data-testid=stMain] .board-table td.name", number)
        if width == 390:
            check_narrow_board(page, number)
        page = watched.open(f"{address}/win-rates")
        check_labels(page, ".js-plotly-plot .ytick text", number)
        page = watched.open(f"{address}/participants")
        open_choices(page)
        options = open_list(page, re.compile("^Participant"))
        texts = [each.strip() for each in options.all_inner_texts()]
        assert len(set(texts)) == len(texts) > 1

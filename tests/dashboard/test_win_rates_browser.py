"""The page of win rates: its switches, a run, and what a stranger may have named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboard.conftest import Serve
from tests.dashboard.gated import FIRST, gated_run
from tests.dashboard.handmade import Texts, make, make_empty, replace_states, state_row
from tests.dashboard.hostile import HOSTILE, harmless
from tests.dashboard.watching import Watched, open_choices, open_list, tick

pytestmark = pytest.mark.slow


def figures(page: Page) -> Locator:
    """The figures in the cells, line by line, without the counts below them."""
    return page.locator(
        ".heatmap-label text:not(:has(tspan)), .heatmap-label tspan.line:first-child"
    )


def test_observed_rates_of_a_played_tournament(served: str, watched: Watched) -> None:
    page = watched.open(served + "/win-rates")
    expect(page.get_by_role("heading", name="Win rates")).to_be_visible()
    expect(page.get_by_text("simulated models").first).to_be_visible()
    expect(page.get_by_text("counts as half; 12 debates judged.")).to_be_visible()
    expect(page.locator(".js-plotly-plot .ytick text").first).to_have_text("a4d-good")
    expect(figures(page)).to_have_count(6)
    expect(page.get_by_test_id("stProgress")).to_have_count(0)


def test_a_switch_shows_predictions_or_counts_and_stands_in_the_address(
    served: str, watched: Watched
) -> None:
    page = watched.open(served + "/win-rates")
    tick(page.get_by_role("radio", name="Counts"))
    expect(figures(page)).to_have_text(["4"] * 6)
    expect(page).to_have_url(re.compile("shown=counts"))
    page = watched.open(page.url)
    expect(figures(page)).to_have_text(["4"] * 6)
    tick(page.get_by_role("radio", name="Predicted"))
    expect(page.get_by_text("predicted from their ratings")).to_be_visible()
    expect(figures(page).first).not_to_have_text("4")
    chances = [int(text) for text in figures(page).all_text_contents()]
    assert chances[0] + chances[2] in (99, 100, 101)  # first against second, second against first


def test_differences_residuals_and_superiority_are_shown(served: str, watched: Watched) -> None:
    page = watched.open(served + "/win-rates?shown=Difference")
    expect(page.get_by_text("points out of three")).to_be_visible()
    expect(figures(page)).to_have_text([re.compile(r"^.?\d\.\d$")] * 6)
    tick(page.get_by_role("radio", name="Residual"))
    expect(page.get_by_text("minus the share predicted")).to_be_visible()
    tick(page.get_by_role("radio", name="Superiority"))
    expect(page.get_by_text("Probability that the row is better")).to_be_visible()
    expect(figures(page)).to_have_count(6)


def test_hovering_tells_the_names_and_the_debates(served: str, watched: Watched) -> None:
    page = watched.open(served + "/win-rates")
    figures(page).first.hover(force=True)
    expect(page.locator(".hoverlayer")).to_contain_text("a4d-good against direct-")
    expect(page.locator(".hoverlayer")).to_contain_text("4 debates")


def test_switches_choose_another_board(served: str, watched: Watched) -> None:
    page = watched.open(served + "/win-rates?category=Policy&dimension=Source")
    open_choices(page)
    expect(page.get_by_role("radio", name="Source")).to_be_checked()
    said = page.get_by_text(re.compile(r"counts as half; \d+ debates judged"))
    expect(said).to_be_visible()
    expect(said).not_to_contain_text("12 debates")


def test_a_dark_page_has_light_figures(served: str, watched: Watched) -> None:
    watched.page.emulate_media(color_scheme="dark")
    page = watched.open(served + "/win-rates")
    expect(figures(page).first).to_have_css("fill", "rgb(237, 235, 232)")


def test_it_follows_a_run(tmp_path: Path, serve: Serve, watched: Watched) -> None:
    db = make_empty(tmp_path / "results.duckdb").path
    page = watched.open(serve(db) + "/win-rates")
    expect(page.get_by_text("No tournament yet.")).to_be_visible()
    with gated_run(db) as gate:
        gate.open_for(FIRST)
        expect(page.get_by_text("planned 8 · playing 4")).to_be_visible()
        gate.open_for(None)
        expect(page.get_by_text("12 debates judged.")).to_be_visible()
        expect(figures(page)).to_have_count(2)


@pytest.mark.deep
def test_one_participant_is_no_matrix(tmp_path: Path, serve: Serve, watched: Watched) -> None:
    store = make(tmp_path / "results.duckdb")
    replace_states(store, state_row(Texts(), players=1))
    page = watched.open(serve(store.path) + "/win-rates")
    expect(page.get_by_text("No pairs yet.")).to_be_visible()
    expect(page.get_by_text("A matrix needs two rated participants or more.")).to_be_visible()


@pytest.mark.deep
def test_many_dimensions_become_a_list(tmp_path: Path, serve: Serve, watched: Watched) -> None:
    store = make(tmp_path / "results.duckdb")
    names = ("overall", "relevance", "accuracy", "depth", "clarity")
    replace_states(store, *(state_row(Texts(), dimension=name) for name in names))
    page = watched.open(serve(store.path) + "/win-rates")
    open_choices(page)
    expect(open_list(page, re.compile("Dimension"))).to_have_text(
        ["Overall", "Accuracy", "Clarity", "Depth", "Relevance"]
    )
    page.get_by_role("option", name="Depth").click()
    expect(page).to_have_url(re.compile("dimension=depth"))


def test_hostile_names_execute_and_fetch_nothing(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    texts = Texts(
        **dict.fromkeys(("tournament", "bench", "dimension", "motion"), HOSTILE),
        names=(f"<i>alpha {HOSTILE}", f"<i>beta {HOSTILE}"),
    )
    page = watched.open(serve(make(tmp_path / "results.duckdb", texts).path) + "/win-rates")
    expect(page.locator(".js-plotly-plot .ytick text").first).to_contain_text("<i>alpha")
    figures(page).first.hover(force=True)
    expect(page.locator(".hoverlayer")).to_contain_text("beta <script>")
    harmless(page)
    assert not [url for url in watched.requested if "192.0.2.1" in url]

"""The pages Tournament, Costs and Judges: during a run, after a kill, with hostile data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.store.database import Store
from arena.tournament.run_record import state_file
from tests.dashboard.accessibility import check_both_themes
from tests.dashboard.conftest import Serve, Varied
from tests.dashboard.gated import FIRST, GATED, HALF, Gate
from tests.dashboard.handmade import execute, make_empty
from tests.dashboard.hostile import HOSTILE, harmless
from tests.dashboard.watching import Watched, open_choices, read_until
from tests.servers.openai_server import serving_in_thread
from tests.support.command_line import arena
from tests.support.console_script import environment, start

pytestmark = pytest.mark.slow

PAGES = ("tournament", "costs", "judges")


#: Notes what a viewer sees flicker: the running figure as it comes, and parts that fade.
_NOTE_FLICKER = """() => {
    window.flicker = {figures: 0, faded: 0};
    let before = null;
    const look = () => {
        const figure = document.querySelector("[data-testid=stStatusWidget]");
        if (figure && figure !== before)
            window.flicker.figures += getComputedStyle(figure).visibility !== "hidden";
        before = figure;
        const stale = [...document.querySelectorAll("[data-stale=true]")];
        window.flicker.faded += stale.some((each) => getComputedStyle(each).opacity < 1);
        requestAnimationFrame(look);
    };
    look();
}"""
#: Puts the running figure on the page, as Streamlit does; returns whether it is seen at once.
_SHOW_FIGURE = """() => {
    document.querySelector("[data-testid=stStatusWidget]")?.remove();
    const figure = document.createElement("div");
    figure.dataset.testid = "stStatusWidget";
    figure.innerHTML = '<img data-testid="stStatusWidgetRunningIcon">figure';
    document.querySelector("[data-testid=stHeader]").append(figure);
    return getComputedStyle(figure).visibility;
}"""


def read_tile(shown: str, name: str) -> str:
    """The figure of a tile; '' while the page shows none or, as it is drawn anew, two."""
    figures = re.findall(rf"^{name}\s+(.+)$", shown, re.MULTILINE)
    return figures[0] if len(figures) == 1 else ""


def shows_share(shown: str) -> bool:
    """Whether the bar is what the tiles beside it say, of all debates and ballots."""
    done, total = 0, 0
    for name in ("Debates finished", "Ballots"):
        figures = re.match(r"(\d+) of (\d+)", read_tile(shown, name))
        part, whole = map(int, figures.groups()) if figures else (0, 0)
        done, total = done + part, total + whole
    return total == 24 and f"{100 * done // total} % of debates and ballots · " in shown


def test_an_empty_database_and_an_empty_tournament_say_what_to_do(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    address = serve(make_empty(tmp_path / "results.duckdb").path)
    for path in PAGES:
        page = watched.open(f"{address}/{path}")
        expect(page.get_by_text("No tournament yet.")).to_be_visible()
        check_both_themes(page)


def test_the_page_follows_a_run_and_says_how_to_go_on_after_a_kill(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    db = make_empty(tmp_path / "results.duckdb").path
    priced = GATED.replace("input = 0, output = 0", "input = 1, output = 2")
    (tmp_path / "gated.toml").write_text(priced + "[limits]\nusd = 5\n")
    gate = Gate()
    with serving_in_thread(answer=gate) as server:
        words = ("run", tmp_path / "gated.toml", "--yes", "--db", db)
        with start(*words, env=environment(server.url)) as run:
            try:
                gate.open_for(FIRST)
                page = watched.open(serve(db) + "/tournament")
                expect(page.get_by_text(re.compile("running since"))).to_be_visible()
                expect(page.get_by_text("0 of 12").first).to_be_visible()
                page.evaluate("window.stays = document.querySelector('[data-testid=stMetric]')")
                page.evaluate(_NOTE_FLICKER)
                gate.open_for(HALF)
                ended = page.get_by_text(re.compile(r"[1-9]\d* debates ended"))
                expect(ended).to_be_visible()
                assert page.evaluate("window.stays.isConnected"), "tiles are updated, not replaced"
                assert page.evaluate("window.flicker") == {"figures": 0, "faded": 0}
                expect(
                    page.get_by_text(re.compile(r"This run: \d+ calls done, \d+ in flight"))
                ).to_be_visible()
                expect(page.get_by_test_id("glide-cell-0-0").first).to_contain_text("openai/")
                read_until(page, lambda shown: "of 5.00" in read_tile(shown, "Spent, USD"))
                shown = page.get_by_text("env:ARENA_LOCAL_BASE_URL")
                expect(shown.first).to_be_attached()  # by its name: values stay on the server
                assert server.url not in page.content()
                read_until(page, shows_share)
                check_both_themes(page)
            finally:
                run.kill()
                run.wait()
                gate.open_for(None)
    expect(page.get_by_text("its run ended without a word")).to_be_visible()
    expect(page.get_by_text(re.compile("arena resume gated .*--db"))).to_be_visible()
    stored = Store(db).rows("SELECT count(*) AS n FROM debates WHERE status = 'finished'")[0]["n"]
    expect(page.get_by_text(f"{stored} of 12").first).to_be_visible()
    read_until(page, shows_share)
    page = watched.open(page.url.replace("tournament", "costs", 1))
    expect(page.get_by_text(re.compile("are left"))).to_be_visible()


def test_the_running_figure_is_for_what_takes_long(served: str, watched: Watched) -> None:
    page = watched.open(f"{served}/tournament")
    page.wait_for_function(f"({_SHOW_FIGURE})() === 'hidden'")  # once the style sheet is there
    expect(page.get_by_text("figure", exact=True)).to_be_visible()


def test_debates_without_their_ballots_are_a_part_of_the_work(
    own: Path, serve: Serve, watched: Watched
) -> None:
    execute(Store(own), "DELETE FROM ballot_scores", "DELETE FROM ballots")
    page = watched.open(serve(own) + "/tournament")
    expect(page.get_by_text(re.compile("^25 % of debates and ballots · "))).to_be_visible()
    shown = read_until(page, lambda shown: "0 of 36" in read_tile(shown, "Ballots"))
    assert "12 of 12" in read_tile(shown, "Debates finished")
    printed = arena("status", "--db", own).output
    assert "ballots: 36 open\n  done: 25 % of debates and ballots\n" in printed


def test_results_and_ratings_are_those_of_the_bench_that_the_address_names(
    varied: Varied, watched: Watched
) -> None:
    page = watched.open(f"{varied.address}/tournament")
    expect(page.get_by_text("Results by the bench debatrix.")).to_be_visible()
    expect(page.get_by_text("Rated by the bench debatrix.")).to_be_visible()
    page = watched.open(f"{varied.address}/tournament?bench=other")
    expect(page.get_by_text("Results by the bench other.")).to_be_visible()
    expect(page.get_by_text("Rated by the bench other.")).to_be_visible()
    open_choices(page)
    expect(page.get_by_role("combobox", name=re.compile("Bench"))).to_have_value("other")


def test_a_tournament_that_is_deleted_while_it_is_looked_at_is_one_sentence(
    own: Path, serve: Serve, watched: Watched
) -> None:
    execute(Store(own), "UPDATE debates SET status = 'planned' WHERE leg = 1")  # looked at often
    page = watched.open(serve(own) + "/tournament")
    expect(page.get_by_text("Needs attention")).to_be_visible()
    execute(Store(own), "DELETE FROM tournaments")
    expect(page.get_by_text("not in the database any more")).to_be_visible()
    own.unlink()
    expect(page.get_by_text("The database cannot be read at the moment.")).to_be_visible()


def test_hostile_texts_of_a_run_execute_and_fetch_nothing(
    own: Path, serve: Serve, watched: Watched
) -> None:
    text = HOSTILE.replace("'", "''")
    execute(
        Store(own),
        f"UPDATE motions SET text = '{text}'",
        f"UPDATE participants SET name = '{text}'",
        f"UPDATE calls SET model = '{text}'",
        f"UPDATE debates SET status = 'void', reason = '{text}' WHERE leg = 1",
    )
    model = {"model": HOSTILE, "address": HOSTILE, "trouble": HOSTILE, "finished": 1, "failed": 0}
    state = {
        "version": 1, "tournament": "small", "process": 1, "phase": "ended", "reason": HOSTILE,
        "began": "2026-01-01T00:00:00+00:00", "updated": "2026-01-01T00:00:00+00:00",
        "figures": {}, "models": [model | {"waiting": 0, "in_flight": 0, "limit": 1}],
        "failures": {"search": [{"reason": HOSTILE, "example": HOSTILE, "count": 1}]},
        "last": HOSTILE,
    }  # fmt: skip
    state_file(own).write_text(json.dumps(state))
    address = serve(own)
    for path in PAGES:
        page = watched.open(f"{address}/{path}")
        expect(page.get_by_text("State of").first).to_be_visible()
        harmless(page)
    assert not [url for url in watched.requested if "192.0.2.1" in url]

"""The forms in a browser: a model that is added plays and appears; what is sent twice does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from arena.config.load import load_config
from dashboard.background import output_file
from tests.dashboard.accessibility import check_both_themes
from tests.dashboard.playing import SMALL
from tests.dashboard.test_access import served
from tests.dashboard.watching import Watched, choose, open_choices, press
from tests.support.console_script import ask

pytestmark = pytest.mark.slow


def fill(page: Page, model: str, answer: str, *, name: str, variable: str = "") -> None:
    """Fill in the form for a simulated model, and send it until it is answered."""
    choose(page, re.compile("Provider"), "the built-in simulator")
    page.get_by_role("textbox", name="Model", exact=True).fill(model)
    page.get_by_role("textbox", name="Name on the board").fill(name)
    page.get_by_role("textbox", name=re.compile("^Name of the environment")).fill(variable)
    check(page, answer)


def check(page: Page, answer: str) -> None:
    """Send a form to be checked, which may be done again, until it is answered."""
    press(page.get_by_role("button", name="Check and plan"), page.get_by_text(answer))


def test_a_model_that_is_added_plays_and_appears(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, watched: Watched
) -> None:
    db, file = tmp_path / "results.duckdb", tmp_path / "small.toml"
    db.write_bytes(played.read_bytes())
    file.write_text(SMALL.format(matchups=2))
    monkeypatch.setenv("A_KEY_OF_THE_TESTS", "sk-never-shown")
    with served(db, monkeypatch, "--admin") as (address, link, _):
        page = watched.enter(link)
        refused = "Never type a key here"
        fill(page, "weak", refused, name="newcomer", variable="sk-a-key-typed-in")
        fill(page, "weak", "newcomer against 3 opponents", name="newcomer")
        expect(page.get_by_text('+name = "newcomer"')).to_be_visible()
        page.get_by_role("spinbutton", name="Temperature").fill("3")
        check(page, "sampling.temperature")  # as the file is refused
        page.get_by_role("spinbutton", name="Temperature").fill("0.5")
        choose(page, re.compile("Debater"), "self_reflect")
        page.get_by_role("textbox", name=re.compile("^Options")).fill("max_revisions = 1")
        check(page, "+options = {max_revisions = 1}")
        expect(page.get_by_text("+sampling = {temperature = 0.5}")).to_be_visible()
        assert "newcomer" not in file.read_text()
        check_both_themes(page)
        second = watched.page.context.new_page()  # the same form, sent from another tab as well
        Watched(second).open(f"{address}/add-model")
        fill(second, "weak", '+name = "newcomer"', name="newcomer")
        page.get_by_role("button", name="Write and play now").dblclick()
        expect(page.get_by_role("heading", name="Tournament", exact=True)).to_be_visible()
        second.get_by_role("button", name="Write and play now").click()
        expect(second.get_by_text("nothing was written")).to_be_visible()
        expect(page.get_by_text("100 % of debates and ballots · all is done")).to_be_visible()
        expect(page.locator(".legendtext", has_text="newcomer")).to_be_visible()
        watched.open(f"{address}/")
        expect(page.locator(".board-table a", has_text="newcomer")).to_have_count(1)
        assert "sk-" not in page.content()
    assert _runs(db) == 1
    names = [participant.name for participant in load_config(file).participants]
    assert names.count("newcomer") == 1
    newcomer = load_config(file).participants[names.index("newcomer")]
    assert (newcomer.debater, newcomer.options) == ("self_reflect", {"max_revisions": 1})
    assert newcomer.sampling.temperature == 0.5
    counts = "SELECT count(*) FROM debates JOIN participants ON participant_id IN (pro, con)"
    assert ask(db, f"{counts} WHERE name = 'newcomer' AND status = 'finished'") == [(12,)]


def test_a_new_tournament_is_written_and_played(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, watched: Watched
) -> None:
    db = tmp_path / "results.duckdb"
    db.write_bytes(played.read_bytes())
    with served(db, monkeypatch, "--admin") as (address, link, _):
        watched.enter(link)
        page = watched.open(f"{address}/new-tournament")
        text = page.get_by_role("textbox", name="Its text")
        text.fill('[tournament]\nname = "broken"  # typed\n')
        # The second change comes before the browser has the text with the first.
        page.get_by_role("textbox", name="Name of the tournament").fill("other")
        page.get_by_role("spinbutton", name="Spending cap in USD").fill("7")
        page.get_by_role("textbox", name="Name of the file").click()
        expect(text).to_have_value('[tournament]\nname = "other"  # typed\n\n[limits]\nusd = 7.0\n')
        check(page, "Not done")
        text.fill(SMALL.format(matchups=1).replace('"small"', '"second"'))
        check(page, "To do: 6 debates, 18 ballots.")
        check_both_themes(page)
        # The second click comes while the run begins.
        page.get_by_role("button", name="Write and play now").dblclick(delay=300)
        expect(page.get_by_role("heading", name="Tournament", exact=True)).to_be_visible()
        page.reload()
        open_choices(page)
        expect(page.get_by_role("combobox", name=re.compile("Tournament"))).to_have_value("second")
        expect(page.get_by_text("100 % of debates and ballots · all is done")).to_be_visible()
    assert load_config(tmp_path / "weekend.toml").tournament.name == "second"
    assert _runs(db) == 1


def _runs(db: Path) -> int:
    """Count the runs that were begun in the background, by their first lines."""
    return output_file(db).read_text("utf-8").count("Tournament '")

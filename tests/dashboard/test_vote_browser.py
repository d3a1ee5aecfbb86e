"""A person votes in a browser: blind, and the vote is in the database."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.store.database import Store
from tests.dashboard.accessibility import check_both_themes
from tests.dashboard.conftest import free_port, serving
from tests.dashboard.watching import Watched, tick
from tests.support.console_script import arena

pytestmark = pytest.mark.slow

_TWO = ("--a", "offline/good", "--b", "offline/fair")


def test_a_vote_is_cast_on_the_page(tmp_path: Path, watched: Watched) -> None:
    db = tmp_path / "results.duckdb"
    for words in (
        ("run", "--motion", "Cities should ban cars", *_TWO),
        ("rejudge", "--judge", "human"),
    ):
        code, printed = arena(*words, "--yes", "--db", db)
        assert code == 0, printed
    with serving(db, free_port(), "--voting") as (_, address):
        page = watched.open(address)
        page.get_by_label("Your pseudonym").fill("ann")
        page.keyboard.press("Enter")
        expect(page.get_by_text("equal burden of proof")).to_be_visible()
        expect(page.get_by_text("Cities should ban cars").first).to_be_visible()
        assert not [name for name in ("good", "fair") if f"offline/{name}" in page.content()]
        check_both_themes(page)
        radios = page.get_by_test_id("stRadio")
        for number in range(4):
            group = radios.nth(number)
            pro = group.get_by_role("radio", name="Pro", exact=True)
            tick(pro, group.get_by_text("Pro", exact=True))
        page.get_by_role("button", name="Submit vote").click()
        expect(page.get_by_text("Your vote is stored.")).to_be_visible()
    votes = Store(db).rows("SELECT voter, seconds FROM ballots WHERE voter <> ''")
    assert [one["voter"] for one in votes] == ["ann"]
    assert votes[0]["seconds"] > 0

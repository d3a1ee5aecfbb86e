"""A person writes and hands in a speech in a browser; the run that goes on plays the debate on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.store.database import Store
from tests.dashboard.accessibility import check_both_themes
from tests.dashboard.conftest import free_port, serving
from tests.dashboard.watching import Watched
from tests.support.console_script import arena

pytestmark = pytest.mark.slow

CONFIG = """
[tournament]
name = "people"
motions = "arena66"
categories = ["fact"]
seed = 7
[limits]
words = 60
[[participants]]
name = "ann"
debater = "human"
[[participants]]
name = "machine"
debater = "direct"
model = "offline/fair"
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "offline/strong"
runs = 1
"""


def test_a_speech_is_written_kept_and_handed_in_on_the_page(
    tmp_path: Path, watched: Watched
) -> None:
    db = tmp_path / "results.duckdb"
    (tmp_path / "people.toml").write_text(CONFIG, "utf-8")
    code, printed = arena("run", tmp_path / "people.toml", "--yes", "--db", db)
    assert code == 0 and "or arena serve --speaking" in printed, printed
    with serving(db, free_port(), "--speaking") as (_, address):
        page = watched.open(address)
        expect(page.get_by_text("2 to write.")).to_be_visible()
        check_both_themes(page)
        field = page.get_by_label("The speech")
        field.fill("Trams first.")
        page.get_by_role("button", name="Save draft").click()
        expect(page.get_by_text("The draft is saved (2 of 60 words).")).to_be_visible()
        field.fill("Trams are the better first step.")
        page.get_by_role("button", name="Submit speech").click()
        expect(page.get_by_text("Submitted (6 of 60 words).")).to_be_visible()
        expect(page.get_by_text("1 to write.")).to_be_visible()
        expect(page.get_by_label("The speech")).to_have_value("")
        assert _drafts(db) == [("Trams are the better first step.", True)]
        page.get_by_label("The speech").fill("Buses will do.")
        page.get_by_role("button", name="Submit speech").click()
        expect(page.get_by_text("You have no speeches to write at the moment.")).to_be_visible()
        assert arena("resume", "--yes", "--db", db)[0] == 0
        expect(page.get_by_text("Your rebuttal").first).to_be_visible()
        said = page.get_by_text("Trams are the better first step.")
        other = page.get_by_text("Buses will do.")
        expect(said.or_(other).first).to_be_visible()
    assert sorted(_drafts(db)) == [
        ("Buses will do.", True),
        ("Trams are the better first step.", True),
    ]


def _drafts(db: Path) -> list[tuple[str, bool]]:
    rows = Store(db).rows("SELECT text, handed_in FROM drafts")
    return [(one["text"], bool(one["handed_in"])) for one in rows]

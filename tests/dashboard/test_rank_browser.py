"""A person ranks essays in a browser: blind, and the ranking is in the database."""

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

ESSAYS = """
[tournament]
name = "written"
contest = "essay"
languages = ["en"]
motions = "arena66"
most_motions = 1
[limits]
words = 60
[[participants]]
name = "hidden-ann"
debater = "direct"
model = "offline/good"
[[participants]]
name = "hidden-bob"
debater = "direct"
model = "offline/fair"
[[benches]]
name = "single"
judge = "single"
model = "offline/fair"
runs = 1
"""


def test_a_ranking_is_given_on_the_page(tmp_path: Path, watched: Watched) -> None:
    db = tmp_path / "results.duckdb"
    (tmp_path / "own.toml").write_text(ESSAYS, "utf-8")
    for words in (
        ("run", tmp_path / "own.toml", "--yes"),
        ("rank", "sheet", tmp_path / "sheets", "--sample", "1", "--seed", "1"),
    ):
        code, printed = arena(*words, "--db", db)
        assert code == 0, printed
    with serving(db, free_port(), "--ranking", "--tournament", "written") as (_, address):
        page = watched.open(address)
        page.get_by_label("Your pseudonym").fill("ann")
        page.keyboard.press("Enter")
        expect(page.get_by_text("1 is the best rank, and equal ranks are ties")).to_be_visible()
        assert "hidden-" not in page.content() and "offline/" not in page.content()
        check_both_themes(page)
        radios = page.get_by_test_id("stRadio")
        for number, rank in enumerate("1211"):
            group = radios.nth(number)
            radio = group.get_by_role("radio", name=rank, exact=True)
            tick(radio, group.get_by_text(rank, exact=True))
        page.get_by_role("button", name="Submit ranking").click()
        expect(page.get_by_text("Your ranking is stored.")).to_be_visible()
    rows = Store(db).rows(
        "SELECT voter, dimension, outcome FROM ballots JOIN ballot_scores USING (ballot_id) "
        "WHERE voter <> '' ORDER BY dimension"
    )
    assert {row["voter"] for row in rows} == {"ann"}
    assert [row["dimension"] for row in rows] == ["overall", "persuasiveness"]
    assert rows[0]["outcome"] == 0.5 and rows[1]["outcome"] in (0.0, 1.0)

"""Imported battles in a browser: a board, a list, and debates of which no word is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.dashboard.conftest import Serve
from tests.dashboard.watching import Watched, open_choices, unfold
from tests.support.battle_logs import PLAIN, WHOLE, write_log
from tests.support.command_line import done

pytestmark = pytest.mark.slow


@pytest.mark.deep
def test_battles_are_shown_like_debates(tmp_path: Path, serve: Serve, watched: Watched) -> None:
    db = tmp_path / "results.duckdb"
    done("import", write_log(tmp_path / "log.csv", WHOLE), "--db", db)
    debates = [line.split()[0] for line in done("debates", "--db", db).splitlines()[1:6]]
    address = serve(db)
    page = watched.open(address)
    expect(page.locator("[data-testid=stMain] .board-table")).to_be_visible()
    open_choices(page)
    expect(page.get_by_text("Coding")).to_be_visible()
    page = watched.open(f"{address}/win-rates")
    open_choices(page)
    expect(page.get_by_text("Math")).to_be_visible()
    page = watched.open(f"{address}/debates")
    expect(page.get_by_text("5 of 5 debates.")).to_be_visible()
    whole = [done("show", one, "--db", db).split()[1] for one in debates]
    page = watched.open(f"{address}/transcript?debate={whole[0]}")
    expect(page.get_by_text("This battle was imported")).to_be_visible()
    expect(page.get_by_text("Bench imported", exact=True)).to_be_visible()
    unfold(page.locator("details").filter(has_text="The judges' comments"))
    expect(page.get_by_text("Judged by ")).to_be_visible()


def test_a_battle_that_says_little_is_shown_too(
    tmp_path: Path, serve: Serve, watched: Watched
) -> None:
    db = tmp_path / "results.duckdb"
    done("import", write_log(tmp_path / "log.csv", PLAIN[:1]), "--db", db)
    debate = done("debates", "--db", db).splitlines()[1].split()[0]
    whole = done("show", debate, "--db", db).split()[1]
    page = watched.open(f"{serve(db)}/transcript?debate={whole}")
    expect(page.get_by_text("(not recorded)")).to_be_visible()
    expect(page.get_by_text("This battle was imported")).to_be_visible()

"""The files that every page offers below its tables."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from arena.store.database import Store
from tests.dashboard.conftest import Varied
from tests.dashboard.test_reading_browser import wait_until_drawn
from tests.dashboard.watching import Watched, unfold
from tests.support.command_line import done

pytestmark = pytest.mark.slow


def open_page(watched: Watched, address: str) -> Page:
    page = watched.open(address)
    wait_until_drawn(page)
    return page


def read_file(page: Page, key: str, form: str) -> str:
    """What a click on a button below a table saves."""
    button = page.locator(f".st-key-download-{key}-{form.replace(' ', '-')} button")
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path()).read_bytes().decode()


def read_rows(page: Page, key: str) -> list[dict[str, Any]]:
    """The rows of a table's JSON file; the CSV file has the same ones."""
    rows: list[dict[str, Any]] = json.loads(read_file(page, key, "JSON"))
    listed = list(csv.DictReader(io.StringIO(read_file(page, key, "CSV"))))
    assert [list(row) for row in listed] == [list(row) for row in rows]
    for row, own in zip(listed, rows, strict=True):
        assert list(row.values()) == ["" if cell is None else str(cell) for cell in own.values()]
    return rows


@pytest.mark.parametrize("form", ["CSV", "JSON"])
def test_files_of_matrices_and_of_two_are_what_the_commands_print(
    varied: Varied, watched: Watched, form: str
) -> None:
    printed = ("--db", varied.db, "--format", form.lower())
    page = open_page(watched, f"{varied.address}/win-rates?shown=Residual")
    assert read_file(page, "matrix", form) == done("matrix", "--residual", *printed)
    page = open_page(watched, f"{varied.address}/head-to-head?first=a4d-good&second=direct-fair")
    assert read_file(page, "pair", form) == done("versus", "a4d-good", "direct-fair", *printed)


def test_benches_side_by_side_are_what_the_command_prints(varied: Varied, watched: Watched) -> None:
    page = open_page(watched, varied.address)
    content = read_file(page, "benches", "JSON")
    assert content == done("leaderboard", "--beside", "--db", varied.db, "--format", "json")
    assert content != done("leaderboard", "--db", varied.db, "--format", "json")
    header, *rows = csv.reader(io.StringIO(read_file(page, "benches", "CSV")))
    assert header[:2] == ["participant", "debatrix Elo"] and len(rows) == 4


def test_a_tournament_is_what_the_command_prints(varied: Varied, watched: Watched) -> None:
    page = open_page(watched, f"{varied.address}/tournament")
    printed = done("status", "--json", "--db", varied.db)
    assert read_file(page, "status", "All of this as JSON") == printed
    assert {row["status"] for row in read_rows(page, "last")} == {"finished"}
    ratings = {row["participant"]: row["after"] for row in read_rows(page, "comparison")}
    standings = json.loads(printed)["standings"]
    assert ratings == {row["participant"]: pytest.approx(row["rating"]) for row in standings}


def test_two_moments_are_compared_by_the_bench_of_the_address(
    varied: Varied, watched: Watched
) -> None:
    page = open_page(watched, f"{varied.address}/tournament?bench=other")
    ratings = {row["participant"]: row["after"] for row in read_rows(page, "comparison")}
    command = ("leaderboard", "--db", varied.db, "--format", "json", "--bench")
    own, first = (json.loads(done(*command, bench))["rows"] for bench in ("other", "debatrix"))
    assert ratings == {row["participant"]: pytest.approx(row["rating"], abs=0.01) for row in own}
    assert ratings != {row["participant"]: pytest.approx(row["rating"], abs=0.01) for row in first}


def test_judges_are_what_the_command_prints(varied: Varied, watched: Watched) -> None:
    page = open_page(watched, f"{varied.address}/judges")
    printed = done("judges", "--db", varied.db, "--format", "json")
    assert read_file(page, "judges", "All of this as JSON") == printed
    benches = list(csv.DictReader(io.StringIO(read_file(page, "judges-0", "CSV"))))
    ballots = {row["bench"]: row["ballots"] for row in benches}
    assert ballots == {row["bench"]: str(row["ballots"]) for row in json.loads(printed)["upkeep"]}


def test_debates_and_motions_are_files_of_both_kinds(varied: Varied, watched: Watched) -> None:
    finished = Store(varied.db).rows("SELECT debate_id, motion_id FROM debates ORDER BY 1")
    page = open_page(watched, f"{varied.address}/debates")
    rows = read_rows(page, "debates")
    assert sorted(row["debate_id"] for row in rows) == [row["debate_id"] for row in finished]
    page = open_page(watched, f"{varied.address}/motions")
    rows = read_rows(page, "motions")
    assert {row["motion_id"] for row in rows} == {row["motion_id"] for row in finished}
    assert sum(row["debates"] for row in rows) == len(finished)


def test_a_profile_and_the_debates_of_two_are_files_of_both_kinds(
    varied: Varied, watched: Watched
) -> None:
    page = open_page(watched, f"{varied.address}/participants?profile=a4d-good")
    opponents = read_rows(page, "opponents-0")
    assert {row["opponent"] for row in opponents} == {
        "direct-strong", "direct-fair", "a4d-good-no-searcher",
    }  # fmt: skip
    assert {row["side"] for row in read_rows(page, "sides-0")} == {"Pro", "Con"}
    (variant,) = read_rows(page, "relatives-0")
    assert variant["participant"] == "a4d-good-no-searcher"
    unfold(page.locator("details").filter(has_text="How the speeches are made"))
    assert {row["participant"] for row in read_rows(page, "making-0")} >= {"a4d-good"}
    page = open_page(watched, f"{varied.address}/head-to-head?first=a4d-good&second=direct-fair")
    assert {frozenset((row["pro"], row["con"])) for row in read_rows(page, "meetings")} == {
        frozenset(("a4d-good", "direct-fair"))
    }

"""The leaderboard page: both kinds of intervals are those of the command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from arena.boards.method import INTERVALS_DIFFER
from arena.boards.stored_boards import store_boards
from arena.store.database import Store
from dashboard.settings import DATABASE
from dashboard.views.leaderboard import bench_columns
from tests.dashboard.handmade import execute
from tests.dashboard.views.drawing import draw
from tests.support.command_line import done
from tests.support.stored_databases import cut_in_two
from tests.support.tournaments import changed, content, decide, planned

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 6)
    made, plan = planned(tmp_path / "own.duckdb", config)
    decide(made, plan, ann_bob="ann", bob_cyd="bob")
    store_boards(made, plan.resolved)
    monkeypatch.setenv(DATABASE, str(made.path))
    return made


def read_column(page: AppTest, head: str) -> list[str]:
    """The texts of a column of the board."""
    texts = [str(each.proto.body) for each in page.get("html")]
    board = next(text for text in texts if "board-table" in text)
    found = re.findall(f'data-head="{head}">(.*?)</td>', board)
    return [re.sub("<[^>]*>", "", cell) for cell in found]


def shown(kind: str = "") -> tuple[AppTest, dict[str, str]]:
    """The page, and the intervals in its table by participant."""
    choices = {"intervals": kind} if kind else {}
    page = draw("leaderboard", **choices)
    names, intervals = (read_column(page, head) for head in ("participant", "95 % interval"))
    return page, dict(zip(names, intervals, strict=True))


def printed(store: Store, kind: str) -> dict[str, str]:
    """The intervals that the command prints."""
    options = ("--intervals", kind, "--format", "json")
    document: dict[str, Any] = json.loads(done("leaderboard", "--db", store.path, *options))
    return {
        row["participant"]: f"{row['lower']:.0f} to {row['upper']:.0f}" for row in document["rows"]
    }


@pytest.mark.parametrize("kind", ["sandwich", "bootstrap"])
def test_both_kinds_agree_with_the_command(store: Store, kind: str) -> None:
    page, intervals = shown(kind)
    assert intervals == printed(store, kind)
    said = any(INTERVALS_DIFFER[1:] in text.value for text in page.text)
    assert said == (kind == "bootstrap")


def test_sandwich_intervals_are_shown_first(store: Store) -> None:
    assert shown()[1] == printed(store, "sandwich") != printed(store, "bootstrap")


def test_a_tournament_beside_counts_as_the_command_counts_it(store: Store) -> None:
    cut_in_two(store)
    both = ("-t", "small", "-t", "later", "--db", store.path, "--format", "json")
    rows = json.loads(done("leaderboard", *both))["rows"]
    page = draw("leaderboard", tournament="small", **{"with": "later"})
    assert read_column(page, "debates") == [str(row["debates"]) for row in rows]
    assert read_column(page, "Elo") == [f"{row['rating']:.0f}" for row in rows]
    assert any("tournaments small + later" in text.value for text in page.text)


def test_a_tournament_that_cannot_be_joined_is_said(store: Store) -> None:
    cut_in_two(store)
    execute(store, "UPDATE participants SET model = 'offline/other' WHERE tournament = 'later'")
    refused = draw("leaderboard", tournament="small", **{"with": "later"})
    assert any("is one system in 'small' and another in 'later'" in x.value for x in refused.text)


def test_heads_of_benches_are_short_and_name_them_in_full_when_pointed_at() -> None:
    names = [f"debatrix-gpt-4o-2024-{month} {figure}" for month in ("05", "11") for figure in
             ("Elo", "rank")]  # fmt: skip
    columns = bench_columns([*names, "own Elo"])
    labels = [columns[name]["label"] for name in names]
    assert len(set(labels)) == 4 and max(map(len, labels)) <= 14 + len(" rank")
    assert columns["own Elo"]["label"] == "own Elo" and columns["own Elo"]["help"] is None
    assert [columns[name]["help"].replace("\\", "") for name in names] == names

"""The page of two head to head: it counts what `arena versus` counts with the same filters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from arena.boards.stored_boards import store_boards
from arena.store.database import Store
from dashboard.settings import DATABASE
from tests.dashboard.views.drawing import draw, read_texts
from tests.support.command_line import done
from tests.support.tournaments import changed, content, decide, planned

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    config = changed(content("ann", "bob", "cyd"), ["schedule", "matchups_per_pair"], 3)
    made, plan = planned(tmp_path / "own.duckdb", config)
    decide(made, plan, ann_bob="ann", bob_cyd="bob")
    store_boards(made, plan.resolved)
    monkeypatch.setenv(DATABASE, str(made.path))
    return made


def shown(**choices: str) -> AppTest:
    return draw("head_to_head", **{"first": "ann", "second": "bob"} | choices)


def printed(store: Store, *options: str) -> dict[str, Any]:
    words = ("--db", store.path, "--format", "json")
    document: dict[str, Any] = json.loads(done("versus", "ann", "bob", *words, *options))
    return document


@pytest.mark.parametrize("options", [(), ("--category", "policy"), ("--language", "en")])
def test_filters_of_the_address_count_the_debates_that_the_command_counts(
    store: Store, options: tuple[str, ...]
) -> None:
    page = shown(**{options[0].removeprefix("--"): options[1]} if options else {})
    pair = printed(store, *options)
    points = page.dataframe[0].value
    dimensions = [margin["dimension"].capitalize() for margin in pair["margins"]]
    assert list(points["dimension"]) == dimensions
    assert list(points["debates"]) == [str(margin["debates"]) for margin in pair["margins"]]
    assert pair["debates"] == (2 if "policy" in options else 6)
    assert "ignores" not in read_texts(page)


@pytest.mark.usefixtures("store")
def test_filters_that_change_nothing_here_are_named() -> None:
    page = shown(dimension="source", model="with ties", category="policy")
    assert (
        "This page ignores dimension “source” and rating model “with ties”: it shows the points on "
        "every dimension, which no rating model changes."
    ) in read_texts(page)
    assert page.query_params["dimension"] == "source", "the next page may apply it"

"""The page of rankings: blind, one sheet after another, each ranked once and for good."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from arena.config.stored import stored_config
from arena.languages import SIDES
from arena.papers.essays.rank_sheets import read_sheets, store_sheets
from arena.papers.essays.rankings import score_rankings
from arena.records import Reference, Speech
from arena.store.database import Store
from dashboard.settings import RANK, TOURNAMENT
from tests.dashboard.views.drawing import open_alone, read_texts, serve_alone
from tests.support.tournaments import commit, content, motion, named, planned, played

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow


@pytest.fixture
def essays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Essays of two on two propositions; a reader must not see who wrote them."""
    config = content("hidden-ann", "hidden-bob", contest="essay", categories=["fact"])
    config["benches"] = [{"name": "single", "judge": "single", "model": "offline/fair", "runs": 1}]
    config["schedule"] = {"matchups_per_pair": 2}
    motions = [motion("fact-1"), motion("fact-2")]
    store, plan = planned(tmp_path / "own.duckdb", config, motions)
    names = named(plan)
    source = (Reference(number=1, origin="Bloom, 2015", excerpt="13 percent"),)
    for debate in plan.debates:
        essays = tuple(
            Speech(
                side=side,
                stage="answer",
                text=f"Essay of {names[getattr(debate, side)][-3:].upper()} **x** [1]",
                words=4,
                references=source,
            )
            for side in SIDES
        )
        commit(store, replace(played(debate), speeches=essays))
    serve_alone(monkeypatch, RANK, store.path)
    monkeypatch.setenv(TOURNAMENT, "small")
    return store


@pytest.fixture
def sheets(essays: Store) -> Store:
    store_sheets(essays, stored_config(essays, "small"), people=1)
    return essays


def rank(page: AppTest, store: Store, *, best: str, dimensions: tuple[str, ...]) -> AppTest:
    """Rank the essay of one writer first on some dimensions, and hand the form in."""
    every = read_sheets(store, stored_config(store, "small ranked"))
    for radio in page.radio:
        dimension, letter, _, sheet_id = str(radio.key).split("-")
        (sheet,) = (sheet for sheet in every if sheet.sheet_id == sheet_id)
        if dimension in dimensions:
            radio.set_value(1 if best in sheet.essays[letter].text else 2)
    return page.button[0].click().run()


def test_a_person_ranks_every_sheet_and_sees_no_name(sheets: Store) -> None:
    page = open_alone("eve")
    for _ in range(2):
        assert not page.exception and "hidden" not in read_texts(page)
        assert "Essay of ANN **x** [" in read_texts(page) and "Bloom, 2015" in read_texts(page)
        assert "1 is the best rank, and equal ranks are ties" in read_texts(page)
        page = rank(page, sheets, best="BOB", dimensions=("persuasiveness", "overall"))
        assert "Your ranking is stored." in read_texts(page)
    assert "You have nothing to rank." in read_texts(page)
    scores = score_rankings(sheets, stored_config(sheets, "small ranked")).to_dict("records")
    assert {(row["dimension"], row["participant"], row["score"]) for row in scores} == {
        (dimension, participant, score)
        for dimension in ("overall", "persuasiveness")
        for participant, score in (("hidden-bob", 2.0), ("hidden-ann", 1.0))
    }
    assert {row["rankings"] for row in scores} == {2}
    assert sheets.rows("SELECT DISTINCT bench FROM ratings") == [{"bench": "people"}]


def test_a_ranking_that_is_not_whole_stores_nothing(sheets: Store) -> None:
    page = rank(open_alone("eve"), sheets, best="BOB", dimensions=("overall",))
    assert "Nothing was stored: give a rank for Persuasiveness, A; Persuasiveness, B" in read_texts(
        page
    )
    assert sheets.rows("SELECT * FROM ballots") == []


def test_without_sheets_it_says_how_to_make_them(essays: Store) -> None:
    page = open_alone()
    assert "There are no essays to rank here." in read_texts(page)
    assert any("arena rank sheet" in str(code.value) for code in page.code)


def test_without_a_pseudonym_no_essay_is_shown(sheets: Store) -> None:
    page = open_alone()
    assert "Choose a pseudonym" in read_texts(page) and not page.radio
    assert "Essay of" not in read_texts(page)

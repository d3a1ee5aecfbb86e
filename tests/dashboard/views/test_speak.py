"""The page of speeches: what its speaker may see, drafts that may change, handing in for good."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from arena.errors import StoreError
from arena.people.sessions import PersonSession
from arena.people.speeches import due_speeches
from arena.people.submissions import hand_in
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from dashboard.settings import DATABASE, SPEAK
from tests.dashboard.views.drawing import open_alone, read_texts, serve_alone
from tests.servers.threads import in_thread
from tests.servers.whisper_server import MODEL, WhisperServer, sound
from tests.support.tournaments import (
    commit,
    content,
    meeting,
    motion,
    named,
    planned,
    played,
    speeches,
)

#: Whole tournaments and pages.
pytestmark = pytest.mark.slow

MINE = "Words of mine."


def people(*names: str) -> dict[str, Any]:
    """Persons, and a participant with a model; sixty words are accepted."""
    config = content(*names, "machine")
    for one in config["participants"][:-1]:
        del one["model"]
        one["debater"] = "human"
    return {**config, "limits": {"words": 60}}


def serving(path: Path, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> TournamentPlan:
    """A database in which every debate waits after the constructives, and the page's settings."""
    store, plan = planned(path, config, [motion(text="On *trams*")])
    made = tuple(one for one in speeches() if one.stage == "constructive")
    waiting = [replace(played(one, "waiting"), speeches=made) for one in plan.debates]
    commit(store, *waiting)
    serve_alone(monkeypatch, SPEAK, path)
    return plan


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TournamentPlan:
    """Two legs between a person and a machine; Pro opens the rebuttals, so one of them waits."""
    return serving(tmp_path / "own.duckdb", people("ann"), monkeypatch)


@pytest.fixture
def store(plan: TournamentPlan, tmp_path: Path) -> Store:
    return Store(tmp_path / "own.duckdb")


def write(page: AppTest, words: str, button: int | None = None) -> AppTest:
    """Fill the field, and click: 0 saves the draft, 1 hands in."""
    page = page.text_area[0].input(words).run()
    return page if button is None else page.button[button].click().run()


def stored(store: Store) -> list[tuple[str, str, bool]]:
    rows = store.rows("SELECT stage, text, handed_in FROM drafts")
    return [(one["stage"], one["text"], one["handed_in"]) for one in rows]


def test_the_speaker_reads_what_was_said_and_the_limit(store: Store) -> None:
    page = open_alone()
    output = read_texts(page)
    assert not page.exception and "On *trams*" in output
    assert "pro constructive: Said." in output and "con constructive: Said." in output
    assert "You speak for Pro. Pro speaks first." in output and "0 of 60 words" in output
    assert page.selectbox(key="speaker").value == "ann"
    assert page.selectbox(key="due").options[0].startswith("pro, rebuttal · On *trams* (")
    assert [one.label for one in page.button] == ["Save draft", "Submit speech"]


def test_a_draft_is_counted_and_kept_and_may_change(store: Store) -> None:
    page = write(open_alone(), MINE)
    assert "3 of 60 words" in read_texts(page) and stored(store) == []
    page = page.button[0].click().run()
    assert "The draft is saved (3 of 60 words)." in read_texts(page)
    assert stored(store) == [("rebuttal", MINE, False)]
    page = write(page, "Better words.", 0)
    assert stored(store) == [("rebuttal", "Better words.", False)]
    again = open_alone()
    assert again.text_area[0].value == "Better words."
    assert "drafted" in again.selectbox(key="due").options[0]


def test_a_speech_is_handed_in_once_and_the_page_says_how_it_goes_on(store: Store) -> None:
    page = write(open_alone(), MINE, 1)
    assert stored(store) == [("rebuttal", MINE, True)]
    output = read_texts(page)
    assert (
        "Submitted (3 of 60 words)." in output
        and "You have no speeches to write at the moment." in output
    )
    assert "Debates with people that are not over: 2." in output
    assert output.count(f"arena resume small --db {store.path.resolve()}") == 2
    assert not page.text_area and not page.exception


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("  ", "the speech is empty; nothing was submitted."),
        ("word " * 61, "the speech has 61 words; 60 are accepted. Nothing"),
    ],
)
def test_what_is_no_speech_is_refused_and_stays_in_the_field(
    store: Store, words: str, message: str
) -> None:
    page = write(open_alone(), words, 1)
    assert [message in str(one.value) for one in page.error] == [True]
    assert stored(store) == [] and page.text_area[0].value == words
    assert ("too long" in read_texts(page)) is (len(words) > 60)


def test_a_speech_that_was_handed_in_elsewhere_meanwhile_is_not_changed(
    store: Store, plan: TournamentPlan
) -> None:
    page = write(open_alone(), "Too late.")
    (due,) = due_speeches(PersonSession(store=store, resolved=plan.resolved))
    hand_in(store, due, MINE)
    page = page.button[0].click().run()
    assert "was already submitted and can no longer be changed" in str(page.error[0].value)
    assert stored(store) == [("rebuttal", MINE, True)]


def test_a_database_that_cannot_be_written_loses_no_words(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*given: object, **more: object) -> None:
        raise StoreError("locked")

    monkeypatch.setattr("dashboard.views.speak.hand_in", locked)
    page = write(open_alone(), MINE, 1)
    assert "the database cannot be written at the moment" in str(page.error[0].value)
    assert page.text_area[0].value == MINE


def test_people_choose_who_they_are_and_see_no_others_drafts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = serving(tmp_path / "two.duckdb", people("ann", "bob"), monkeypatch)
    page = open_alone()
    assert "Choose your name to see" in read_texts(page) and not page.text_area
    page = page.selectbox(key="speaker").select("bob").run()
    mine = [one for one in plan.debates if named(plan)[one.pro] == "bob"]
    assert len(mine) == 2 and "2 to write." in read_texts(page)
    assert meeting(plan, "bob", "ann") in mine
    page = write(page, MINE)
    first, second = page.selectbox(key="due").options
    page = page.selectbox(key="due").select(second).run()
    assert page.text_area[0].value == ""
    page = page.selectbox(key="due").select(first).run()
    assert page.text_area[0].value == MINE, "what is not saved yet outlives a look elsewhere"


def test_an_empty_page_says_what_to_do(
    store: Store, plan: TournamentPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(store, *map(played, plan.debates))
    assert "All debates with people are over." in read_texts(open_alone())
    other, _ = planned(tmp_path / "models.duckdb", content("ann", "bob"))
    monkeypatch.setenv(DATABASE, str(other.path))
    output = read_texts(open_alone())
    assert "No speeches are needed here." in output and 'debater = "human"' in output
    assert f"arena run FILE --db {other.path.resolve()}" in output


def test_the_motion_is_hidden_until_a_speaker_of_several_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {**people("Human"), "speaking": {"preparation": "2d"}}
    config["participants"][0]["speakers"] = ["ann", "bob"]
    store, plan = planned(tmp_path / "pool.duckdb", config, [motion(text="On *trams*")])
    commit(store, *(replace(played(one, "waiting"), speeches=()) for one in plan.debates))
    serve_alone(monkeypatch, SPEAK, store.path)
    page = open_alone()
    assert list(page.selectbox(key="speaker").options) == ["ann", "bob"]
    page = page.selectbox(key="speaker").select("ann").run()
    assert "Opening the motion starts your preparation: you then have 2 d" in read_texts(page)
    assert "trams" not in read_texts(page) and not page.text_area
    assert "motion not opened yet" in page.selectbox(key="due").options[0]
    page = page.button[0].click().run()
    assert not page.exception and "On *trams*" in read_texts(page)
    assert "(2 d left)" in read_texts(page) or "(1 d 23 h" in read_texts(page)
    write(page, MINE, 1)
    rows = store.rows("SELECT speaker, making FROM awaited WHERE speaker <> ''")
    assert [(row["speaker"], row["making"]) for row in rows] == [("ann", '{"speaker": "ann"}')]
    other = open_alone().selectbox(key="speaker").select("bob").run()
    assert len(other.selectbox(key="due").options) == 1, "ann speaks in the other debate"


def test_a_recording_fills_the_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with in_thread(WhisperServer("Trams run on time.", key="")) as server:
        service = {"model": MODEL, "api_base": server.api_base}
        config = people("ann") | {"transcription": service}
        serving(tmp_path / "r.duckdb", config, monkeypatch)
        page = open_alone()
        assert [one.label for one in page.button] == ["Save draft", "Submit speech"]
        page.file_uploader[0].set_value(("speech.wav", sound(), "audio/wav"))
        page = page.run()
        page = next(one for one in page.button if one.label == "Transcribe").click().run()
        assert not page.exception and page.text_area[0].value == "Trams run on time."
        assert "Transcribed and saved as a draft (4 of 60 words)." in read_texts(page)
        server.text = ""
        page = next(one for one in page.button if one.label == "Transcribe").click().run()
        assert "returned an empty transcript" in str(page.error[0].value)
        assert page.text_area[0].value == "Trams run on time."
        write(page, "Trams run on time!", 1)
    store = Store(tmp_path / "r.duckdb")
    assert stored(store) == [("rebuttal", "Trams run on time!", True)]
    (row,) = store.rows("SELECT making FROM awaited")
    making = json.loads(row["making"])
    assert (making["recording"], making["edited"]) == ("speech.wav", True)

"""The page of votes: blind, one debate after another, each vote once and for good."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from arena.config.stored import stored_config
from arena.people.sessions import voting_session
from arena.people.voting import SubmittedVote, cast_votes, voting_tasks
from arena.records import Speech
from arena.store.database import Store
from dashboard.settings import VOTE
from tests.dashboard.views.drawing import open_alone, read_texts, serve_alone
from tests.support.tournaments import commit, content, named, planned, played

ASKED = ("argument", "source", "language", "overall")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A tournament of one matchup between two whose names a voter must not see."""
    config = content("hidden-ann", "hidden-bob", runs=2)
    config["benches"] = [{"name": "people", "judge": "human", "runs": 2}]
    made, plan = planned(tmp_path / "own.duckdb", config)
    commit(made, *map(played, plan.debates))
    assert set(named(plan).values()) == {"hidden-ann", "hidden-bob"}
    serve_alone(monkeypatch, VOTE, made.path)
    return made


def shown(page: AppTest) -> str:
    """Everything that stands on a page."""
    return "\n".join([read_texts(page), *(str(one.options) for one in page.radio)])


def choose(page: AppTest, **words: str) -> AppTest:
    """Fill in the form and hand it in."""
    radios = {one.key.partition("-")[0]: one for one in page.radio if one.key}
    for name, word in words.items():
        radios[name].set_value(word)
    (submit,) = (one for one in page.button if one.label == "Submit vote")
    return submit.click().run()


def test_a_person_votes_on_all_debates_and_sees_no_name(store: Store) -> None:
    page = open_alone("ann")
    for _ in range(2):
        assert not page.exception and "hidden" not in shown(page)
        assert "pro constructive: Said." in shown(page) and "burden of proof" in shown(page)
        page = choose(page, **dict.fromkeys(ASKED, "Pro") | {"source": "Tie"})
        assert "Your vote is stored." in shown(page)
    assert "You have nothing to vote on." in shown(page)
    rows = store.rows("SELECT * FROM ballots JOIN ballot_scores USING (ballot_id)")
    assert len(rows) == 8 and {(one["bench"], one["voter"]) for one in rows} == {("people", "ann")}
    found = {(one["dimension"], one["outcome"]) for one in rows}
    assert found == {("overall", 1.0), ("argument", 1.0), ("source", 0.5), ("language", 1.0)}
    assert all(one["seconds"] > 0 for one in rows)


def test_a_debate_that_is_skipped_comes_back_after_the_others(store: Store) -> None:
    page = open_alone("ann")
    assert "0 of 2 debates have the 2 votes that are asked for, 2 have none." in shown(page)

    def reading() -> str:
        (key,) = (key for one in page.radio if (key := str(one.key)).startswith("overall-"))
        return key

    first = reading()
    for expected in (False, True, False):
        page = next(one for one in page.button if one.label.startswith("Skip")).click().run()
        assert not page.exception and (reading() == first) == expected
    page = choose(page, **dict.fromkeys(ASKED, "Pro"))
    assert reading() == first and not any(one.label.startswith("Skip") for one in page.button)


def test_a_vote_that_is_not_whole_stores_nothing(store: Store) -> None:
    page = choose(open_alone("ann"), overall="Con", argument="Con")
    assert "choose an answer for Source, Language, too." in shown(page)
    assert store.rows("SELECT * FROM ballots") == []


def test_a_debate_is_on_the_stored_board_after_its_last_vote(store: Store) -> None:
    session = voting_session(store, stored_config(store, None))
    first, second = (one.debate_id for one in voting_tasks(session))
    outcomes = dict.fromkeys(ASKED, 1.0)
    cast_votes(session, [SubmittedVote(debate_id=first, voter="bea", outcomes=outcomes)])
    choose(open_alone("ann"), **dict.fromkeys(ASKED, "Pro"))
    votes = {one.debate_id: one.votes for one in voting_tasks(session)}
    assert votes == {first: 2, second: 0}, "what others have begun first"
    cast_votes(session, [SubmittedVote(debate_id=second, voter="bea", outcomes=outcomes)])
    assert not choose(open_alone("ann"), **dict.fromkeys(ASKED, "Pro")).exception
    rated = store.rows("SELECT DISTINCT bench, dimension FROM ratings")
    assert {(one["bench"], one["dimension"]) for one in rated} == {("people", one) for one in ASKED}


def test_where_people_vote_no_page_names_anybody(store: Store) -> None:
    page = open_alone()
    assert "Choose a pseudonym" in shown(page) and not page.radio
    assert "hidden" not in shown(page)


def test_answers_to_questions_are_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = content("hidden-ann", "hidden-bob", contest="question")
    config["benches"] = [{"name": "people", "judge": "human", "runs": 1}]
    made, plan = planned(tmp_path / "questions.duckdb", config)
    given = [
        Speech(side=side, stage="answer", text=f"{side}: 96", words=2) for side in ("pro", "con")
    ]
    commit(made, *(replace(played(one), speeches=tuple(given)) for one in plan.debates))
    serve_alone(monkeypatch, VOTE, made.path)
    page = open_alone("ann")
    output = shown(page)
    assert "You see two answers, but not who gave them." in output and "hidden" not in output
    assert "burden of proof" not in output and "pro: 96" in output and "con: 96" in output
    page = choose(page, right_a="Right", mark_a="4", right_b="Wrong")
    assert "choose an answer for Mark of answer B, from 1, useless, to 5, excellent" in shown(page)
    assert made.rows("SELECT * FROM ballots") == []
    page = choose(page, mark_b="2")
    assert "Your vote is stored." in shown(page) and not page.exception
    rows = made.rows("SELECT * FROM ballot_scores ORDER BY dimension")
    assert [(row["dimension"], row["pro_mark"], row["con_mark"]) for row in rows] == [
        ("overall", 10.0, 1.0),
        ("quality", 7.75, 3.25),
    ]

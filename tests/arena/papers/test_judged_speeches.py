"""Speeches with their debates and ballots, against the rows of a small played tournament."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.papers.judged_speeches import JudgedSpeech, read_judged_speeches
from arena.store.database import Store


@pytest.fixture
def store(small_database: Path) -> Store:
    return Store(small_database)


def read(store: Store, **bench: str) -> list[JudgedSpeech]:
    (name,) = (row["tournament"] for row in store.rows("SELECT tournament FROM tournaments"))
    return list(read_judged_speeches(store, name, **bench))


def test_each_speech_of_a_finished_debate_is_its_speakers(store: Store) -> None:
    rows = store.rows(
        "SELECT s.text, p.name, p.debater FROM speeches s JOIN debates d USING (debate_id) "
        "JOIN participants p ON p.participant_id = if(s.side = 'pro', d.pro, d.con) "
        "WHERE d.status = 'finished'"
    )
    given = [(each.speech.text, each.participant, each.debater) for each in read(store)]
    assert sorted(given) == sorted((row["text"], row["name"], row["debater"]) for row in rows)
    assert not any(each.ballots for each in read(store))


def test_marks_are_those_of_its_own_side(store: Store) -> None:
    (bench,) = (row["bench"] for row in store.rows("SELECT DISTINCT bench FROM ballots"))
    for each in read(store, bench=bench):
        rows = store.rows(
            f"SELECT {each.speech.side}_mark AS mark FROM ballots b "
            "JOIN ballot_scores s USING (ballot_id) WHERE b.status = 'valid' "
            "AND b.debate_id = $id AND s.dimension = 'overall' ORDER BY b.run",
            {"id": each.debate.debate_id},
        )
        assert each.marks("overall") == [row["mark"] for row in rows] != []
    assert each.marks("nothing of the kind") == []
    assert each.expected is None  # it is a debate, not a question

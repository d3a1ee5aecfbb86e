"""Notes on what a board's answers came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.boards.provenance import participant_notes, provenance_notes
from arena.store.database import Store
from tests.support.stored_databases import change

NAME = "small"


@pytest.fixture
def store(own_database: Path) -> Store:
    return Store(own_database)


def test_a_tournament_without_peculiarities_has_no_notes(store: Store) -> None:
    assert participant_notes(store, NAME) == {}
    assert provenance_notes(store, NAME) == ()


def test_an_agent_whose_answers_were_mostly_unreadable_is_named(store: Store) -> None:
    pro = "SELECT debate_id FROM debates JOIN participants ON pro = participant_id"
    change(
        store,
        "UPDATE calls SET bent = 'prose, unreadable' WHERE path = 'pro/rebuttal/writer/1' AND "
        f"unit IN ({pro} WHERE name = 'fair')",
    )
    notes = participant_notes(store, NAME)
    assert list(notes) == []  # one in six is not often
    change(
        store,
        "UPDATE calls SET bent = 'unreadable' WHERE starts_with(path, 'pro/') AND "
        f"unit IN ({pro} WHERE name = 'fair')",
    )
    assert participant_notes(store, NAME) == {"fair": "50% of the writer's answers were unreadable"}


def test_what_was_repaired_is_not_lost(store: Store) -> None:
    change(
        store,
        "INSERT INTO calls SELECT * REPLACE (1 AS attempt) FROM calls WHERE attempt = 0",
        "UPDATE calls SET bent = 'unreadable' WHERE attempt = 0",
    )
    assert participant_notes(store, NAME) == {}
    change(store, "UPDATE calls SET bent = 'unreadable' WHERE attempt = 1")
    assert set(participant_notes(store, NAME)) == {"strong", "fair", "weak"}


def test_mixed_versions_of_prompts_are_counted(store: Store) -> None:
    debate = "SELECT debate_id FROM debates JOIN participants ON pro = participant_id"
    change(
        store,
        "UPDATE calls SET prompt_hash = 'old' WHERE path = 'pro/summary/writer/1' AND "
        f"unit = ({debate} WHERE name = 'weak' ORDER BY debate_id LIMIT 1)",
    )
    (note,) = provenance_notes(store, NAME)
    assert note.startswith("the debates of weak were written with 2 versions of its prompts (3 and")


def test_a_model_that_changed_behind_its_name_is_named(store: Store) -> None:
    change(store, "UPDATE calls SET served_model = 'weak-05' WHERE model = 'offline/weak'")
    assert provenance_notes(store, NAME) == ()
    change(
        store,
        "UPDATE calls SET served_model = 'weak-11' WHERE model = 'offline/weak' "
        "AND path = 'con/constructive/writer/1'",
    )
    (note,) = provenance_notes(store, NAME)
    assert note == (
        "the model behind offline/weak changed: it answered as weak-05 (10 calls) and "
        "weak-11 (2 calls)"
    )

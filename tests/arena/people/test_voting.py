"""What people are asked to vote on, and what they read: no names."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.people.ballot_forms import choices
from arena.people.sessions import people_bench
from arena.people.votes import cast_votes
from arena.people.voting import VotingSheet, find_task, read_sheets, voting_tasks
from tests.handmade import content, resolved_of
from tests.people import BENCH, Place, finished_debates, vote


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return finished_debates(tmp_path)


def test_what_is_finished_is_voted_on_the_fewest_votes_first(place: Place) -> None:
    session, plan = place
    finished = {debate.debate_id for debate in plan.debates[:4]}
    tasks = voting_tasks(session)
    assert {task.debate_id for task in tasks} == finished
    cast_votes(session, [vote(tasks[0].debate_id)])
    after = voting_tasks(replace(session, person="eve"))
    assert after[-1].debate_id == tasks[0].debate_id
    assert [(task.votes, task.voted) for task in after] == [(0, False)] * 3 + [(1, True)]
    assert not any(task.voted for task in voting_tasks(replace(session, person="fay")))
    orders = {
        tuple(task.debate_id for task in voting_tasks(replace(session, person=name)))
        for name in ("eve", "fay", "gil", "hal", "ida")
    }
    assert len(orders) > 1, "every voter reads in the same order"


def test_a_task_is_found_by_the_beginning_of_its_id(place: Place) -> None:
    session, plan = place
    debate = plan.debates[0].debate_id
    assert find_task(session, debate).debate_id == debate
    for prefix in ("", "nothing", plan.debates[-1].debate_id):
        with pytest.raises(ConfigError, match="no finished debate"):
            find_task(session, prefix)


def test_a_sheet_has_sides_and_no_names(place: Place) -> None:
    session, plan = place
    sheet = read_sheets(session, voting_tasks(session))[0]
    assert {field.name for field in fields(VotingSheet)} == {
        "debate_id", "task", "info_slide", "language", "speeches",
    }  # fmt: skip
    assert sheet.task.startswith("On ") and len(sheet.speeches) == 6
    assert not any(name in repr(sheet) for name in ("ann", "bob", "cyd", "offline"))


def test_an_essay_contest_asks_for_answers_and_not_for_sides() -> None:
    config = content("ann", "bob", contest="essay")
    config["benches"] = [BENCH]
    assert choices(resolved_of(config)) == {"a": 1.0, "tie": 0.5, "b": 0.0}
    config["tournament"]["contest"] = "debate"
    assert choices(resolved_of(config)) == {"pro": 1.0, "tie": 0.5, "con": 0.0}


def test_only_benches_of_people_take_votes(place: Place) -> None:
    session, plan = place
    with pytest.raises(
        ConfigError, match="bench 'bench' is not a bench of people. Benches of people: people"
    ):
        people_bench(session.store, plan.resolved, "bench")
    with pytest.raises(ConfigError, match="arena rejudge small --judge human"):
        people_bench(session.store, resolved_of(content()), None)

"""What people are asked to vote on, and what they read: no names."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from arena.boards.board import board
from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.boards.votes import majority, scores
from arena.errors import ConfigError, VotesRefused
from arena.people.sessions import choices, people_bench
from arena.people.voting import (
    VotingSheet,
    cast_votes,
    find_task,
    open_tasks,
    read_sheets,
    voting_tasks,
    waiting_votes,
)
from arena.scheduling.asked import Asked
from arena.tournament.wave_planning import read_comparisons
from tests.support.people_bench import BENCH, Place, finished_debates, vote
from tests.support.tournaments import commit, content, decide, judged, resolved_of


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return finished_debates(tmp_path)


def test_voters_are_sent_to_what_others_have_begun(place: Place) -> None:
    session, plan = place
    needed = session.bench.runs
    voters = [replace(session, person=f"voter {number}") for number in range(needed)]
    for own in voters:
        for _ in range(2):
            task = open_tasks(own)[0]
            cast_votes(own, [replace(vote(task.debate_id), voter=own.person)])
    votes = [task.votes for task in voting_tasks(replace(session, person="another"))]
    assert votes == [0, 0, needed, needed], "two of four are complete"


def test_what_is_finished_is_voted_on_and_what_is_voted_on_is_last(place: Place) -> None:
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
        for name in ("fay", "gil", "hal", "ida")
    }
    assert len(orders) == 1, "so sheets that were written before any vote meet"


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


def test_a_vote_is_a_ballot_with_its_person_as_voter(place: Place) -> None:
    session, plan = place
    store = session.store
    debate = plan.debates[0].debate_id
    first = vote(debate, confidence=4.0, comment="Better sources.", seconds=61.5)
    cast_votes(session, [first, vote(debate, "fay", 0.5)])
    rows = store.rows(
        "SELECT * FROM ballots JOIN ballot_scores USING (ballot_id) "
        "WHERE dimension = 'overall' ORDER BY run"
    )
    assert [(row["voter"], row["run"], row["outcome"]) for row in rows] == [
        ("eve", 0, 1.0),
        ("fay", 1, 0.5),
    ]
    assert {(row["bench"], row["status"], row["cost_usd"]) for row in rows} == {
        ("people", "valid", 0.0)
    }
    assert (rows[0]["confidence"], rows[0]["seconds"]) == (4.0, 61.5)
    assert rows[0]["comment"] == rows[0]["rationale"] == "Better sources."


def test_a_bench_of_people_is_rated_as_every_bench(place: Place) -> None:
    session, plan = place
    store = session.store
    decide(store, plan)
    for voter in ("eve", "fay"):
        cast_votes(session, [vote(debate.debate_id, voter) for debate in plan.debates])
    selection = Selection(tournament=plan.resolved.name, bench="people")
    rated = board(store, plan.resolved, selection)
    assert (rated.comparisons, rated.open, rated.people) == (6, len(plan.debates), True)
    assert any(
        "0 of 6 debates have the 3 votes that are asked for, 6 have 2" in note
        for note in rated.notes
    )
    assert waiting_votes(store, plan.resolved) == {"people": (len(plan.debates), len(plan.debates))}
    cast_votes(session, [vote(debate.debate_id, "gil", 0.0) for debate in plan.debates])
    rated = board(store, plan.resolved, selection)
    assert (rated.comparisons, rated.open) == (len(plan.debates), 0)
    assert not any("asked for" in note for note in rated.notes)
    assert waiting_votes(store, plan.resolved) == {}
    without = board(store, plan.resolved, replace(selection, without=("eve",)))
    assert without.comparisons == len(plan.debates)


def test_schedules_wait_for_all_votes(place: Place) -> None:
    session, plan = place
    cast_votes(session, [vote(plan.debates[0].debate_id)])
    asked = replace(Asked.of(plan.resolved), bench="people")
    compared = read_comparisons(plan.resolved, session.store, asked)
    assert compared is not None and not len(compared.comparisons)


def test_a_fourth_vote_makes_the_score_three_times_the_mean(place: Place) -> None:
    session, plan = place
    store = session.store
    debate = plan.debates[0]
    four = [vote(debate.debate_id, f"p{n}", outcome) for n, outcome in enumerate([1, 1, 1, 0.0])]
    cast_votes(session, four)

    selection = Selection(tournament=plan.resolved.name, bench="people")
    (row,) = compared_debates(store, selection, scope(plan.resolved)).to_dict("records")
    assert (row["pro_score"], row["con_score"], row["outcome"]) == (2.25, 0.75, 1.0)


def test_a_batch_with_a_fault_stores_nothing_and_every_fault_is_said(place: Place) -> None:
    session, plan = place
    store = session.store
    first, second, *_ = (debate.debate_id for debate in plan.debates)
    cast_votes(session, [vote(first)])
    votes = [
        vote(second, where="row 2, "),
        vote(first, where="row 3, "),
        vote("nothing", where="row 4, "),
        vote(second, where="row 5, "),
        vote(second, "", where="row 6, "),
        vote(plan.debates[-1].debate_id, where="row 7, "),
        vote(second, "fay", where="row 8, ", confidence=9.0),
        vote(second, "gil", where="row 9, ", outcomes={"overall": 1.0, "style": 1.0}),
        vote(second, "hal", where="row 10, ", seconds=-1.0),
    ]
    with pytest.raises(VotesRefused) as refused:
        cast_votes(session, votes)
    assert [fault.partition(", ")[0] for fault in refused.value.faults] == [
        f"row {n}" for n in range(3, 11)
    ]
    message = str(refused.value)
    assert message.startswith(
        "nothing was stored, because of 8 faults:\n  row 3, voter: 'eve' has already voted on "
    )
    assert "row 4, debate: no debate 'nothing' in tournament 'small'" in message
    assert f"row 5, voter: 'eve' votes twice on debate '{second}' (the other: row 2)" in message
    assert "is planned, not finished" in message
    assert (
        "row 9, a vote needs a choice for overall, source; missing: source; unknown: style"
        in message
    )
    assert store.rows("SELECT count(*) AS n FROM ballots")[0]["n"] == 1
    assert store.rows("SELECT count(*) AS n FROM ballot_scores")[0]["n"] == 2


def test_votes_of_people_do_not_touch_other_benches(place: Place) -> None:
    session, plan = place
    store = session.store
    debate = plan.debates[0]
    commit(store, judged(debate))
    cast_votes(session, [vote(debate.debate_id)])
    assert [task.votes for task in voting_tasks(session)] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([1.0], (1.0, 0.0)),
        ([1.0, 0.5, 0.0], (1.5, 1.5)),
        ([1.0, 1.0, 1.0], (3.0, 0.0)),
        ([1.0, 1.0, 1.0, 0.0], (2.25, 0.75)),
        ([0.5] * 7, (1.5, 1.5)),
    ],
)
def test_scores_are_sums_of_up_to_three_and_three_means_of_more(
    outcomes: list[float], expected: tuple[float, float]
) -> None:
    assert scores(outcomes) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([1.0], 1.0),
        ([1.0, 0.0], None),
        ([1.0, 0.5, 0.5], 0.5),
        ([0.0, 0.0, 1.0], 0.0),
        ([1.0, 1.0, 0.5, 0.0], None),
    ],
)
def test_a_majority_is_more_than_half(outcomes: list[float], expected: float | None) -> None:
    assert majority(outcomes) == expected

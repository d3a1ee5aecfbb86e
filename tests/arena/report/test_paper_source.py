"""Frames from a store: turns of the agents, verdicts, and who counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from arena.debates.play import DebateRecord
from arena.records import Debate
from arena.report.paper_source import TournamentFrames, read_material, whole_teams
from tests.support.tournaments import (
    changed,
    commit,
    content,
    judged,
    meeting,
    planned,
    played,
    resolved_of,
    speeches,
    unit,
)


def team(*whole: str, ablated: str = "") -> dict[str, object]:
    """A configuration in which some play with all agents, and one without its Searcher."""
    config = content("ann", "bob", "cyd", runs=2)
    for place, one in enumerate(config["participants"]):
        if one["name"] in (*whole, ablated):
            config = changed(config, ["participants", place, "debater"], "agent4debate")
        if one["name"] == ablated:
            config = changed(config, ["participants", place, "options"], {"searcher": False})
    return config


def traced(debate: Debate, *paths: str) -> DebateRecord:
    """A debate with calls at these paths (5 tokens each), and in its first speech two turns."""
    record = played(debate, costs=[(path, 0.0) for path in paths])
    first, *rest = speeches()
    trace = ({"agent": "Searcher"}, {"agent": "Writer"}, {"agent": "protocol", "cap": "x"})
    return replace(record, speeches=(replace(first, trace=trace), *rest))


def rows(frame: pd.DataFrame, *columns: str) -> list[list[object]]:
    return sorted(frame[list(columns)].to_numpy().tolist())


@pytest.fixture
def found(tmp_path: Path) -> TournamentFrames:
    store, plan = planned(tmp_path / "own.duckdb", team("ann", ablated="bob"))
    one, other = meeting(plan, "ann", "bob"), meeting(plan, "cyd", "ann")
    calls = ["pro/constructive/searcher/1", "pro/constructive/searcher/2", "con/rebuttal/writer/1"]
    commit(
        store,
        traced(one, *calls),
        traced(other, "pro/constructive/writer/1", "con/summary/reviewer/1"),
        played(meeting(plan, "bob", "ann"), "forfeit", forfeited="pro"),
        *(judged(one, outcome, run=run) for run, outcome in enumerate((1.0, 0.5))),
        judged(other, 0.0),
    )
    return read_material(store, plan.resolved)


def test_answers_are_counted_for_the_participant_on_that_side(found: TournamentFrames) -> None:
    assert rows(found.calls, "participant", "stage", "agent", "tokens") == [
        ["ann", "constructive", "Searcher", 5],
        ["ann", "constructive", "Searcher", 5],
        ["ann", "summary", "Reviewer", 5],
        ["bob", "rebuttal", "Writer", 5],
    ]


def test_what_was_asked_again_is_one_answer_with_all_its_tokens(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb", team("ann"))
    debate = meeting(plan, "ann", "bob")
    record = played(debate)
    made = unit(debate.debate_id, ("pro/rebuttal/writer/1", 0.0), ("pro/rebuttal/writer/1", 0.0))
    again = replace(made, calls=(made.calls[0], replace(made.calls[1], attempt=1)))
    commit(store, replace(record, unit=again))
    calls = read_material(store, plan.resolved).calls
    assert rows(calls, "agent", "tokens") == [["Writer", 10]]


def test_turns_and_speeches_are_those_of_teams(found: TournamentFrames) -> None:
    assert rows(found.speeches, "participant", "stage") == sorted(
        [name, stage]
        for name in ("ann", "ann", "bob")
        for stage in ("constructive", "rebuttal", "summary")
    )
    # the first speech is Pro's: ann's in one debate, cyd's (who plays no team) in the other
    assert rows(found.dialogue, "participant", "stage", "agent") == [
        ["ann", "constructive", "Searcher"],
        ["ann", "constructive", "Writer"],
        ["ann", "constructive", "protocol"],
    ]


def test_a_verdict_needs_all_its_runs(found: TournamentFrames) -> None:
    assert rows(found.verdicts, "bench", "outcome") == [["bench", 1.0]]
    assert rows(found.ballots, "run", "outcome") == [[0, 0.0], [0, 1.0], [1, 0.5]]
    assert not found.ballots["people"].any()


def test_only_teams_with_all_agents_are_whole() -> None:
    assert whole_teams(resolved_of(team("cyd", ablated="bob"))) == ["cyd"]


def test_debates_of_people_are_marked(tmp_path: Path) -> None:
    config = changed(
        content("ann", "bob", "cyd"), ["participants", 2], {"name": "cyd", "debater": "human"}
    )
    store, plan = planned(tmp_path / "own.duckdb", config)
    one, other = meeting(plan, "ann", "bob"), meeting(plan, "ann", "cyd")
    commit(store, played(one), played(other), judged(one), judged(other))
    ballots = read_material(store, plan.resolved).ballots
    people = dict(zip(ballots["debate_id"], ballots["people"], strict=True))
    assert people == {one.debate_id: False, other.debate_id: True}

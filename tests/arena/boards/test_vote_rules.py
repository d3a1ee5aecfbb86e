"""The rule by which votes decide: their sum, or their majority as the paper has it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from arena.boards.board import board
from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.boards.vote_rules import read_vote_rules, rule_notes, vote_rules
from arena.people.sessions import voting_session
from arena.people.voting import SubmittedVote, cast_votes
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.command_line import done, refused
from tests.support.tournaments import changed, commit, content, planned, played, resolved_of

WIN, TIE, LOSS = 1.0, 0.5, 0.0
#: Three votes, the outcome by their sum and by majority, and the difference of the scores.
CASES = (
    ((WIN, TIE, TIE), WIN, TIE, 1.0),
    ((WIN, WIN, LOSS), WIN, WIN, 1.0),
    ((WIN, TIE, LOSS), TIE, TIE, 0.0),
    ((LOSS, TIE, TIE), LOSS, TIE, -1.0),
    ((LOSS, LOSS, TIE), LOSS, LOSS, -2.0),
    ((WIN, WIN, WIN), WIN, WIN, 3.0),
)
SUM = "the sum of the votes decides a debate"
MAJORITY = "the majority of the votes decides a debate, and one without a majority is a tie"


def config(**options: str) -> dict[str, Any]:
    """Six debates of two participants, and a bench of three people."""
    made = changed(content("ann", "bob"), ["schedule", "matchups_per_pair"], 3)
    chosen = {"dimensions": ["source"], **options}
    bench = {"name": "people", "judge": "human", "runs": 3, "options": chosen}
    return {**made, "benches": [bench]}


def voted(folder: Path, **options: str) -> tuple[Store, TournamentPlan]:
    """The votes of the cases, one case per debate."""
    store, plan = planned(folder / "own.duckdb", config(**options))
    commit(store, *map(played, plan.debates))
    votes = [
        SubmittedVote(
            debate_id=debate.debate_id,
            voter=f"voter {number}",
            outcomes={"overall": outcome, "source": outcome},
        )
        for debate, case in zip(plan.debates, CASES, strict=True)
        for number, outcome in enumerate(case[0])
    ]
    cast_votes(voting_session(store, plan.resolved), votes)
    return store, plan


@pytest.mark.parametrize("rule", ["sum", "majority"])
@pytest.mark.parametrize("dimension", ["overall", "source"])
def test_outcomes_follow_the_rule_and_weights_the_sum(
    tmp_path: Path, rule: str, dimension: str
) -> None:
    store, plan = voted(tmp_path, rule=rule)
    selection = Selection(tournament="small", bench="people", dimension=dimension)
    frame = compared_debates(store, selection, scope(plan.resolved)).set_index("debate_id")
    for debate, (_, by_sum, by_majority, difference) in zip(plan.debates, CASES, strict=True):
        row = frame.loc[debate.debate_id]
        assert row["outcome"] == (by_majority if rule == "majority" else by_sum)
        assert row["pro_score"] - row["con_score"] == pytest.approx(difference)
        assert row["weight"] == pytest.approx(1 / (1 + math.exp(-abs(difference))))


def test_a_majority_is_more_than_half_of_the_votes_that_count(tmp_path: Path) -> None:
    store, plan = voted(tmp_path, rule="majority")
    first, second, *_ = (debate.debate_id for debate in plan.debates)
    session = voting_session(store, plan.resolved)
    cast_votes(
        session, [SubmittedVote(debate_id=second, voter="late", outcomes=dict.fromkeys(BOTH, LOSS))]
    )
    by_id = _outcomes(store, plan)
    assert by_id[second] == TIE, "two of four are no majority"
    without = _outcomes(store, plan, without=("voter 1", "voter 2"))
    assert without[first] == WIN, "one vote is left"


BOTH = ("overall", "source")


def _outcomes(
    store: Store, plan: TournamentPlan, without: tuple[str, ...] = ()
) -> dict[str, float]:
    selection = Selection(tournament="small", bench="people", without=without)
    frame = compared_debates(store, selection, scope(plan.resolved))
    return dict(zip(frame["debate_id"], frame["outcome"], strict=True))


@pytest.mark.parametrize(("rule", "note"), [("sum", SUM), ("majority", MAJORITY)])
def test_the_board_says_the_rule(tmp_path: Path, rule: str, note: str) -> None:
    store, plan = voted(tmp_path, rule=rule)
    rated = board(store, plan.resolved, Selection(tournament="small", bench="people"))
    assert [line for line in rated.notes if line.startswith(note)] != []
    assert f"Note: {note}" in " ".join(done("leaderboard", "--db", store.path).split())
    assert read_vote_rules(store, "small") == vote_rules(plan.resolved.benches) == {"people": rule}
    everything = Selection(tournament="small", bench="all")
    (line,) = rule_notes(read_vote_rules(store, "small"), everything)
    assert line.startswith(f"bench people: {note}")


def test_a_board_of_models_says_nothing_of_votes(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    assert vote_rules(plan.resolved.benches) == read_vote_rules(store, "small") == {}


def test_the_default_is_not_stored_so_benches_keep_their_identity() -> None:
    (plain,) = resolved_of(config()).benches
    (summed,) = resolved_of(config(rule="sum")).benches
    (other,) = resolved_of(config(rule="majority")).benches
    assert plain.options == {"dimensions": ["source"]} == summed.options
    assert other.options == {"dimensions": ["source"], "rule": "majority"}


def test_the_rule_is_an_option_of_a_further_bench(own_database: Path) -> None:
    words = ("--judge", "human", "--runs", "3", "--yes", "--db", own_database)
    message = refused("rejudge", *words, "--option", "rule=unanimity")
    assert "rule" in message and "'sum' or 'majority'" in message
    done("rejudge", *words, "--option", "rule=majority")
    assert read_vote_rules(Store(own_database), _name(own_database)) == {"human": "majority"}


def _name(database: Path) -> str:
    return str(Store(database).rows("SELECT tournament FROM tournaments")[0]["tournament"])

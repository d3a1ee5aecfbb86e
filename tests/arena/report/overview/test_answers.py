"""The sentences that answer who is first."""

from __future__ import annotations

from pathlib import Path

from arena.boards.selection import Selection
from arena.report.overview.answers import AnsweredQuestion, board_answers
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.tournaments import content, decide, motion, planned

_MAIN = Selection(tournament="small", bench="bench")


def _answers(store: Store, plan: TournamentPlan) -> dict[str, AnsweredQuestion]:
    answers = board_answers(store, plan.resolved, _MAIN)
    return {answer.question: answer for answer in answers}


def test_who_is_first_beyond_doubt_is_said_so(tmp_path: Path) -> None:
    motions = [motion(f"fact-{number}") for number in range(40)]
    config = content("ann", "bob") | {"schedule": {"matchups_per_pair": 40}}
    store, plan = planned(tmp_path / "own.duckdb", config, motions)
    decide(store, plan, ann_bob="ann")
    answer = _answers(store, plan)["Who argues best, by bench bench?"]
    assert answer.is_settled and answer.command == f"arena leaderboard -t small --db {store.path}"
    assert answer.sentence.startswith("ann is first beyond doubt (Elo ")
    assert answer.sentence.endswith("better than bob, the second, with 99 % probability.")


def test_who_only_leads_and_who_is_level_is_said_so(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    decide(store, plan, ann_bob="ann")
    answers = _answers(store, plan)
    first = answers["Who argues best, by bench bench?"]
    assert not first.is_settled and first.sentence.startswith("ann leads (Elo ")
    assert "but is not separated from cyd, bob; taken alone" in first.sentence
    source = answers["Who is first on source?"]
    board = "arena leaderboard --dimension source -t small"
    assert source.command == f"{board} --db {store.path}"
    assert "nothing is rated" in answers["Who is first on argument?"].sentence
    level, plan = planned(tmp_path / "level.duckdb")
    decide(level, plan)
    sentence = _answers(level, plan)["Who argues best, by bench bench?"].sentence
    assert sentence.startswith("ann, bob, cyd are level at the top (Elo 1000, ")


def test_only_categories_that_are_played_are_asked_for(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "one.duckdb", motions=[motion()])
    decide(store, plan)
    assert not [question for question in _answers(store, plan) if "motions" in question]

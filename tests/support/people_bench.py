"""A bench of people, finished debates for it, and votes on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.people.sessions import VotingSession, voting_session
from arena.people.voting import SubmittedVote
from arena.tournament.plan import TournamentPlan
from tests.support.tournaments import commit, content, planned, played

BENCH = {"name": "people", "judge": "human", "runs": 3, "options": {"dimensions": ["source"]}}
Place = tuple[VotingSession, TournamentPlan]


def finished_debates(folder: Path) -> Place:
    """Four finished debates of two participants, one unfinished matchup left out."""
    config = content("ann", "bob", "cyd")
    config["benches"].append(BENCH)
    store, plan = planned(folder / "own.duckdb", config)
    commit(store, *map(played, plan.debates[:4]))
    return voting_session(store, plan.resolved), plan


def vote(debate_id: str, voter: str = "eve", outcome: float = 1.0, **changes: Any) -> SubmittedVote:  # noqa: ANN401
    """A vote of a person, on the source against the whole."""
    cast = SubmittedVote(
        debate_id=debate_id, voter=voter, outcomes={"overall": outcome, "source": 1 - outcome}
    )
    return replace(cast, **changes)

"""A bench of people before debates that are finished, and votes on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.people.votes import Vote
from arena.people.voting import people_bench
from arena.records import Bench
from arena.store.database import Store
from arena.tournament.plan import Plan
from tests.handmade import commit, content, planned, played

BENCH = {"name": "people", "judge": "human", "runs": 3, "options": {"dimensions": ["source"]}}
Place = tuple[Store, Plan, Bench]


def finished_debates(folder: Path) -> Place:
    """Four finished debates of two participants, one unfinished matchup left out."""
    given = content("ann", "bob", "cyd")
    given["benches"].append(BENCH)
    store, plan = planned(folder / "own.duckdb", given)
    commit(store, *map(played, plan.debates[:4]))
    return store, plan, people_bench(plan.resolved, None)


def vote(debate_id: str, voter: str = "eve", outcome: float = 1.0, **changes: Any) -> Vote:  # noqa: ANN401
    """A vote of a person, on the source against the whole."""
    found = Vote(
        debate_id=debate_id, voter=voter, outcomes={"overall": outcome, "source": 1 - outcome}
    )
    return replace(found, **changes)

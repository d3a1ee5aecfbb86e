"""Ballots on one debate by any judge, whose every task is answered by a script."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.debates.ballot import BallotRecord, take_ballot
from arena.debates.play import Assignment
from arena.languages import Side
from arena.llm.journal import Journal
from arena.llm.request import Request
from arena.records import BallotCall, Bench, Debate, Participant
from arena.search.tool import NoSearch
from motions import Brief, Wording
from tests.support.debate_seats import speeches
from tests.support.debatrix_script import verdict
from tests.support.score_cards import card, round_card
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend

SIDES: Mapping[Side, Participant] = {
    "pro": Participant(name="ann", debater="direct", model="house/x"),
    "con": Participant(name="bob", debater="direct", model="house/y"),
}


def answer(request: Request) -> str:
    """What any task of a judge accepts."""
    if request.task in ("judge.round", "judge.pleas"):
        return round_card(12, 10)
    if request.task in ("judge.criteria", "judge.defences"):
        return card()
    if request.task == "judge.vote":
        return '{"judgement": "So.", "winner": "Con"}'
    if request.task == "judge.totals":
        return '{"judgement": "So.", "pro_score": 60, "con_score": 70}'
    if request.task in ("judge.compare", "judge.panel"):
        return verdict()
    return f"Said at {request.path}."


def assignment(sides: Mapping[Side, Participant] = SIDES, *, mark: str = "") -> Assignment:
    """A debate of these participants; all of its ids end in a mark."""
    debate = Debate(
        debate_id=f"debate{mark}",
        matchup_id=f"matchup{mark}",
        tournament=f"tournament{mark}",
        motion_id=f"motion{mark}",
        language="en",
        leg=0,
        repeat=0,
        pro=sides["pro"].participant_id,
        con=sides["con"].participant_id,
    )
    wording = Wording(text="A motion.", info_slide="", brief=Brief(pro=(), con=()))
    return Assignment(
        debate=debate,
        wording=wording,
        sides=sides,
        seed=3,
        words=600,
        search=NoSearch(),
    )


async def take(
    judge: str,
    options: Mapping[str, Any],
    backend: ScriptedBackend,
    folder: Path,
    *,
    sides: Mapping[Side, Participant] = SIDES,
) -> BallotRecord:
    """Take a ballot on a debate of six speeches."""
    bench = Bench(name="bench", judge=judge, model="house/judge", options=options)
    return await take_ballot(
        assignment(sides),
        speeches(),
        BallotCall(bench=bench, run=0),
        access=ScriptedAccess(backend),
        journal=Journal(folder),
    )

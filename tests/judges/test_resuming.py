"""Every judge goes on from its journal: what was answered before a fault is not asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.errors import InfrastructureFault
from arena.judging import BallotCall, take_ballot
from arena.llm.backend import Request
from arena.llm.journal import Journal
from arena.playing import Assignment
from arena.records import Bench, Debate, Participant
from arena.search.nothing import NoSearch
from motions import Brief, Wording
from tests.bench import verdict
from tests.cards import card, round_card
from tests.scripted import ScriptedAccess, ScriptedBackend
from tests.seats import speeches

PANEL = [{"judge": "single"}, {"judge": "debatrix", "model": "house/b"}, {"judge": "samre"}]
JUDGES: dict[str, dict[str, Any]] = {
    "debatrix": {"mode": "non_iterative"},
    "single": {},
    "more": {},
    "samre": {"jurors": 3, "early_stop": False},
    "jury": {"members": PANEL, "early_stop": True},
}
SIDES = {
    "pro": Participant(name="ann", debater="direct", model="house/x"),
    "con": Participant(name="bob", debater="direct", model="house/y"),
}


def answer(request: Request) -> str:
    """What any task of a judge accepts."""
    if request.task in ("judge.criteria", "judge.round"):
        return round_card(12, 10) if request.task == "judge.round" else card()
    if request.task == "judge.vote":
        return '{"judgement": "So.", "winner": "Con"}'
    if request.task in ("judge.compare", "judge.panel"):
        return verdict()
    return f"Said at {request.path}."


class Failing:
    """Answers so many requests, and then none."""

    def __init__(self, answers: int) -> None:
        self.answered: set[tuple[str, int]] = set()
        self._answers = answers

    def __call__(self, request: Request) -> str:
        if len(self.answered) == self._answers:
            raise InfrastructureFault("down")
        self.answered.add((request.path, request.attempt))
        return answer(request)


def assignment() -> Assignment:
    debate = Debate(
        debate_id="d",
        matchup_id="m",
        tournament="t",
        motion_id="o",
        language="en",
        leg=0,
        repeat=0,
        pro=SIDES["pro"].participant_id,
        con=SIDES["con"].participant_id,
    )
    wording = Wording(text="A motion.", info_slide="", brief=Brief(pro=(), con=()))
    return Assignment(
        debate=debate,
        wording=wording,
        sides={"pro": SIDES["pro"], "con": SIDES["con"]},
        seed=3,
        words=600,
        search=NoSearch(),
    )


async def take(name: str, backend: ScriptedBackend, folder: Path) -> Any:  # noqa: ANN401
    bench = Bench(name="bench", judge=name, model="house/judge", options=JUDGES[name])
    return await take_ballot(
        assignment(),
        speeches(),
        BallotCall(bench=bench, run=0),
        access=ScriptedAccess(backend),
        journal=Journal(folder),
    )


@pytest.mark.parametrize("name", JUDGES)
async def test_a_judge_goes_on_where_it_was_stopped(name: str, tmp_path: Path) -> None:
    whole = ScriptedBackend(answer)
    expected = await take(name, whole, tmp_path / "whole")
    assert expected.ballot.status == "valid", expected.ballot.reason
    asked = [(one.path, one.attempt) for one in whole.requests]
    assert len(set(asked)) == len(asked), "paths are unique within a ballot"
    for answers in {0, len(asked) // 2, len(asked) - 1}:
        folder, failing, second = tmp_path / str(answers), Failing(answers), ScriptedBackend(answer)
        with pytest.raises(InfrastructureFault):
            await take(name, ScriptedBackend(failing), folder)
        found = await take(name, second, folder)
        again = {(one.path, one.attempt) for one in second.requests}
        assert again == set(asked) - failing.answered
        assert len(failing.answered) == answers
        assert found.ballot.verdicts == expected.ballot.verdicts
        assert found.ballot.trace == expected.ballot.trace
        assert len(found.unit.calls) == len(asked)

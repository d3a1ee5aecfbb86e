"""Which debates are worth reading, and what is shown of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.records import Debate
from arena.report.overview.reading_list import Reading, pick_readings
from arena.store.database import Store
from arena.tournament.plan import TournamentPlan
from tests.support.tournaments import commit, content, judged, meeting, planned, played

_RATING = {"ann": 1200.0, "bob": 1000.0, "cyd": 800.0}


def _picked(store: Store, plan: TournamentPlan) -> dict[str, Reading]:
    selection = Selection(tournament="small", bench="bench")
    debates = compared_debates(store, selection, scope(plan.resolved))
    readings = pick_readings(store, debates, _RATING, contest="debate", name="small")
    return {reading.title: reading for reading in readings}


def _store(
    tmp_path: Path, outcomes: dict[tuple[str, str], tuple[float, ...]]
) -> tuple[Store, TournamentPlan]:
    """Debates judged in three runs each, by the pair of their sides; Pro's outcomes."""
    store, plan = planned(tmp_path / "own.duckdb", content(runs=3))
    for (pro, con), runs in outcomes.items():
        debate = meeting(plan, pro, con)
        ballots = [judged(debate, outcome, run=run) for run, outcome in enumerate(runs)]
        commit(store, played(debate), *ballots)
    return store, plan


def test_each_debate_is_picked_for_its_reason(tmp_path: Path) -> None:
    store, plan = _store(
        tmp_path,
        {
            ("cyd", "ann"): (1, 1, 1),  # 800 beats 1200
            ("ann", "bob"): (1, 0.5, 0),  # nobody wins, by different verdicts
            ("bob", "cyd"): (0, 0, 0),
            ("cyd", "bob"): (0, 0, 0),  # Con twice
            ("ann", "cyd"): (1, 1, 1),
            ("bob", "ann"): (1, 0, 0),
        },
    )
    _cite(store, meeting(plan, "ann", "cyd"))
    picked = _picked(store, plan)
    assert list(picked) == [
        "Largest upset",
        "Closest split",
        "Decided by the side, twice",
        "Most sources",
        "Judges most divided",
    ]
    upset = picked["Largest upset"]
    assert upset.debate_ids == (meeting(plan, "cyd", "ann").debate_id,)
    assert upset.why == (
        "cyd (Elo 800) beat ann (Elo 1200), a result to which the ratings give a chance of 9 %."
    )
    assert upset.result == "Bench bench: cyd won as Pro, 3 to 0."
    closest = picked["Closest split"]
    assert closest.debate_ids == (meeting(plan, "ann", "bob").debate_id,)
    assert closest.why.startswith("The scores are 1.50 to 1.50, and the mean marks 2.00 to 9.00")
    twice = picked["Decided by the side, twice"]
    assert {*twice.debate_ids} == {
        meeting(plan, "bob", "cyd").debate_id,
        meeting(plan, "cyd", "bob").debate_id,
    }
    assert twice.why.startswith("Con won both debates of ")
    assert picked["Most sources"].why == "Its speeches give 2 references that exist."
    divided = picked["Judges most divided"]
    assert divided.debate_ids == (meeting(plan, "bob", "ann").debate_id,)
    assert divided.why == "Of 3 ballots, 1 is for Pro and 2 for Con."
    assert [decision.sentence for decision in divided.decisions] == [
        "Bench bench: ann won as Con, 2 to 1 from 3 ballots."
    ]
    assert [(one.label, one.participant, one.paragraphs) for one in divided.speeches][-2:] == [
        ("Con, summary", "ann", ("con summary: Said.",)),
        ("Pro, summary", "bob", ("pro summary: Said.",)),
    ]
    assert len(divided.speeches) == 6, "all of them"


def test_reasons_that_fit_no_debate_are_left_out(tmp_path: Path) -> None:
    store, plan = _store(tmp_path, {("ann", "cyd"): (1, 1, 1)})
    assert list(_picked(store, plan)) == ["Closest split"]


def test_without_a_judged_debate_there_is_nothing_to_read(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    assert _picked(store, plan) == {}


def _cite(store: Store, debate: Debate) -> None:
    """Two references that exist, and one that was never given."""
    references = json.dumps([{"number": number, "given": number < 3} for number in (1, 2, 3)])

    def write(connection: Any) -> None:  # noqa: ANN401 - an open connection
        connection.execute(
            'UPDATE speeches SET "references" = ? WHERE debate_id = ? AND side = ? AND stage = ?',
            [references, debate.debate_id, "pro", "constructive"],
        )

    store.write(write)

"""What a selection selects, against a slow twin that filters plain rows one by one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arena.boards.selection import Selection
from arena.read.ballots import read_ballots
from arena.read.calls import read_calls
from arena.read.costs import read_costs
from arena.read.debates import read_debates
from arena.read.outcomes import read_outcomes
from arena.read.selected import Narrowing, moment
from arena.read.speeches import read_speeches
from arena.store.database import Store

_DEBATES = """
    SELECT debate_id, d.language, category, motion_id, m.text AS motion, status,
           epoch_us(finished_at) AS finished_at, p.name AS pro, c.name AS con,
           d.pro AS pro_id, d.con AS con_id
    FROM debates d JOIN motions m USING (motion_id, language)
    JOIN participants p ON p.participant_id = d.pro JOIN participants c ON c.participant_id = d.con
"""
_BALLOTS = "SELECT ballot_id, debate_id, bench, voter, entry FROM ballots"
_SPEECHES = "SELECT debate_id, side, stage FROM speeches"
_CALLS = "SELECT unit, path, attempt FROM calls"


def fits(row: dict[str, Any], selection: Selection, narrowing: Narrowing) -> bool:
    """The twin: whether one debate is selected."""
    ended = moment(row["finished_at"])
    return (
        selection.category in ("all", row["category"])
        and selection.language in ("all", row["language"])
        and (selection.since is None or (ended is not None and ended >= selection.since))
        and (selection.until is None or (ended is not None and ended < selection.until))
        and (not narrowing.statuses or row["status"] in narrowing.statuses)
        and narrowing.participant in ("", row["pro"], row["con"])
        and narrowing.motion in ("", row["motion_id"], row["motion"])
        and (narrowing.ids is None or row["debate_id"] in narrowing.ids)
        and (narrowing.between is None or {row["pro_id"], row["con_id"]} <= {*narrowing.between})
    )


@given(data=st.data())
def test_records_are_those_that_a_filter_of_plain_rows_keeps(
    data: st.DataObject, small_database: Path
) -> None:
    store = Store(small_database)
    debates = store.plain_rows(_DEBATES)
    ends = sorted(filter(None, (moment(row["finished_at"]) for row in debates)))
    times = st.none() | st.sampled_from([*ends, datetime(2000, 1, 1, tzinfo=UTC)])

    def one_of(name: str, everything: str) -> str:
        values = sorted({str(row[name]) for row in debates})
        return data.draw(st.sampled_from([everything, *values]))

    selection = Selection(
        tournament="small",
        bench=data.draw(st.sampled_from(["all", "bench"])),
        category=one_of("category", "all"),
        language=one_of("language", "all"),
        since=data.draw(times),
        until=data.draw(times),
        without=data.draw(st.sampled_from([(), ("bench",), ("nobody",)])),
        entry=data.draw(st.none() | st.integers(0, 10)),
    )
    ids = st.none() | st.sets(st.sampled_from([row["debate_id"] for row in debates]), max_size=4)
    chosen = data.draw(ids)
    seats = sorted({row[side] for row in debates for side in ("pro_id", "con_id")})
    narrowing = Narrowing(
        statuses=data.draw(st.sampled_from([(), ("finished",), ("planned", "void")])),
        participant=one_of("pro", ""),
        motion=one_of(data.draw(st.sampled_from(["motion_id", "motion"])), ""),
        ids=None if chosen is None else tuple(chosen),
        between=data.draw(st.sampled_from([None, (), *combinations(seats, 2), tuple(seats)])),
    )
    kept = {row["debate_id"] for row in debates if fits(row, selection, narrowing)}
    assert {row.debate_id for row in read_debates(store, selection, narrowing)} == kept
    speeches = read_speeches(store, selection, narrowing)
    said = {(row.debate_id, row.side, row.stage) for row in speeches}
    assert said == {row for row in store.tuples(_SPEECHES) if row[0] in kept}
    counted = {
        ballot
        for ballot, debate, bench, voter, entry in store.tuples(_BALLOTS)
        if debate in kept
        and selection.bench in ("all", bench)
        and not {bench, voter} & set(selection.without)
        and (selection.entry is None or entry <= selection.entry)
    }
    assert {row.ballot_id for row in read_ballots(store, selection, narrowing)} == counted
    verdicts = read_outcomes(store, selection, narrowing)
    assert set(verdicts["debate_id"]) == {
        row[1] for row in store.tuples(_BALLOTS) if row[0] in counted
    }
    spent = read_costs(store, "small", narrowing)
    free = replace(selection, bench="all", without=(), entry=None, category="all", language="all")
    paid = read_calls(store, replace(free, since=None, until=None), narrowing)
    assert sum(row.calls for row in spent) == len(paid)
    calls = [(row.path, row.attempt) for row in read_calls(store, selection, narrowing)]
    made = [rest for unit, *rest in store.tuples(_CALLS) if unit in kept | counted]
    assert sorted(calls) == sorted(map(tuple, made))

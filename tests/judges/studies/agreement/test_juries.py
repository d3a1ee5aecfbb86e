"""Early stopping: what it saves, and what it changes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest

from arena.read.ballots import BallotRow
from judges.studies.agreement.juries import (
    Stopping,
    jury_members_table,
    measure_jury_members,
    measure_stopping,
)
from ratings import outcome_of
from tests.support.judge_verdicts import material

MEMBERS = [{"judge": "single", "model": f"offline/{one}"} for one in ("strong", "good", "fair")]
Steps = list[dict[str, Any]]


def jury(name: str = "jury", **options: object) -> dict[str, Any]:
    return {"name": name, "judge": "jury", "options": {"members": MEMBERS, **options}}


def samre(**options: object) -> dict[str, Any]:
    return {"name": "samre", "judge": "samre", "options": {"jurors": 0, **options}}


def votes(*outcomes: float | str) -> Steps:
    """A jury's trace: what each member said, or why it said nothing."""
    told = [{"absent": one} if isinstance(one, str) else {"outcome": one} for one in outcomes]
    return [{"agent": "member", "number": n, **one} for n, one in enumerate(told, start=1)]


def gaps(*given: float) -> Steps:
    """A trace of rounds, by how far Pro was ahead in each."""
    return [{"agent": "judge", "pro": 60 + gap, "con": 60} for gap in given]


def found(
    bench: Mapping[str, Any],
    ballots: Sequence[tuple[Steps, float]],
    calls: Mapping[str, int] | None = None,
) -> Stopping:
    counted = [
        {"bench": bench["name"], "member": member, "calls": n, "askings": 1}
        for member, n in (calls or {}).items()
    ]
    (one,) = measure_stopping(
        material(
            {bench["name"]: {"a1/0": 1.0}},
            benches=[bench],
            traces=[(bench["name"], trace, outcome) for trace, outcome in ballots],
            calls=pd.DataFrame(counted, columns=["bench", "member", "calls", "askings"]),
        )
    )
    return one


EARLY = jury(early_stop=True)
SETTLED = "not asked: the majority was settled"


@pytest.mark.parametrize(
    ("bench", "ballots", "calls", "expected"),
    [
        (EARLY, [(votes(1.0, 1.0, SETTLED), 1.0), (votes(1.0, 0.0, 0.0), 0.0)],
         {"1": 1, "2": 1, "3": 4}, (True, 2, 12, 4, 0)),
        (jury(), [(votes(1.0, 1.0, 0.0), 1.0), (votes(0.5, 1.0, 0.0), 0.5)], {},
         (False, 2, 6, 1, 0)),
        (jury(), [(votes(1.0, 1.0, "left out: of gpt"), 1.0)], {}, (False, 1, 2, 0, 0)),
        (jury(), [(votes(1.0, 1.0, 0.0), 0.0)], {}, (False, 1, 3, 1, 1)),
        (samre(rounds=4), [(gaps(5, 6), 1.0), (gaps(5, -1, 2, 3), 1.0)], {},
         (True, 2, 36, 10, None)),
        (samre(rounds=4, early_stop=False), [(gaps(5, 6, 4, 3), 1.0)], {}, (False, 1, 18, 10, 0)),
        (samre(rounds=4, early_stop=False), [(gaps(1, 1, -9, -9), 0.0)], {}, (False, 1, 18, 10, 1)),
        (samre(rounds=4, early_stop=False), [(gaps(1, -1, 1, -1), 0.5)], {}, (False, 1, 18, 0, 0)),
        (samre(rounds=2, early_stop=False, jurors=3),
         [([*gaps(1, 2), *[{"agent": "juror", "winner": "Pro"}] * 3], 1.0)], {},
         (False, 1, 11, 0, None)),
    ],
    ids=["it stopped", "it asked all", "left out", "it would differ", "rounds that were not held",
         "rounds alike", "rounds that differ", "rounds that never agree", "jurors"],
)  # fmt: skip
def test_what_stopping_saves_and_changes(
    bench: Mapping[str, Any],
    ballots: Sequence[tuple[Steps, float]],
    calls: Mapping[str, int],
    expected: tuple[bool, int, float, float, int | None],
) -> None:
    one = found(bench, ballots, calls)
    assert (one.stopped, one.ballots, one.calls, one.saved, one.changed) == expected


def test_whatever_members_say_stopping_a_jury_changes_nothing() -> None:
    """Every vote of five: the majority of all is that of those who would have been asked."""
    five = [*MEMBERS, *MEMBERS[:2]]
    ballots = [
        (votes(*said), outcome_of(sum(said) - 2.5)) for said in product([1.0, 0.5, 0.0], repeat=5)
    ]
    one = found(jury(members=five), ballots)
    assert one.changed == 0 and one.saved > 0


def test_both_orders_of_a_pair_are_two_judgements() -> None:
    """The first settles at once; in the second order the vote is turned, and so are its steps."""
    said = [("given", votes(1.0, 1.0, 0.0), 1.0), ("exchanged", votes(0.0, 1.0, 0.0), 1.0)]
    trace = [
        {
            "agent": "order",
            "order": order,
            "verdicts": [{"dimension": "overall", "outcome": outcome}],
            "steps": steps,
        }
        for order, steps, outcome in said
    ]
    one = found(jury(), [(trace, 1.0)])
    assert (one.ballots, one.calls, one.saved, one.changed) == (1, 6, 1, 0)


def member_step(number: int, outcome: float | None) -> dict[str, Any]:
    member = {"agent": "member", "number": number, "judge": "single", "model": f"m/{number}"}
    return {**member, **({"absent": "not asked"} if outcome is None else {"outcome": outcome})}


def jury_ballot(verdict: float, *outcomes: float | None) -> dict[str, Any]:
    """A ballot as the database gives it."""
    steps = [member_step(number, outcome) for number, outcome in enumerate(outcomes, start=1)]
    overall = {"dimension": "overall", "outcome": verdict, "comment": ""}
    return {
        **dict.fromkeys((field.name for field in fields(BallotRow)), ""),
        "bench": "jury",
        "trace": json.dumps([*steps, {"agent": "other"}]),
        "verdicts": [overall | {"pro_mark": None, "con_mark": None}],
    }


def test_seats_are_counted_by_who_was_asked() -> None:
    rows = [
        jury_ballot(1.0, 1.0, 1.0, None),
        jury_ballot(1.0, 1.0, 0.0, 1.0),
        jury_ballot(0.0, 0.0, 0.0, 1.0),
    ]
    store = SimpleNamespace(plain_rows=lambda _query, _parameters: rows)
    bench = SimpleNamespace(name="jury", judge="jury")
    resolved = SimpleNamespace(name="t", benches=[bench, SimpleNamespace(name="b", judge="single")])
    first, second, third = measure_jury_members(cast(Any, store), cast(Any, resolved))
    assert (first.ballots, first.asked, first.agreed, first.alone) == (3, 3, 1.0, 0.0)
    assert second.asked == 3
    assert second.agreed == pytest.approx(2 / 3)
    assert second.alone == pytest.approx(1 / 3)
    assert (third.ballots, third.asked, third.agreed, third.alone) == (3, 2, 0.5, 0.5)
    assert third.pro == 1.0 and third.model == "m/3"
    assert jury_members_table([first, second, third]).rows[2][5:] == ("2", "50", "100", "50")


def test_a_member_that_was_never_asked_has_no_shares() -> None:
    rows = [jury_ballot(1.0, 1.0, None)]
    store = SimpleNamespace(plain_rows=lambda _query, _parameters: rows)
    resolved = SimpleNamespace(name="t", benches=[SimpleNamespace(name="jury", judge="jury")])
    _, second = measure_jury_members(cast(Any, store), cast(Any, resolved))
    assert second.asked == 0 and math.isnan(second.agreed)
    assert jury_members_table([second]).rows[0][-3:] == ("-", "-", "-")
    none = SimpleNamespace(name="t", benches=[])
    assert list(measure_jury_members(cast(Any, store), cast(Any, none))) == []

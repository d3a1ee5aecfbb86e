"""The seats of juries, from the traces of their ballots."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any, cast

import pytest

from judges.studies.agreement.seats import measure_seats, seats_table


def step(number: int, outcome: float | None) -> dict[str, Any]:
    member = {"agent": "member", "number": number, "judge": "single", "model": f"m/{number}"}
    return {**member, **({"absent": "not asked"} if outcome is None else {"outcome": outcome})}


def ballot(verdict: float, *outcomes: float | None) -> dict[str, Any]:
    steps = [step(number, outcome) for number, outcome in enumerate(outcomes, start=1)]
    return {"bench": "jury", "trace": json.dumps([*steps, {"agent": "other"}]), "outcome": verdict}


def test_seats_are_counted_by_who_was_asked() -> None:
    rows = [ballot(1.0, 1.0, 1.0, None), ballot(1.0, 1.0, 0.0, 1.0), ballot(0.0, 0.0, 0.0, 1.0)]
    store = SimpleNamespace(rows=lambda _query, _parameters: rows)
    bench = SimpleNamespace(name="jury", judge="jury")
    resolved = SimpleNamespace(name="t", benches=[bench, SimpleNamespace(name="b", judge="single")])
    first, second, third = measure_seats(cast(Any, store), cast(Any, resolved))
    assert (first.ballots, first.asked, first.agreed, first.alone) == (3, 3, 1.0, 0.0)
    assert second.asked == 3
    assert second.agreed == pytest.approx(2 / 3)
    assert second.alone == pytest.approx(1 / 3)
    assert (third.ballots, third.asked, third.agreed, third.alone) == (3, 2, 0.5, 0.5)
    assert third.pro == 1.0 and third.model == "m/3"
    assert seats_table([first, second, third]).rows[2][5:] == ("2", "50", "100", "50")


def test_a_member_that_was_never_asked_has_no_shares() -> None:
    store = SimpleNamespace(rows=lambda _query, _parameters: [ballot(1.0, 1.0, None)])
    resolved = SimpleNamespace(name="t", benches=[SimpleNamespace(name="jury", judge="jury")])
    _, second = measure_seats(cast(Any, store), cast(Any, resolved))
    assert second.asked == 0 and math.isnan(second.agreed)
    assert seats_table([second]).rows[0][-3:] == ("-", "-", "-")
    none = SimpleNamespace(name="t", benches=[])
    assert list(measure_seats(cast(Any, store), cast(Any, none))) == []

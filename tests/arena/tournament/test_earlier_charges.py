"""What journals of earlier runs say of units: what was paid, and what a kill left reserved."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.llm.journal import Charge, Journal
from arena.llm.unit_record import UnitRecord
from arena.records import Call
from arena.tournament.spending import EarlierCharges


def make_record(unit: str, *, usd: float, reserved: float) -> UnitRecord:
    call = Call(
        path="pro/writer/1",
        attempt=0,
        task="write",
        prompt_hash="",
        model="m",
        input_tokens=1,
        output_tokens=1,
        cached_tokens=0,
        reasoning_tokens=0,
        cost_usd=usd,
        seconds=0.0,
        retries=0,
        finish_reason="stop",
        reserved_usd=reserved,
    )
    return UnitRecord(unit_id=unit, calls=(call,), exchanges=b"", cost_usd=usd)


def test_what_was_paid_is_kept_apart_from_what_is_reserved(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    unit = journal.open("debate")
    unit.note("start", "pro/writer/1", 0, usd=0.5)
    unit.note("call", "pro/writer/1", 0, usd=0.1, request_hash="")
    unit.note("start", "con/writer/1", 0, usd=0.5)
    unit.close()
    earlier = EarlierCharges(journal)
    assert earlier.paid(["debate", "ballot"]) == pytest.approx(0.1)
    spent_now = Charge(0.3, 0.2)  # of which the first answer was lost, and counts at its most
    record = make_record("debate", usd=0.6 + spent_now.usd, reserved=0.5 + spent_now.reserved)
    assert earlier.since(record) == pytest.approx(spent_now)
    assert earlier.since(make_record("ballot", usd=0.2, reserved=0.0)) == pytest.approx((0.2, 0.0))

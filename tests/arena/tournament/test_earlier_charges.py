"""What journals of earlier runs say of units: what was paid, and what a kill left reserved."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.llm.journal import Journal
from arena.tournament.spending import EarlierCharges


def test_what_was_paid_is_kept_apart_from_what_is_reserved(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    unit = journal.open("debate")
    unit.note("start", "pro/writer/1", 0, usd=0.5)
    unit.note("call", "pro/writer/1", 0, usd=0.1, request_hash="")
    unit.note("start", "con/writer/1", 0, usd=0.5)
    unit.close()
    earlier = EarlierCharges(journal)
    assert earlier.paid(["debate", "ballot"]) == pytest.approx(0.1)
    assert earlier.reserved("debate") == pytest.approx(0.5)
    assert earlier.reserved("ballot") == 0.0

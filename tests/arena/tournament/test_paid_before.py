"""What journals of earlier runs say of a debate: what was paid for answers, and by whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.llm.journal import Journal
from arena.store.spending import paid_before
from tests.support.tournaments import bare_debate

_ANSWER = {"usage": {"input_tokens": 30, "output_tokens": 12}}


def test_what_a_kill_left_reserved_pays_for_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    played = journal.open("p-c")
    played.note("start", "pro/writer/1", 0, usd=0.5, tokens=900)
    played.note("call", "pro/writer/1", 0, usd=0.1, completion=_ANSWER)
    played.note("start", "con/writer/1", 0, usd=0.5, tokens=900)
    played.close()
    judged = journal.open("ballot")
    judged.note("call", "run/0/judge", 0, usd=0.2, completion=_ANSWER)
    judged.close()
    debate = bare_debate("p", "c")
    paid = paid_before(journal, debate, play=True, ballots=["ballot", "none"])
    assert paid == {
        ("", "usd"): pytest.approx(0.3),
        ("", "tokens"): 84,
        ("p", "usd"): pytest.approx(0.1),
        ("p", "tokens"): 42,
        ("c", "usd"): 0,
        ("c", "tokens"): 0,
    }
    assert paid_before(journal, debate, play=False, ballots=[])["", "usd"] == 0

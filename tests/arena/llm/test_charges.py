from __future__ import annotations

from pathlib import Path

from arena.llm.journal import Journal


async def test_charges_count_ends_losses_and_starts_without_an_end(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    unit = journal.open("unit")
    unit.note("start", "a", 0, usd=1.0)  # answered for less
    await unit.append("a", 0, request_hash="h", usd=0.25)
    unit.note("start", "b", 0, usd=1.0)  # lost at its worst case, then answered
    unit.note("lost", "b", 0, usd=1.0, billed=False)
    unit.note("lost", "b", 0, usd=0.125, billed=True)
    unit.note("start", "b", 0, usd=1.0)
    await unit.append("b", 0, request_hash="h", usd=0.5)
    unit.note("start", "c", 0, usd=2.0)  # in flight when the process died, twice
    unit.note("start", "c", 0, usd=2.0)
    unit.close()
    assert journal.charges() == {"unit": 0.25 + 1.625 + 4.0}
    again = journal.open("unit")
    charges = [again.charge(path, 0)[:2] for path in "abcd"]
    assert charges == [(0.25, 0.0), (1.625, 1.0), (4.0, 4.0), (0.0, 0.0)]
    again.close()


async def test_tokens_count_like_money(tmp_path: Path) -> None:
    journal, usage = Journal(tmp_path), {"usage": {"input_tokens": 30, "output_tokens": 12}}
    unit = journal.open("unit")
    unit.note("start", "a", 0, usd=0.0, tokens=900)  # answered for less
    await unit.append("a", 0, request_hash="h", usd=0.0, completion=usage)
    unit.note("start", "b", 0, usd=0.0, tokens=700)  # in flight when the process died
    unit.close()
    charges = journal.read_charges("unit")
    assert charges["a", 0].known.tokens == charges["a", 0].tokens == 42
    assert charges["b", 0].reserved_tokens == charges["b", 0].tokens == 700
    assert charges["b", 0].known.tokens == 0
    assert journal.charges_by_unit()["unit"].tokens == 742
    assert journal.units() == {"unit"}

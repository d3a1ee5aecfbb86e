"""The journal, and what its lines count towards the caps."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from arena.errors import JournalMismatch, StoreError
from arena.llm.journal import Journal


async def test_a_call_is_found_again_by_its_path_and_attempt(tmp_path: Path) -> None:
    first = Journal(tmp_path).open("unit")
    await first.append("pro/writer/1", 0, request_hash="abc", usd=0.5, answer="yes")
    first.close()
    again = Journal(tmp_path).open("unit")
    result = again.find("pro/writer/1", 0, "abc")
    assert result is not None
    assert result["answer"] == "yes"
    assert again.find("pro/writer/1", 1, "abc") is None
    again.close()


async def test_another_request_in_the_same_place_is_a_mismatch(tmp_path: Path) -> None:
    unit = Journal(tmp_path).open("unit")
    await unit.append("path", 0, request_hash="abc")
    unit.close()
    again = Journal(tmp_path).open("unit")
    with pytest.raises(JournalMismatch, match="path"):
        again.find("path", 0, "other")
    again.close()


async def test_append_returns_only_when_the_file_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []

    def sync(descriptor: int) -> None:
        synced.append(os.pread(descriptor, 10_000, 0))

    monkeypatch.setattr("arena.llm.journal._sync", sync)
    unit = Journal(tmp_path).open("unit")
    await unit.append("path", 0, request_hash="abc")
    assert synced
    assert b'"path"' in synced[-1]
    unit.close()


async def test_calls_that_end_together_are_synced_in_few_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs: list[int] = []
    monkeypatch.setattr("arena.llm.journal._sync", syncs.append)
    unit = Journal(tmp_path).open("unit")
    await asyncio.gather(*(unit.append(f"path/{n}", 0, request_hash="h") for n in range(100)))
    assert 1 <= len(syncs) <= 3
    unit.close()


async def test_a_failing_disk_reaches_whoever_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sync(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("arena.llm.journal._sync", sync)
    unit = Journal(tmp_path).open("unit")
    with pytest.raises(StoreError, match="No space"):
        await unit.append("path", 0, request_hash="h")
    unit.close()


async def test_nothing_is_written_after_the_unit_has_ended(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    unit = journal.open("unit")
    unit.close()
    other = journal.open("other")  # the system gives it the number of the closed file
    with pytest.raises(StoreError, match="its debate or ballot has ended"):
        await unit.append("path", 0, request_hash="h")
    assert other.file.read_bytes() == b""
    other.close()


async def test_a_line_cut_by_a_crash_is_a_call_that_was_not_made(tmp_path: Path) -> None:
    unit = Journal(tmp_path).open("unit")
    await unit.append("one", 0, request_hash="h")
    await unit.append("two", 0, request_hash="h")
    unit.close()
    unit.file.write_bytes(unit.file.read_bytes()[:-20])
    again = Journal(tmp_path).open("unit")
    assert again.find("one", 0, "h") is not None
    assert again.find("two", 0, "h") is None
    await again.append("two", 0, request_hash="h")
    again.close()
    last = Journal(tmp_path).open("unit")
    assert last.find("two", 0, "h") is not None
    last.close()


@pytest.mark.parametrize("damaged", ["5", "null", "[]", "{}", '{"event": "call"}', "\x00", "{"])
async def test_a_damaged_line_is_a_call_that_was_not_made(damaged: str, tmp_path: Path) -> None:
    unit = Journal(tmp_path).open("unit")
    await unit.append("one", 0, request_hash="h", usd=0.25)
    unit.close()
    with unit.file.open("a", encoding="utf-8") as file:
        file.write(f"{damaged}\n")
    again = Journal(tmp_path).open("unit")
    assert again.find("one", 0, "h") is not None
    await again.append("two", 0, request_hash="h", usd=0.5)
    again.close()
    assert Journal(tmp_path).charges_by_unit()["unit"].usd == 0.75


async def test_a_line_cut_at_any_byte_leaves_the_whole_ones_and_no_stump(tmp_path: Path) -> None:
    unit = Journal(tmp_path).open("unit")
    await unit.append("one", 0, request_hash="h")
    first = unit.file.stat().st_size
    await unit.append("two", 0, request_hash="h", answer="多语言")
    unit.close()
    content = unit.file.read_bytes()
    for size in range(len(content)):
        unit.file.write_bytes(content[:size])
        Journal(tmp_path).open("unit").close()
        whole = first if size >= first else 0
        assert unit.file.read_bytes() == content[:whole], f"cut at byte {size}"


async def test_a_line_that_the_system_takes_in_parts_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(
        "arena.llm.journal.os.write", lambda descriptor, content: write(descriptor, content[:7])
    )
    unit = Journal(tmp_path).open("unit")
    await unit.append("one", 0, request_hash="h", answer="yes")
    unit.close()
    again = Journal(tmp_path).open("unit")
    assert again.find("one", 0, "h") is not None
    again.close()


async def test_a_disk_that_is_full_within_a_line_keeps_the_lines_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, left = os.write, [150]

    def into_little_space(descriptor: int, content: bytes) -> int:
        if not left[0]:
            raise OSError(28, "No space left on device")
        written = write(descriptor, content[: left[0]])
        left[0] -= written
        return written

    unit = Journal(tmp_path).open("unit")
    await unit.append("one", 0, request_hash="h")
    before = unit.file.read_bytes()
    monkeypatch.setattr("arena.llm.journal.os.write", into_little_space)
    with pytest.raises(StoreError, match="No space"):
        await unit.append("two", 0, request_hash="h", answer="long " * 99)
    assert unit.file.read_bytes() == before
    left[0] = 1000
    await unit.append("three", 0, request_hash="h")
    unit.close()
    again = Journal(tmp_path).open("unit")
    assert again.find("two", 0, "h") is None and again.find("three", 0, "h") is not None
    again.close()


async def test_what_is_set_aside_still_counts_and_what_is_forgotten_does_not(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path)
    unit = journal.open("unit")
    await unit.append("a", 0, request_hash="h", usd=0.25)
    unit.set_aside()
    unit.close()
    fresh = journal.open("unit")
    assert fresh.find("a", 0, "another") is None
    await fresh.append("a", 0, request_hash="another", usd=0.5)
    fresh.close()
    assert journal.charges_by_unit()["unit"].usd == 0.75
    journal.forget("unit")
    assert journal.charges_by_unit()["unit"].usd == 0.25


async def test_lines_are_json_for_whoever_looks(tmp_path: Path) -> None:
    unit = Journal(tmp_path).open("unit")
    await unit.append("pfad/评", 0, request_hash="h", answer="多语言")
    unit.close()
    (line,) = unit.file.read_text("utf-8").splitlines()
    assert json.loads(line)["answer"] == "多语言"


@pytest.mark.parametrize("call", ["mkdir", "open"])
def test_a_full_disk_when_a_journal_is_opened_is_one_message(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    journal = Journal(tmp_path / "x.duckdb.journal")
    name = "arena.llm.journal.os.open" if call == "open" else "arena.llm.journal.Path.mkdir"
    monkeypatch.setattr(name, fail)
    with pytest.raises(StoreError, match="Free some space") as failed:
        journal.open("unit")
    assert "No space left on device" in str(failed.value)
    assert f"calls in {journal.folder}" in str(failed.value)


def test_a_journal_that_may_not_be_deleted_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("arena.llm.journal.Path.unlink", fail)
    with pytest.raises(StoreError, match="cannot be deleted: Permission denied"):
        Journal(tmp_path).forget("unit")


def test_a_journal_that_goes_while_all_are_read_counts_nothing(tmp_path: Path) -> None:
    # It is listed, and not there when it is read.
    (tmp_path / "stored.jsonl").symlink_to(tmp_path / "gone")
    assert Journal(tmp_path).charges_by_unit()["stored"].usd == 0.0
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(StoreError, match=r"folder\.jsonl: cannot be opened"):
        Journal(tmp_path).charges_by_unit()


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
    assert journal.charges_by_unit()["unit"].usd == 0.25 + 1.625 + 4.0
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


async def test_damaged_lines_are_counted_and_a_beginning_that_a_crash_left_is_none(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path)
    unit = journal.open("unit")
    await unit.append("a", 0, request_hash="h", usd=0.5)
    unit.close()
    file = tmp_path / "unit.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"event": "call", "path": "b"')
    assert journal.find_damaged() == {}
    file.write_bytes(whole + whole.replace(b"0.5", b'"0.5"') + b"[]\n" + b"[" * 9_999 + b"\n")
    assert journal.find_damaged() == {"unit.jsonl": 3}
    assert journal.charges_by_unit()["unit"].usd == 0.5


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
async def test_a_journal_that_is_no_file_is_one_message(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "unit.jsonl"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.mkdir()
    for use in (lambda: Journal(tmp_path).open("unit"), Journal(tmp_path).find_damaged):
        with pytest.raises(StoreError, match="cannot be opened"):
            use()

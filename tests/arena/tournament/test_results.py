"""What the runs of a tournament find out about its models, stored and read again."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias
from unittest.mock import Mock

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.errors import DatabaseGone
from arena.llm.budget import Budget
from arena.llm.journal import Journal
from arena.llm.request import LearnedMode, Usage
from arena.llm.traffic.traffic import SettledLimit
from arena.store.consistency import find_faults
from arena.store.database import Store
from arena.store.learned import read_learned, write_learned
from arena.tournament.models import Models
from arena.tournament.results import (
    ModelMemory,
    ResultWriter,
    RunObserver,
)
from tests.support.played_tournaments import copied
from tests.support.tournaments import content, planned, played

Structured: TypeAlias = Literal["schema", "object", "prompt"]
MODEL, ADDRESS = "openai/x", "http://127.0.0.1:9/v1"
CONFIGURATION = {
    "tournament": {"name": "memory", "categories": ["fact"]},
    "models": {
        MODEL: {
            "api_base": ADDRESS,
            "concurrency": 32,
            "usd_per_million": {"input": 0, "output": 0},
        }
    },
    "participants": [
        {"name": "a", "debater": "direct", "model": MODEL},
        {"name": "b", "debater": "direct", "model": "offline/good"},
    ],
    "benches": [{"name": "judge", "judge": "debatrix", "model": "offline/good"}],
}


def test_what_is_found_out_again_replaces_the_earlier_row_and_its_hash(
    small_database: Path, tmp_path: Path
) -> None:
    store = Store(copied(small_database, tmp_path))
    forms: tuple[Structured, ...] = ("schema", "prompt", "prompt")
    for calls, structured in zip((8, 3, 3), forms, strict=True):
        limit = SettledLimit(model="openai/x", address="", calls=calls)
        mode = LearnedMode(model="openai/x", address="", structured=structured)
        store.write(partial(write_learned, tournament="small", learned=[limit]))
        store.write(partial(write_learned, tournament="small", learned=[mode]))
        assert read_learned(store, "small", SettledLimit) == [limit]
        assert mode in read_learned(store, "small", LearnedMode)
        assert list(map(str, find_faults(store))) == []


def models(**changes: object) -> Models:
    tables = {MODEL: {**CONFIGURATION["models"][MODEL], **changes}}  # type: ignore[index]
    resolved = resolve(parse_config({**CONFIGURATION, "models": tables}, where="x"), where="x")
    return Models(resolved.config, resolved.motions, budget=Budget())


async def answer(used: Models, model: str) -> None:
    """One quick answer, which opens the limit."""
    for _ in range(2):
        async with used.gate(model).open(), used.gate(model).open(), used.gate(model).open():
            async with used.gate(model).open() as permit:
                permit.usage = Usage(input_tokens=10, output_tokens=10)


async def test_the_calls_at_once_are_where_the_last_run_left_them(tmp_path: Path) -> None:
    store, first = Store(tmp_path / "memory.duckdb"), models()
    async with ModelMemory(store, "memory", first):
        assert first.gate(MODEL).limit == 4
        await answer(first, MODEL)
        await answer(first, "offline/good")
    expected = SettledLimit(model=MODEL, address=ADDRESS, calls=32)
    assert read_learned(store, "memory", SettledLimit) == [expected], "nothing of simulated models"
    for changes, limit in (
        ({}, 32),
        ({"concurrency": 8}, 8),
        ({"api_base": "http://127.0.0.1:8/v1"}, 4),
    ):
        later = models(**changes)
        async with ModelMemory(store, "memory", later):
            assert later.gate(MODEL).limit == limit


async def test_of_several_runs_the_last_one_counts(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.duckdb")
    for calls in (7, 23):
        settled = SettledLimit(model=MODEL, address=ADDRESS, calls=calls)
        store.write(partial(write_learned, tournament="memory", learned=[settled]))
    assert read_learned(store, "another", SettledLimit) == []
    for most, limit in ((64, 23), (10, 10)):  # what the file says comes first
        later = models(concurrency=most)
        later.remember_limits(read_learned(store, "memory", SettledLimit))
        assert later.gate(MODEL).limit == limit


def test_a_model_that_never_answered_has_settled_on_nothing() -> None:
    used = models()
    used.gate(MODEL)
    assert used.settled_limits() == []


async def test_nothing_found_out_is_nothing_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.duckdb")
    async with ModelMemory(store, "memory", models()):
        pass
    assert not store.exists()


async def test_results_go_into_no_database_that_does_not_hold_their_debates(
    tmp_path: Path,
) -> None:
    own, plan = planned(tmp_path / "own.duckdb")
    other, _ = planned(tmp_path / "other.duckdb", content("dan", "eve"))
    for store, is_gone in ((own, False), (other, True)):
        memory = ModelMemory(store, "small", models())
        results = ResultWriter(store, Journal(tmp_path / "journal"), memory, Mock(spec=RunObserver))
        before = store.rows("SELECT * FROM debates ORDER BY debate_id")
        debate = played(plan.debates[0])
        if is_gone:
            with pytest.raises(DatabaseGone, match="moved, removed or replaced"):
                await results.keep_debate(debate)
            assert store.rows("SELECT * FROM debates ORDER BY debate_id") == before
        else:
            await results.keep_debate(debate)
        assert results.tally.finished == (not is_gone)


async def test_a_journal_that_cannot_be_deleted_fails_no_batch(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    first, second = plan.debates[:2]
    journal = Journal(tmp_path / "journal")
    (journal.folder / f"{first.debate_id}.jsonl").mkdir(parents=True)  # no file: not deleted
    other = journal.folder / f"{second.debate_id}.jsonl"
    other.write_text("")
    observer = Mock(spec=RunObserver)
    results = ResultWriter(store, journal, ModelMemory(store, "small", models()), observer)
    await asyncio.gather(*(results.keep_debate(played(each)) for each in (first, second)))
    assert results.tally.finished == 2 and not other.exists()
    observer.note.assert_not_called()
    await results.close()
    ((text,), _) = observer.note.call_args
    assert "cannot be deleted" in text and first.debate_id in text

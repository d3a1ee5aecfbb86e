"""The bytes that a unit leaves: a journal of an earlier version must go on resuming a unit."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from arena.llm.request import Completion, Embeddings, Request, Schema, Usage
from arena.llm.session import CallSession
from arena.prompts import Message
from arena.records import Sampling
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend, unit, unit_journal

_REQUEST = Request(
    model="m",
    messages=(Message(role="user", text="Grüße"),),
    task="t",
    schema=Schema(name="Form", body={"type": "object"}),
    sampling=Sampling(max_tokens=10),
    path="pro/writer/1",
    attempt=1,
    seed=7,
    prompt_hash="p",
)
_JOURNAL = """\
{"event": "start", "path": "pro/writer/1", "attempt": 1, "usd": 0.67}
{"event": "call", "path": "pro/writer/1", "attempt": 1, "request_hash": "da7e058d181123e4", \
"usd": 0.05, "cost_usd": 0.05, "completion": {"text": "é", "finish_reason": "stop", \
"usage": {"input_tokens": 9, "output_tokens": 4, "cached_tokens": 3, "reasoning_tokens": 2}, \
"cost_usd": 0.05, "refusal": "", "dropped": ["top_p", "seed"]}, "seconds": 0.0, "retries": 0}
{"event": "start", "path": "embed/1", "attempt": 0, "usd": 0.2}
{"event": "call", "path": "embed/1", "attempt": 0, "request_hash": "817eed4fc9ffbaad", \
"usd": 0.02, "cost_usd": 0.02, "usage": {"input_tokens": 5, "output_tokens": 0, \
"cached_tokens": 0, "reasoning_tokens": 0}, "vectors": {"shape": [1, 2], "f4": "AAAAPwAAAEA="}, \
"seconds": 0.0, "retries": 0}
{"event": "call", "path": "pro/search/1", "attempt": 0, "request_hash": "6ac7a7132d738cf1", \
"found": [{"origin": "o", "excerpt": "e"}], "failure": ""}
{"event": "call", "path": "pro/search/2", "attempt": 0, "request_hash": "26745185b61dc8b0", \
"found": [], "failure": "KeyError: 'results'"}
"""
_EXCHANGES = (
    '[{"path": "embed/1", "attempt": 0, "model": "e", "messages": [["user", "text"]], '
    '"answer": "1 vectors of 2 dimensions"}, {"path": "pro/writer/1", "attempt": 1, '
    '"model": "m", "seed": 7, "messages": [["user", "Grüße"]], "answer": "é", '
    '"dropped": ["top_p", "seed"]}]'
)
_COLUMNS = (
    "path attempt task prompt_hash model input_tokens output_tokens cached_tokens reasoning_tokens "
    "cost_usd seconds retries finish_reason dropped structured served_model fingerprint "
    "reserved_usd reserved_tokens bent estimated"
).split()
_ROWS = (
    ("pro/writer/1", 1, "t", "p", "m", 9, 4, 3, 2, 0.05, 0.0, 0, "stop", "top_p, seed")
    + ("", "", "", 0.0, 0, "", False),
    ("embed/1", 0, "embed", "", "e", 5, 0, 0, 0, 0.02, 0.0, 0, "stop", "")
    + ("", "", "", 0.0, 0, "", False),
)


class _Backend(ScriptedBackend):
    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        usage = Usage(input_tokens=5, output_tokens=0)
        return Embeddings(vectors=np.array([[0.5, 2.0]]), usage=usage, cost_usd=0.02)


def _answer(_: Request) -> Completion:
    usage = Usage(input_tokens=9, output_tokens=4, cached_tokens=3, reasoning_tokens=2)
    return Completion(
        text="é", finish_reason="stop", usage=usage, cost_usd=0.05, dropped=("top_p", "seed")
    )


class _NoBackend(ScriptedBackend):
    async def complete(self, request: Request) -> Completion:
        raise AssertionError("the journal has it")

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise AssertionError("the journal has it")


async def _work(session: CallSession) -> None:
    async def find() -> list[dict[str, str]]:
        return [{"origin": "o", "excerpt": "e"}]

    async def fail() -> list[dict[str, str]]:
        raise KeyError("results")

    completion = await session.call(_REQUEST)
    assert completion == _answer(_REQUEST)
    vectors = await session.embed(["text"], model="e", path="embed/1")
    assert vectors.tolist() == [[0.5, 2.0]]
    results = await session.search("query", path="pro/search/1", find=find)
    assert results == ([{"origin": "o", "excerpt": "e"}], "")
    results = await session.search("again", path="pro/search/2", find=fail)
    assert results == ([], "KeyError: 'results'")


def _check_records(session: CallSession) -> None:
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in _ROWS]
    assert [asdict(call) for call in session.calls] == rows
    assert zlib.decompress(session.exchanges()).decode() == _EXCHANGES
    assert session.failed_searches == ["KeyError: 'results'"]


async def test_the_journal_is_written_as_it_always_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.llm.calls.time", SimpleNamespace(monotonic=lambda: 1.0))
    session = unit(ScriptedAccess(_Backend(_answer, price=(0.01, 0.01))), tmp_path)
    await _work(session)
    assert unit_journal(session).file.read_text("utf-8") == _JOURNAL
    _check_records(session)
    session.journal.close()


@pytest.mark.parametrize("journal", [_JOURNAL, _JOURNAL.replace(', "failure": ""', "")])
async def test_a_journal_of_an_earlier_version_resumes_its_unit(
    journal: str, tmp_path: Path
) -> None:
    (tmp_path / "unit.jsonl").write_text(journal, "utf-8")
    session = unit(ScriptedAccess(_NoBackend(_answer)), tmp_path)
    await _work(session)
    assert unit_journal(session).file.read_text("utf-8") == journal
    _check_records(session)
    session.journal.close()

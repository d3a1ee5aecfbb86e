"""An answer that repeats a key of ours is stored, and used, without it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from arena.llm.answer_keys import without_keys
from arena.llm.journal import Journal
from arena.llm.request import Request
from arena.prompts import Message
from tests.scripted import ScriptedAccess, ScriptedBackend, completion, unit

_KEY = "sk-5f2c9e71d0"


def test_configured_keys_and_those_of_the_environment_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OWN_API_KEY", _KEY)
    assert without_keys(completion(f"My key is {_KEY}."), []).text == "My key is [key]."
    assert without_keys(completion("It is other-key-1."), ["other-key-1"]).text == "It is [key]."


def test_short_values_are_words_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_API_KEY", "none")
    answer = completion("There is none.")
    assert without_keys(answer, ["local"]) is answer


def test_the_journal_and_the_caller_get_the_answer_without_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OWN_API_KEY", _KEY)
    session = unit(ScriptedAccess(ScriptedBackend(lambda _: f"{_KEY} it is")), tmp_path)
    request = Request(
        model="m", messages=(Message(role="user", text="Hello"),), task="t", path="a", seed=1
    )
    assert asyncio.run(session.call(request)).text == "[key] it is"
    (file,) = Journal(tmp_path).folder.glob("*.jsonl")
    assert _KEY not in file.read_text("utf-8")
    assert _KEY not in json.dumps(session._exchanges)

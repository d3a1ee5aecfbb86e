"""The arguments of calls, and how models are asked for structured answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import shipped_configs
from arena.errors import InfrastructureFault
from arena.llm.parameters import FormNegotiation, FormRefused, Send
from arena.llm.request import Completion, FinishReason, Schema
from arena.llm.settings import ModelSettings
from arena.records import Structured
from arena.store.database import Store
from tests.servers.connected import connected, request
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.servers.strict import Refusal, Rejected
from tests.support.command_line import arena, done
from tests.support.scripted_backend import completion

pytestmark = pytest.mark.usefixtures("no_stored_boards")


@pytest.mark.parametrize("refusal", ["param", "message", "detail"])
async def test_refused_parameter_is_left_out_and_remembered(refusal: Refusal) -> None:
    refused = ServerSettings(
        models=(), refused_parameters=frozenset({"top_p", "seed"}), refusal=refusal
    )
    async with connected(refused) as (backend, server):
        first = await backend.complete(request())
        assert server.ledger.http_requests == 3
        second = await backend.complete(request())
        assert server.ledger.http_requests == 4
    assert first.dropped == second.dropped == ("top_p", "seed")
    assert server.ledger.last_body["temperature"] == 0.2


async def test_token_limit_goes_by_its_newer_name_where_it_must() -> None:
    def answer(body: Mapping[str, Any]) -> str:
        if "max_tokens" in body:
            raise Rejected("Use 'max_completion_tokens' instead.", param="max_tokens")
        return "Fine."

    async with connected(answer=answer) as (backend, server):
        completion = await backend.complete(request())
    assert completion.dropped == ()
    assert server.ledger.last_body["max_completion_tokens"] == 64


@pytest.mark.parametrize(
    ("model", "dropped"), [("openai/o3-mini", ("top_p",)), ("openai/gpt-5", ("top_p",))]
)
async def test_what_litellm_knows_to_be_refused_is_not_sent(
    model: str, dropped: tuple[str, ...]
) -> None:
    async with connected(models={model: ModelSettings()}) as (backend, server):
        completion = await backend.complete(request(model))
    assert set(dropped) <= set(completion.dropped) <= {"top_p", "temperature", "seed"}
    assert server.ledger.http_requests == 1
    assert server.ledger.last_body["max_completion_tokens"] == 64


def _tournament(folder: Path) -> Path:
    text = shipped_configs()["local"].replace("matchups_per_pair = 2", "matchups_per_pair = 1")
    parts = text.replace("runs = 3", "runs = 1").split("[[participants]]")
    direct = parts[-1].split("[[benches]]")[0]
    again = direct.replace('name = "direct"', 'name = "again"')
    bench = parts[-1].split("[[benches]]")[1]
    file = folder / "small.toml"
    file.write_text(
        "[[participants]]".join([parts[0], direct, again]) + "[[benches]]" + bench, "utf-8"
    )
    return file


def test_it_is_said_once_and_stands_in_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, db = _tournament(tmp_path), tmp_path / "own.duckdb"
    settings = ServerSettings(refused_parameters=frozenset({"top_p"}))
    with serving_in_thread(settings) as server:
        monkeypatch.setenv("ARENA_LOCAL_BASE_URL", server.url)
        checked = done("check", file, "--call")
        printed = arena("run", file, "--yes", "--db", db).output
    assert "openai/local-model as debater: answered (" in checked
    assert "does not accept top_p" in checked
    assert (
        printed.count("openai/local-model does not accept top_p, which is left out of its calls")
        == 1
    )
    rows = Store(db).rows(
        "SELECT DISTINCT dropped, task LIKE 'judge.%' AS judging FROM calls ORDER BY ALL"
    )
    # The bench's own default of top-p is the provider's: leaving it out changes nothing.
    assert rows == [{"dropped": "", "judging": True}, {"dropped": "top_p", "judging": False}]
    debate = Store(db).rows("SELECT min(debate_id) AS first FROM debates")[0]["first"]
    shown = done("show", debate, "--calls", "--db", db)
    assert shown.count("(parameters left out, because the model rejects them: top_p)") == 6


SCHEMA = Schema(name="F", body={"properties": {"a": {}, "b": {}}})


async def found(text: str, *, finish: FinishReason = "stop", refuse_schema: bool = False) -> str:
    """The mode that is learned from an answer."""
    negotiation = FormNegotiation({})

    async def send(mode: Structured) -> Completion:
        if refuse_schema and mode == "schema":
            raise FormRefused(ValueError("no"), blamed=True)
        return completion(text, finish=finish)

    await negotiation.ask("m", SCHEMA, send)
    return negotiation.learned()["m"]


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ('{"a": 1, "b": 2}', "schema"),
        ('Sure:\n```json\n{"a": 1, "b": {"c": 2}}\n```', "schema"),
        ('{"a": 1, "b": "raw\nnewline", "extra": 3}', "schema"),
        ('<think>{"x": 1}</think>{"a": 1, "b": 2}', "schema"),
        ('<think>{"a": 1, "b": 2}</think>Pro wins.', "prompt"),
        ('{"winner": "pro"}', "prompt"),
        ('{"a": 1}', "prompt"),
        ("Pro wins.", "prompt"),
        ('[{"a": 1, "b": 2}]', "schema"),
        ('{ {"a": 1, "b": 2}', "schema"),
    ],
)
async def test_an_answer_shows_whether_the_schema_is_ignored(text: str, mode: str) -> None:
    assert await found(text) == mode


async def test_any_object_will_do_where_only_an_object_was_asked_for() -> None:
    assert await found('{"winner": "pro"}', refuse_schema=True) == "object"
    assert await found("Pro wins.", refuse_schema=True) == "prompt"


@pytest.mark.parametrize(("text", "finish"), [("", "stop"), ("Well", "length"), ("No", "refusal")])
async def test_an_answer_that_ended_early_shows_nothing(text: str, finish: FinishReason) -> None:
    assert await found(text, finish=finish) == "schema"


async def test_a_later_answer_shows_it_then() -> None:
    negotiation, texts = FormNegotiation({}), ["", "", "Pro wins.", "Pro wins."]
    modes: list[Structured] = []

    async def send(mode: Structured) -> Completion:
        modes.append(mode)
        return completion(texts[len(modes) - 1])

    for _ in texts:
        await negotiation.ask("m", SCHEMA, send)
    assert modes == ["schema", "schema", "schema", "prompt"]


async def test_one_call_finds_the_mode_while_the_others_wait() -> None:
    negotiation, under_way, most = FormNegotiation({}), 0, [0, 0]
    release = asyncio.Event()

    async def send(mode: Structured) -> Completion:
        nonlocal under_way
        under_way += 1
        most[release.is_set()] = max(most[release.is_set()], under_way)
        await release.wait()
        under_way -= 1
        return completion('{"a": 1, "b": 2}')

    calls = [asyncio.create_task(negotiation.ask("m", SCHEMA, send)) for _ in range(5)]
    other = asyncio.create_task(negotiation.ask("n", SCHEMA, send))
    for _ in range(10):
        await asyncio.sleep(0)
    assert most[0] == 2, "one of each model"
    release.set()
    await asyncio.gather(*calls, other)
    assert negotiation.learned() == {"m": "schema", "n": "schema"}


def failing_once(error: Exception) -> Send:
    """Fail in the first call, and answer the others."""
    errors = [error]

    async def send(mode: Structured) -> Completion:
        await asyncio.sleep(0)
        if errors:
            raise errors.pop()
        return completion('{"a": 1, "b": 2}')

    return send


async def test_another_call_goes_on_where_the_first_one_failed() -> None:
    negotiation, send = FormNegotiation({}), failing_once(ConnectionError())
    calls = [negotiation.ask("m", SCHEMA, send) for _ in range(3)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(result, ConnectionError) for result in results) == 1
    assert sum(isinstance(result, Completion) for result in results) == 2
    assert negotiation.learned() == {"m": "schema"}


async def test_calls_do_not_wait_for_a_silent_server_one_after_the_other() -> None:
    negotiation, send = FormNegotiation({}), failing_once(TimeoutError())
    calls = [negotiation.ask("m", SCHEMA, send) for _ in range(4)]
    first, *others = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(first, TimeoutError)
    for other in others:
        assert isinstance(other, InfrastructureFault), "none of them was sent"
        assert other.billed_usd == 0.0
    await negotiation.ask("m", SCHEMA, send)
    assert negotiation.learned() == {"m": "schema"}


async def test_the_reason_is_reported_once_the_form_is_out_of_the_way() -> None:
    async def send(mode: Structured) -> Completion:
        if mode == "prompt":
            raise ValueError("the reason")
        raise FormRefused(ValueError(mode), blamed=True)

    with pytest.raises(ValueError, match="the reason"):
        await FormNegotiation({}).ask("m", SCHEMA, send)

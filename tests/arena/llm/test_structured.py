"""The finding of a model's mode, without a network."""

from __future__ import annotations

import asyncio

import pytest

from arena.errors import InfrastructureFault
from arena.llm.request import Completion, FinishReason, Schema, Structured
from arena.llm.structured import FormNegotiation, FormRefused
from tests.scripted import completion

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


async def test_another_call_goes_on_where_the_first_one_failed() -> None:
    negotiation, sent = FormNegotiation({}), 0

    async def send(mode: Structured) -> Completion:
        nonlocal sent
        sent += 1
        if sent == 1:
            raise ConnectionError
        return completion('{"a": 1, "b": 2}')

    calls = [negotiation.ask("m", SCHEMA, send) for _ in range(3)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(result, ConnectionError) for result in results) == 1
    assert negotiation.learned() == {"m": "schema"}


async def test_calls_do_not_wait_for_a_silent_server_one_after_the_other() -> None:
    negotiation, sent = FormNegotiation({}), 0

    async def send(mode: Structured) -> Completion:
        nonlocal sent
        sent += 1
        await asyncio.sleep(0)
        if sent == 1:
            raise TimeoutError
        return completion('{"a": 1, "b": 2}')

    calls = [negotiation.ask("m", SCHEMA, send) for _ in range(4)]
    first, *others = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(first, TimeoutError)
    for other in others:
        assert isinstance(other, InfrastructureFault)
        assert other.billed_usd == 0.0
    assert sent == 1
    await negotiation.ask("m", SCHEMA, send)
    assert negotiation.learned() == {"m": "schema"}


async def test_the_reason_is_reported_once_the_form_is_out_of_the_way() -> None:
    async def send(mode: Structured) -> Completion:
        if mode == "prompt":
            raise ValueError("the reason")
        raise FormRefused(ValueError(mode), blamed=True)

    with pytest.raises(ValueError, match="the reason"):
        await FormNegotiation({}).ask("m", SCHEMA, send)

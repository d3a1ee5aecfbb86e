"""Ollama's `/api/chat`, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.providers.base import KEY, Call, Failure, Reply
from tests.servers.providers.connect import (
    FORM,
    OBJECT,
    SYSTEM,
    USER,
    ask,
    check_errors,
    counted,
    outcome,
    prompt,
    usd,
)
from tests.servers.providers.ollama import Ollama
from tests.servers.threads import in_thread

MODEL = "ollama_chat/llama3.1"


@pytest.fixture(scope="module")
def running() -> Iterator[Ollama]:
    with in_thread(Ollama()) as started:
        yield started


@pytest.fixture
def server(running: Ollama) -> Ollama:
    running.thinks, running.key = True, ""
    return running


def chats(server: Ollama) -> list[Call]:
    return [call for call in server.calls if call.path == "/api/chat"]


async def test_strictness(server: Ollama) -> None:
    assert await outcome(server, "ollama_chat/other", Reply()) == ("model", None)
    server.key = "another"
    assert await outcome(server, MODEL, Reply()) == ("key", None)
    server.key = KEY
    assert await outcome(server, MODEL, Reply()) == ("stop", None)


async def test_structured_answers(server: Ollama) -> None:
    completion = await ask(server, prompt(MODEL, schema=True), Reply(text=OBJECT))
    assert server.body["format"] == FORM
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert (completion.served_model, completion.fingerprint) == ("llama3.1", "")


async def test_usage_and_cost(server: Ollama) -> None:
    completion = await ask(server, MODEL)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == 0.0
    completion = await ask(server, MODEL, usd_per_million=(0.1, 0.2))
    assert completion.cost_usd == pytest.approx(usd((2000, 0.1), (300, 0.2)))
    options = server.body["options"]
    assert options | {"seed": 7, "num_predict": 512, "temperature": 0.2, "top_p": 0.75} == options


async def test_thinking(server: Ollama) -> None:
    request = prompt(MODEL, reasoning_effort="low")
    reply = Reply(thinking="First, cars are loud.", thinking_tokens=700)
    completion = await ask(server, request, reply)
    assert server.body["think"] is True
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 0))
    old = Reply(text="<think>First, cars are loud.</think>Understood.")
    assert (await ask(server, MODEL, old)).text == "Understood."
    server.thinks = False
    completion = await ask(server, request)
    assert completion.dropped == ("reasoning_effort",)


async def test_cut_off(server: Ollama) -> None:
    for text in ("Cities sh", ""):
        reply = Reply(text=text, thinking="" if text else "First, cars", end="length")
        completion = await ask(server, MODEL, reply)
        assert (completion.finish_reason, completion.text) == ("length", text)


async def test_errors(server: Ollama) -> None:
    def error(status: int, message: str) -> Failure:
        return server.error(status, message)

    busy = "server busy, please try again.  maximum pending requests exceeded"
    cases = {
        "model": (error(404, "model 'llama9' not found"), ("model", None)),
        "cloud": (error(401, "unauthorized"), ("key", None)),
        "limit of the cloud": (
            error(429, "you've reached your hourly usage limit"),
            ("rate_limit", None),
        ),
        "memory": (
            error(500, "model requires more system memory (12.0 GiB) than is available (7.7 GiB)"),
            ("failed", None),
        ),
        "crash": (error(500, "llama runner process has terminated: exit 2"), ("failed", None)),
        "busy": (error(503, busy), ("unavailable", None)),
        "long": (
            error(400, "the input length exceeds the context length"),
            ("PromptTooLong", None),
        ),
    }
    await check_errors(server, prompt(MODEL, schema=True), cases)


async def test_prompt_caching(server: Ollama) -> None:
    await ask(server, MODEL)  # it keeps the prompt's beginning by itself, and never says so
    texts = [(message["role"], message["content"]) for message in server.body["messages"]]
    assert texts == [("system", SYSTEM), ("user", USER)]
    assert server.body["stream"] is False
    assert len(chats(server)) == len(server.calls) == 1

"""vLLM's OpenAI-compatible server, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.llm.request import Completion, Request
from tests.servers.providers.base import Failure, Reply
from tests.servers.providers.connect import (
    OBJECT,
    OPENAI_FORMAT,
    SYSTEM,
    USER,
    ask,
    check_errors,
    counted,
    outcome,
    prompt,
    usd,
)
from tests.servers.providers.vllm import VLLM
from tests.servers.threads import in_thread

MODEL = "hosted_vllm/Qwen/Qwen3-8B"
PRICE: dict[str, Any] = {"usd_per_million": (0.1, 0.4), "cached_usd_per_million": 0.02}


@pytest.fixture(scope="module")
def running() -> Iterator[VLLM]:
    with in_thread(VLLM()) as started:
        yield started


@pytest.fixture
def server(running: VLLM) -> VLLM:
    running.field, running.details = "reasoning_content", True
    return running


async def asked(server: VLLM, request: Request | str, reply: Reply | None = None) -> Completion:
    return await ask(server, request, reply, **PRICE)


async def test_strictness(server: VLLM) -> None:
    assert await outcome(server, MODEL, Reply(), api_key="other", **PRICE) == ("key", None)
    other = "hosted_vllm/other"
    assert await outcome(server, other, Reply(), **PRICE) == ("model", None)
    wrong = prompt(MODEL, extra_body={"top_k": -5})
    assert await outcome(server, wrong, Reply(), **PRICE) == ("final", None)
    unknown = prompt(MODEL, extra_body={"min_tokens_": 3})
    assert await outcome(server, unknown, Reply(), **PRICE) == ("stop", None)


async def test_structured_answers(server: VLLM) -> None:
    completion = await asked(server, prompt(MODEL, schema=True), Reply(text=OBJECT))
    assert server.body["response_format"] == OPENAI_FORMAT
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert (completion.served_model, completion.fingerprint) == ("Qwen/Qwen3-8B", "")


async def test_usage_and_cost(server: VLLM) -> None:
    completion = await asked(server, MODEL)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, 0.1), (300, 0.4)))


async def test_cached_tokens(server: VLLM) -> None:
    completion = await asked(server, MODEL, Reply(cached_tokens=1536))
    assert counted(completion) == (2000, 1536, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((464, 0.1), (1536, 0.02), (300, 0.4)))
    server.details = False
    completion = await asked(server, MODEL, Reply(cached_tokens=1536))
    assert counted(completion) == (2000, 0, 300, 0)


async def test_thinking(server: VLLM) -> None:
    request = prompt(MODEL, reasoning_effort="low")
    for field in ("reasoning_content", "reasoning"):
        server.field = field
        reply = Reply(thinking="First, cars are loud.", thinking_tokens=700)
        completion = await asked(server, request, reply)
        assert server.body["reasoning_effort"] == "low"
        assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 0))
        assert completion.cost_usd == pytest.approx(usd((2000, 0.1), (1000, 0.4)))


async def test_cut_off(server: VLLM) -> None:
    for text in ("Cities sh", ""):
        completion = await asked(server, MODEL, Reply(text=text, thinking="First", end="length"))
        assert (completion.finish_reason, completion.text) == ("length", text)


async def test_errors(server: VLLM) -> None:
    old = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"
    new = (
        "You passed 1015 input tokens and requested 10 output tokens. However, the model's "
        "context length is only 1024 tokens, resulting in a maximum input length of 1014 tokens. "
        "Please reduce the length of the input prompt. (parameter=input_tokens, value=1015)"
    )
    ended = server.error(500, "EngineCore encountered an issue.", kind="InternalServerError")
    cases: dict[str, tuple[Failure | Reply, tuple[str, float | None]]] = {
        "key": (Failure(status=401, body={"error": "Unauthorized"}), ("key", None)),
        "server": (ended, ("failed", None)),
        "starting": (Failure(status=503, body=""), ("unavailable", None)),
        "aborted": (Reply(end="abort"), ("failed", None)),
        "long": (server.invalid(old), ("PromptTooLong", None)),
        "longer": (server.invalid(new, "input_tokens"), ("PromptTooLong", None)),
    }
    await check_errors(server, prompt(MODEL, schema=True), cases, **PRICE)


async def test_prompt_caching(server: VLLM) -> None:
    await asked(server, MODEL)  # it caches by itself
    assert server.body["messages"] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": USER},
    ]

"""DeepSeek's Chat Completions, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.providers.base import Failure, Reply
from tests.servers.providers.connect import (
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
from tests.servers.providers.deepseek import DeepSeek
from tests.servers.threads import in_thread

MODEL = "deepseek/deepseek-chat"


@pytest.fixture(scope="module")
def server() -> Iterator[DeepSeek]:
    with in_thread(DeepSeek()) as running:
        yield running


async def test_strictness(server: DeepSeek) -> None:
    assert await outcome(server, MODEL, Reply(), api_key="other") == ("key", None)
    assert await outcome(server, "deepseek/deepseek-reasoner", Reply()) == ("model", None)
    wrong = prompt(MODEL, extra_body={"thinking": {"type": "maybe"}})
    assert await outcome(server, wrong, Reply()) == ("final", None)


async def test_structured_answers(server: DeepSeek) -> None:
    asked = prompt(MODEL, schema=True, system="Answer in JSON.")
    completion = await ask(server, asked, Reply(text=OBJECT))
    kinds = [call.body["response_format"]["type"] for call in server.calls]
    assert kinds == ["json_schema", "json_object"]
    assert (completion.text, completion.structured) == (OBJECT, "object")
    assert (completion.served_model, completion.fingerprint) == ("deepseek-chat", "fp_44")


async def test_usage_and_cost(server: DeepSeek) -> None:
    completion = await ask(server, MODEL)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, 0.28), (300, 0.42)))


async def test_cached_tokens(server: DeepSeek) -> None:
    completion = await ask(server, MODEL, Reply(cached_tokens=1536))
    assert counted(completion) == (2000, 1536, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((464, 0.28), (1536, 0.028), (300, 0.42)))


async def test_thinking(server: DeepSeek) -> None:
    request = prompt(MODEL, reasoning_effort="low")
    reply = Reply(thinking="First, cars are loud.", thinking_tokens=700, cached_tokens=1536)
    completion = await ask(server, request, reply)
    assert server.body["thinking"] == {"type": "enabled"}
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 1536, 1000, 700))
    assert completion.cost_usd == pytest.approx(usd((464, 0.28), (1536, 0.028), (1000, 0.42)))


async def test_refusal(server: DeepSeek) -> None:
    completion = await ask(server, MODEL, Reply(text="Cities", end="content_filter"))
    assert completion.finish_reason == "refusal"


async def test_cut_off(server: DeepSeek) -> None:
    for text in ("Cities sh", ""):
        completion = await ask(server, MODEL, Reply(text=text, thinking="First", end="length"))
        assert (completion.finish_reason, completion.text) == ("length", text)


async def test_filter(server: DeepSeek) -> None:
    completion = await ask(
        server, prompt(MODEL, schema=True), server.fault(400, "Content Exists Risk")
    )
    assert (completion.finish_reason, completion.cost_usd) == ("refusal", 0.0)


async def test_errors(server: DeepSeek) -> None:
    long = "This model's maximum context length is 131072 tokens. However, you requested 140000"
    cases: dict[str, tuple[Failure | Reply, tuple[str, float | None]]] = {
        "balance": (server.fault(402, "Insufficient Balance", "unknown_error"), ("quota", None)),
        "model": (server.fault(400, "Model Not Exist"), ("model", None)),
        "rate": (server.fault(429, "Rate limit reached", "rate_limit_error"), ("rate_limit", None)),
        "server": (server.fault(500, "Internal error", "server_error"), ("failed", None)),
        "overloaded": (
            server.fault(503, "Service is too busy.", "service_unavailable_error"),
            ("unavailable", None),
        ),
        "broken off": (Reply(end="insufficient_system_resource"), ("failed", None)),
        "long": (server.fault(400, long), ("PromptTooLong", None)),
    }
    await check_errors(server, prompt(MODEL), cases)


async def test_prompt_caching(server: DeepSeek) -> None:
    await ask(server, MODEL)  # it caches by itself
    assert server.body["messages"] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": USER},
    ]

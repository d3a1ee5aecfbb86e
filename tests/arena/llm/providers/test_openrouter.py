"""OpenRouter's Chat Completions, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.providers.base import Failure, Reply
from tests.servers.providers.connect import (
    OBJECT,
    OPENAI_FORMAT,
    ask,
    check_errors,
    counted,
    outcome,
    prompt,
    usd,
)
from tests.servers.providers.openrouter import OpenRouter
from tests.servers.threads import in_thread

MODEL = "openrouter/anthropic/claude-sonnet-4.5"
PRICE: dict[str, Any] = {"usd_per_million": (3.0, 15.0), "cached_usd_per_million": 0.3}


@pytest.fixture(scope="module")
def server() -> Iterator[OpenRouter]:
    with in_thread(OpenRouter()) as running:
        yield running


async def test_strictness(server: OpenRouter) -> None:
    assert await outcome(server, MODEL, Reply(), api_key="other", **PRICE) == ("key", None)
    other = "openrouter/anthropic/claude-0"
    assert await outcome(server, other, Reply(), **PRICE) == ("model", None)
    wrong = prompt(MODEL, extra_body={"top_k": -5})
    assert await outcome(server, wrong, Reply(), **PRICE) == ("final", None)


async def test_structured_answers(server: OpenRouter) -> None:
    completion = await ask(server, prompt(MODEL, schema=True), Reply(text=OBJECT), **PRICE)
    assert server.body["response_format"] == OPENAI_FORMAT
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert completion.served_model == "anthropic/claude-sonnet-4.5"
    assert completion.fingerprint == ""


async def test_usage_and_cost(server: OpenRouter) -> None:
    completion = await ask(server, MODEL, **PRICE)
    assert server.body["usage"] == {"include": True}
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, 3.0), (300, 15.0)))


async def test_cached_tokens(server: OpenRouter) -> None:
    completion = await ask(server, MODEL, Reply(cached_tokens=1536), **PRICE)
    assert counted(completion) == (2000, 1536, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((464, 3.0), (1536, 0.3), (300, 15.0)))


async def test_thinking(server: OpenRouter) -> None:
    request = prompt(MODEL, reasoning_effort="low")
    reply = Reply(thinking="First, cars are loud.", thinking_tokens=700)
    completion = await ask(server, request, reply, **PRICE)
    assert server.body["reasoning_effort"] == "low"
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 700))
    assert completion.cost_usd == pytest.approx(usd((2000, 3.0), (1000, 15.0)))


async def test_refusal(server: OpenRouter) -> None:
    completion = await ask(server, MODEL, Reply(text="", refusal="I can't."), **PRICE)
    assert (completion.finish_reason, completion.refusal) == ("refusal", "I can't.")
    completion = await ask(server, MODEL, Reply(text="", end="content_filter"), **PRICE)
    assert completion.finish_reason == "refusal"


async def test_cut_off(server: OpenRouter) -> None:
    for text in ("Cities sh", ""):
        completion = await ask(server, MODEL, Reply(text=text, end="length"), **PRICE)
        assert (completion.finish_reason, completion.text) == ("length", text)


async def test_filter(server: OpenRouter) -> None:
    flagged = server.fault(
        403,
        "anthropic/claude-sonnet-4.5 requires moderation on OpenRouter. Your input was flagged "
        'for "harassment". No credits were charged.',
        reasons=["harassment"],
        flagged_input="Should cities",
        provider_name="Anthropic",
    )
    completion = await ask(server, prompt(MODEL, schema=True), flagged, **PRICE)
    assert (completion.finish_reason, completion.cost_usd) == ("refusal", 0.0)
    assert len(server.calls) == 1


async def test_errors(server: OpenRouter) -> None:
    more = "This request requires more credits, or fewer max_tokens. You requested up to 4096"
    long = "This endpoint's maximum context length is 163840 tokens. However, you requested about"
    raw = "z-ai/glm-5 is temporarily rate-limited upstream. Please retry shortly."
    cases: dict[str, tuple[Failure | Reply, tuple[str, float | None]]] = {
        "key": (server.fault(401, "No auth credentials found"), ("key", None)),
        "limit of the key": (server.fault(403, "Key limit exceeded"), ("key", None)),
        "credit": (server.fault(402, more), ("quota", None)),
        "credit in flight": (
            server.fault(402, "In-flight budget", after="5"),
            ("rate_limit", 5.0),
        ),
        "model": (server.fault(404, "No endpoints found for a/b."), ("model", None)),
        "rate": (
            server.fault(429, "Provider returned error", after="7", raw=raw, provider_name="Z"),
            ("rate_limit", 7.0),
        ),
        "slow": (server.fault(408, "Request timed out"), ("timeout", None)),
        "down": (server.fault(502, "Provider returned error"), ("unavailable", None)),
        "nobody": (server.fault(503, "No available model provider"), ("unavailable", None)),
        "inside": (server.inside(502, "Provider returned error"), ("unavailable", None)),
        "inside, rate": (server.inside(429, "Rate limited upstream"), ("rate_limit", None)),
        "broken off": (Reply(text="Cities sh", end="error"), ("failed", None)),
        "long": (server.fault(400, long), ("PromptTooLong", None)),
    }
    await check_errors(server, prompt(MODEL, schema=True), cases, **PRICE)


async def test_words_of_the_provider_behind_are_read(server: OpenRouter) -> None:
    raw = '{"error": {"message": "temperature is not supported with this model"}}'
    refused = server.fault(400, "Provider returned error", raw=raw, provider_name="OpenAI")
    assert await outcome(server, MODEL, refused, **PRICE) == ("final", None)
    assert "temperature" in server.calls[0].body
    assert "temperature" not in server.body  # it was left out, in vain


async def test_prompt_caching(server: OpenRouter) -> None:
    long = prompt(MODEL, system="The rules of the debate. " * 200)
    await ask(server, long, **PRICE)  # the price of writing is not known, so nothing is marked
    assert [message["role"] for message in server.body["messages"]] == ["system", "user"]
    assert "cache_control" not in str(server.body)

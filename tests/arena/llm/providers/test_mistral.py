"""Mistral's Chat Completions, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.llm.litellm_backend import LiteLLMBackend
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
from tests.servers.providers.mistral import Mistral
from tests.servers.threads import in_thread

MODEL = "mistral/magistral-medium-latest"
#: USD per million of input and of output, by LiteLLM's list.
PRICE = (1.5, 7.5)


@pytest.fixture(scope="module")
def server() -> Iterator[Mistral]:
    with in_thread(Mistral()) as running:
        yield running


async def test_strictness(server: Mistral) -> None:
    assert await outcome(server, MODEL, Reply(), api_key="other") == ("key", None)
    assert await outcome(server, "mistral/mistral-large-latest", Reply()) == ("model", None)
    unknown = prompt(MODEL, extra_body={"top_k": 4})
    assert await outcome(server, unknown, Reply()) == ("final", None)
    assert len(server.calls) == 1


async def test_structured_answers(server: Mistral) -> None:
    completion = await ask(server, prompt(MODEL, schema=True), Reply(text=OBJECT))
    assert server.body["response_format"] == OPENAI_FORMAT
    assert server.body["random_seed"] == 7
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert (completion.served_model, completion.fingerprint) == ("magistral-medium-latest", "")


async def test_seed_survives_further_fields(server: Mistral) -> None:
    completion = await ask(server, prompt(MODEL, extra_body={"safe_prompt": True}))
    assert completion.dropped == ()
    assert (server.body["random_seed"], server.body["safe_prompt"]) == (7, True)


async def test_usage_and_cost(server: Mistral) -> None:
    assert LiteLLMBackend({}).price(MODEL) == pytest.approx([each / 1e6 for each in PRICE])
    completion = await ask(server, MODEL)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, PRICE[0]), (300, PRICE[1])))


async def test_cached_tokens(server: Mistral) -> None:
    reply = Reply(cached_tokens=1536)
    completion = await ask(server, MODEL, reply, usd_per_million=PRICE, cached_usd_per_million=0.2)
    assert counted(completion) == (2000, 1536, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((464, 1.5), (1536, 0.2), (300, 7.5)))


async def test_thinking(server: Mistral) -> None:
    reply = Reply(thinking="First, cars are loud.", thinking_tokens=700)
    completion = await ask(server, MODEL, reply)
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 0))
    assert completion.cost_usd == pytest.approx(usd((2000, PRICE[0]), (1000, PRICE[1])))


async def test_cut_off(server: Mistral) -> None:
    for end in ("length", "model_length"):
        completion = await ask(server, MODEL, Reply(text="Cities sh", end=end))
        assert (completion.finish_reason, completion.text) == ("length", "Cities sh")
        silent = Reply(text="", thinking="First, cars", end=end)
        completion = await ask(server, MODEL, silent)
        assert (completion.finish_reason, completion.text) == ("length", "")


async def test_errors(server: Mistral) -> None:
    long = "Prompt contains 45112 tokens, too large for model with 40960 maximum context length"
    tier = "Service tier capacity exceeded for this model."
    cases: dict[str, tuple[Failure | Reply, tuple[str, float | None]]] = {
        "key": (Failure(status=401, body={"detail": "Unauthorized"}), ("key", None)),
        "plan": (server.fault(402, "Payment required", "billing"), ("quota", None)),
        "forbidden": (server.fault(403, "Access denied", "forbidden"), ("key", None)),
        "model": (server.fault(400, "Invalid model: m", "invalid_model", "1500"), ("model", None)),
        "rate": (
            server.fault(429, "Rate limit exceeded", "rate_limited", "1300", after="7"),
            ("rate_limit", 7.0),
        ),
        "tier": (
            server.fault(429, tier, "service_tier_capacity_exceeded", "3505"),
            ("rate_limit", None),
        ),
        "server": (
            server.fault(500, "Internal server error", "internal_server_error", "1000"),
            ("failed", None),
        ),
        "overloaded": (
            server.fault(503, "Overloaded", "unreachable_backend"),
            ("unavailable", None),
        ),
        "broken off": (Reply(text="Cities sh", end="error"), ("failed", None)),
        "long": (
            server.fault(400, long, "invalid_request_prompt_too_long", "3051"),
            ("PromptTooLong", None),
        ),
    }
    await check_errors(server, prompt(MODEL, schema=True), cases)


async def test_prompt_caching(server: Mistral) -> None:
    await ask(server, MODEL)
    assert server.body["messages"] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": USER},
    ]

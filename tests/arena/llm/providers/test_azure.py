"""Azure OpenAI, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.llm.request import Completion
from tests.servers.providers.azure import Azure, AzureThinking
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
from tests.servers.threads import in_thread

MODEL = "azure/my-deployment"
#: The name of a deployment has no price in LiteLLM's list.
PRICE: dict[str, Any] = {"usd_per_million": (0.15, 0.6), "cached_usd_per_million": 0.075}


@pytest.fixture(scope="module")
def server() -> Iterator[Azure]:
    with in_thread(Azure()) as running:
        yield running


@pytest.fixture(scope="module")
def thinking() -> Iterator[AzureThinking]:
    with in_thread(AzureThinking()) as running:
        yield running


async def asked(server: Azure, reply: Reply | Failure | None = None) -> Completion:
    return await ask(server, prompt(MODEL, schema=True), reply, **PRICE)


async def test_strictness(server: Azure) -> None:
    unknown = prompt(MODEL, extra_body={"top_k": 4})
    assert await outcome(server, unknown, Reply(), **PRICE) == ("final", None)
    assert await outcome(server, MODEL, Reply(), api_key="other", **PRICE) == ("key", None)
    other = prompt("azure/other")
    assert await outcome(server, other, Reply(), **PRICE) == ("model", None)
    wrong = f"{server.url}/v1"
    assert await outcome(server, MODEL, Reply(), api_base=wrong, **PRICE) == ("model", None)


async def test_structured_answers(server: Azure) -> None:
    completion = await asked(server, Reply(text=OBJECT))
    assert server.body["response_format"] == OPENAI_FORMAT
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert completion.served_model == "gpt-4o-mini-2024-07-18"
    assert completion.fingerprint == "fp_44"


async def test_usage_and_cost(server: Azure) -> None:
    completion = await asked(server)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, 0.15), (300, 0.6)))


async def test_cached_tokens(server: Azure) -> None:
    completion = await asked(server, Reply(cached_tokens=1536))
    assert counted(completion) == (2000, 1536, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((464, 0.15), (1536, 0.075), (300, 0.6)))


async def test_thinking(thinking: AzureThinking) -> None:
    request = prompt(MODEL, reasoning_effort="low")
    completion = await ask(thinking, request, Reply(thinking_tokens=700), **PRICE)
    assert thinking.body["reasoning_effort"] == "low"
    assert thinking.body["max_completion_tokens"] == 512
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 700))
    assert completion.cost_usd == pytest.approx(usd((2000, 0.15), (1000, 0.6)))
    assert completion.dropped == ("temperature", "top_p")


async def test_refusal(server: Azure) -> None:
    completion = await asked(server, Reply(refusal="I can't assist with that."))
    assert completion.finish_reason == "refusal"
    assert completion.refusal == "I can't assist with that."


async def test_cut_off(server: Azure) -> None:
    for text in ("Cities sh", ""):
        completion = await asked(server, Reply(text=text, end="length"))
        assert (completion.finish_reason, completion.text) == ("length", text)


async def test_filter(server: Azure) -> None:
    completion = await asked(server, Reply(text="", end="content_filter"))
    assert completion.finish_reason == "refusal"
    completion = await asked(server, server.filtered())
    assert (completion.finish_reason, completion.cost_usd) == ("refusal", 0.0)
    assert "content management policy" in completion.refusal
    assert len(server.calls) == 1


async def test_errors(server: Azure) -> None:
    quota = "You exceeded your current quota, please check your plan and billing details."
    blocked = Failure(
        status=403,
        body={"error": {"code": "403", "message": "Access denied due to Virtual Network rules."}},
    )
    long = "This model's maximum context length is 128000 tokens. However, your messages"
    cases: dict[str, tuple[Failure, tuple[str, float | None]]] = {
        "rate": (server.limited(7), ("rate_limit", 7.0)),
        "quota": (server.error(429, quota, code="insufficient_quota"), ("quota", None)),
        "network rules": (blocked, ("key", None)),
        "server": (
            server.error(500, "The server had an error processing your request."),
            ("failed", None),
        ),
        "overloaded": (
            Failure(status=503, body={"error": {"code": "503", "message": "busy"}}),
            ("unavailable", None),
        ),
        "gateway": (Failure(status=502, body="<html>Bad Gateway</html>"), ("unavailable", None)),
        "long": (
            server.error(400, long, code="context_length_exceeded"),
            ("PromptTooLong", None),
        ),
    }
    await check_errors(server, prompt(MODEL, schema=True), cases, **PRICE)


async def test_prompt_caching(server: Azure) -> None:
    await ask(server, MODEL, **PRICE)  # it caches by itself
    assert server.body["messages"] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": USER},
    ]

"""Gemini's generateContent, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.llm.litellm_client import load_litellm
from tests.servers.providers.base import Failure, Reply
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
from tests.servers.providers.gemini import Gemini
from tests.servers.threads import in_thread

MODEL = "gemini/gemini-2.5-flash"


@pytest.fixture(scope="module")
def server() -> Iterator[Gemini]:
    with in_thread(Gemini()) as running:
        yield running


async def test_strictness(server: Gemini) -> None:
    assert await outcome(server, MODEL, Reply(), api_key="other") == ("key", None)
    unknown = prompt(MODEL, extra_body={"top_logprob": 4})
    assert await outcome(server, unknown, Reply()) == ("final", None)
    other = "gemini/gemini-2.5-pro"
    assert await outcome(server, other, Reply()) == ("model", None)


async def test_structured_answers(server: Gemini) -> None:
    completion = await ask(server, prompt(MODEL, schema=True), Reply(text=OBJECT))
    config = server.body["generationConfig"]
    assert config["response_mime_type"] == "application/json"
    assert config["response_json_schema"] == FORM
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert completion.served_model == "gemini-2.5-flash"
    assert completion.fingerprint == ""


async def test_usage_and_cost(server: Gemini) -> None:
    completion = await ask(server, MODEL)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, 0.3), (300, 2.5)))
    assert completion.dropped == ()


async def test_cached_tokens(server: Gemini) -> None:
    completion = await ask(server, MODEL, Reply(cached_tokens=1536))
    assert counted(completion) == (2000, 1536, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((464, 0.3), (1536, 0.03), (300, 2.5)))


async def test_thinking(server: Gemini) -> None:
    request = prompt(MODEL, reasoning_effort="low")
    reply = Reply(thinking="First, cars are loud.", thinking_tokens=700)
    completion = await ask(server, request, reply)
    assert server.body["generationConfig"]["thinkingConfig"]["thinkingBudget"] == 1024
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 700))
    assert completion.cost_usd == pytest.approx(usd((2000, 0.3), (1000, 2.5)))


async def test_refusal(server: Gemini) -> None:
    for end in ("SAFETY", "PROHIBITED_CONTENT", "RECITATION", "SPII", "BLOCKLIST"):
        completion = await ask(server, MODEL, Reply(text="", end=end, answer_tokens=0))
        assert completion.finish_reason == "refusal", end
    completion = await ask(server, MODEL, Reply(text="Cities sh", end="SAFETY"))
    assert completion.finish_reason == "refusal"


async def test_cut_off(server: Gemini) -> None:
    completion = await ask(server, MODEL, Reply(text="Cities sh", end="MAX_TOKENS"))
    assert (completion.finish_reason, completion.text) == ("length", "Cities sh")
    silent = Reply(text="", end="MAX_TOKENS", answer_tokens=0, thinking_tokens=512)
    completion = await ask(server, MODEL, silent)
    assert (completion.finish_reason, completion.text) == ("length", "")
    assert counted(completion) == (2000, 0, 512, 512)
    assert completion.cost_usd == pytest.approx(usd((2000, 0.3), (512, 2.5)))


async def test_filter(server: Gemini) -> None:
    for reason in ("SAFETY", "PROHIBITED_CONTENT", "OTHER"):
        completion = await ask(server, MODEL, server.blocked(reason))
        assert (completion.finish_reason, completion.text) == ("refusal", "")
        assert counted(completion) == (2000, 0, 0, 0)


async def test_errors(server: Gemini) -> None:
    def error(code: int, status: str, message: str) -> Failure:
        return server.error(code, status, message)

    day = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
    minute = "GenerateRequestsPerMinutePerProjectPerModel"
    long = "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576)."
    cases = {
        "permission": (error(403, "PERMISSION_DENIED", "Your API key"), ("key", None)),
        "model": (
            error(404, "NOT_FOUND", "models/g is not found for API version v1beta"),
            ("model", None),
        ),
        "minute": (server.limited(minute, delay="34.074824224s"), ("rate_limit", 34.074824224)),
        "no hint": (server.limited(minute), ("rate_limit", None)),
        "day": (server.limited(minute, day, delay="40s"), ("quota", None)),
        "credit": (
            error(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
            ("quota", None),
        ),
        "server": (error(500, "INTERNAL", "An internal error has occurred."), ("failed", None)),
        "overloaded": (
            error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            ("unavailable", None),
        ),
        "deadline": (error(504, "DEADLINE_EXCEEDED", "Deadline"), ("unavailable", None)),
        "long": (error(400, "INVALID_ARGUMENT", long), ("PromptTooLong", None)),
    }
    await check_errors(server, prompt(MODEL, schema=True), cases)


async def test_prompt_caching(server: Gemini) -> None:
    await ask(server, MODEL)  # it caches by itself
    assert server.body["contents"] == [{"role": "user", "parts": [{"text": USER}]}]
    assert server.body["system_instruction"] == {"parts": [{"text": SYSTEM}]}
    assert "cachedContent" not in server.body


async def test_litellm_runs_nothing_after_later_calls(server: Gemini) -> None:
    await ask(server, MODEL)
    litellm = load_litellm()
    assert not [*litellm.input_callback, *litellm.success_callback]
    assert not litellm._async_success_callback

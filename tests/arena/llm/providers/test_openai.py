"""OpenAI's Chat Completions, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.providers.base import KEY, Failure, Reply
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
from tests.servers.providers.openai import OpenAI, OpenAIThinking
from tests.servers.threads import in_thread

MODEL, THINKING = "openai/gpt-4o-mini", "openai/gpt-5-mini"


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAI]:
    with in_thread(OpenAI()) as running:
        yield running


@pytest.fixture(scope="module")
def thinking() -> Iterator[OpenAIThinking]:
    with in_thread(OpenAIThinking()) as running:
        yield running


async def test_strictness(server: OpenAI) -> None:
    unknown = prompt(MODEL, extra_body={"top_k": 4})
    assert await outcome(server, unknown, Reply()) == ("final", None)
    assert await outcome(server, MODEL, Reply(), api_key="sk-other") == ("key", None)
    assert await outcome(server, "openai/gpt-4o", Reply()) == ("model", None)
    wrong = f"{server.url}/v2"
    assert await outcome(server, MODEL, Reply(), api_base=wrong) == ("model", None)


async def test_structured_answers(server: OpenAI) -> None:
    completion = await ask(server, prompt(MODEL, schema=True), Reply(text=OBJECT))
    assert server.body["response_format"] == OPENAI_FORMAT
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert completion.served_model == "gpt-4o-mini-2024-07-18"
    assert completion.fingerprint == "fp_44"


async def test_usage_and_cost(server: OpenAI) -> None:
    completion = await ask(server, MODEL)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, 0.15), (300, 0.6)))
    assert completion.dropped == ()


async def test_cached_tokens(server: OpenAI) -> None:
    completion = await ask(server, MODEL, Reply(cached_tokens=1536))
    assert counted(completion) == (2000, 1536, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((464, 0.15), (1536, 0.075), (300, 0.6)))


async def test_thinking(thinking: OpenAIThinking) -> None:
    request = prompt(THINKING, reasoning_effort="low")
    completion = await ask(thinking, request, Reply(thinking_tokens=700))
    assert thinking.body["reasoning_effort"] == "low"
    assert thinking.body["max_completion_tokens"] == 512
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 700))
    assert completion.cost_usd == pytest.approx(usd((2000, 0.25), (1000, 2.0)))
    assert completion.dropped == ("temperature", "top_p")


async def test_refusal(server: OpenAI) -> None:
    words = "I'm sorry, I can't assist with that."
    completion = await ask(server, prompt(MODEL, schema=True), Reply(refusal=words))
    assert (completion.finish_reason, completion.refusal) == ("refusal", words)
    assert completion.cost_usd > 0


async def test_cut_off(server: OpenAI, thinking: OpenAIThinking) -> None:
    completion = await ask(server, MODEL, Reply(text="Cities sh", end="length"))
    assert (completion.finish_reason, completion.text) == ("length", "Cities sh")
    silent = Reply(text="", end="length", answer_tokens=0, thinking_tokens=512)
    completion = await ask(thinking, THINKING, silent)
    assert (completion.finish_reason, completion.text) == ("length", "")


async def test_filter(server: OpenAI) -> None:
    completion = await ask(server, MODEL, Reply(text="", end="content_filter"))
    assert completion.finish_reason == "refusal"
    flagged = server.error(
        400,
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy. "
        "Please try again with a different prompt.",
        code="invalid_prompt",
    )
    for request in (prompt(MODEL), prompt(MODEL, schema=True)):
        completion = await ask(server, request, flagged)
        assert (completion.finish_reason, completion.cost_usd) == ("refusal", 0.0)
        assert "flagged" in completion.refusal
        assert len(server.calls) == 1


async def test_errors(server: OpenAI) -> None:
    def error(status: int, message: str, code: str | None = None, after: str = "") -> Failure:
        headers = {"retry-after": after} if after else {}
        return server.error(status, message, code=code, headers=headers)

    quota = "You exceeded your current quota, please check your plan and billing details."
    long = "This model's maximum context length is 128000 tokens. However, your messages resulted"
    cases = {
        "key": (error(401, "Incorrect API key provided.", "invalid_api_key"), ("key", None)),
        "country": (
            error(403, "Country, region, or territory not supported", "unsupported_country"),
            ("key", None),
        ),
        "no access": (
            error(403, "Project `p` does not have access to model `m`", "model_not_found"),
            ("model", None),
        ),
        "model": (error(404, "The model `m` does not exist", "model_not_found"), ("model", None)),
        "rate": (
            error(429, "Rate limit reached for m on tokens per min (TPM).", None, "7"),
            ("rate_limit", 7.0),
        ),
        "quota": (error(429, quota, "insufficient_quota"), ("quota", None)),
        "billing": (
            error(429, "Billing hard limit has been reached", "billing_hard_limit_reached"),
            ("quota", None),
        ),
        "server": (error(500, "The server had an error."), ("failed", None)),
        "overloaded": (error(503, "The engine is currently overloaded."), ("unavailable", None)),
        "long": (error(400, long, "context_length_exceeded"), ("PromptTooLong", None)),
    }
    await check_errors(server, prompt(MODEL, schema=True), cases)


async def test_prompt_caching(server: OpenAI) -> None:
    await ask(server, MODEL)  # it caches by itself
    assert server.body["messages"] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": USER},
    ]
    assert server.calls[-1].headers["authorization"] == f"Bearer {KEY}"

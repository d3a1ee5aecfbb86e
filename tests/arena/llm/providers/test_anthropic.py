"""Anthropic's Messages, against a stand-in written from its documentation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.llm.litellm_backend import LiteLLMBackend
from tests.servers.providers.anthropic import Anthropic
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
from tests.servers.threads import in_thread

MODEL = "anthropic/claude-sonnet-4-5"


@pytest.fixture(scope="module")
def server() -> Iterator[Anthropic]:
    with in_thread(Anthropic()) as running:
        yield running


async def test_strictness(server: Anthropic) -> None:
    unknown = prompt(MODEL, extra_body={"seed": 4})
    assert await outcome(server, unknown, Reply()) == ("final", None)
    assert await outcome(server, MODEL, Reply(), api_key="sk-other") == ("key", None)
    assert await outcome(server, "anthropic/claude-haiku-4-5", Reply()) == ("model", None)


async def test_structured_answers(server: Anthropic) -> None:
    completion = await ask(server, prompt(MODEL, schema=True), Reply(text=OBJECT))
    assert server.body["output_format"] == {"type": "json_schema", "schema": FORM}
    assert (completion.text, completion.structured) == (OBJECT, "schema")
    assert completion.served_model == "claude-sonnet-4-5-20250929"
    assert completion.fingerprint == ""


async def test_structured_answers_without_the_deprecated_field(server: Anthropic) -> None:
    server.retired = True
    try:
        completion = await ask(server, prompt(MODEL, schema=True), Reply(text=OBJECT))
    finally:
        server.retired = False
    assert "output_format" not in server.body
    assert (completion.text, completion.structured) == (OBJECT, "object")


async def test_usage_and_cost(server: Anthropic) -> None:
    completion = await ask(server, MODEL)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, 3.0), (300, 15.0)))


async def test_cached_tokens(server: Anthropic) -> None:
    completion = await ask(server, MODEL, Reply(cached_tokens=1500, written_tokens=400))
    assert counted(completion) == (2000, 1500, 300, 0)
    expected = usd((100, 3.0), (1500, 0.3), (400, 3.75), (300, 15.0))
    assert completion.cost_usd == pytest.approx(expected)


async def test_thinking(server: Anthropic) -> None:
    request = prompt(MODEL, reasoning_effort="low", max_tokens=4000)
    reply = Reply(thinking="First, cars are loud.", thinking_tokens=700)
    completion = await ask(server, request, reply)
    assert server.body["thinking"]["type"] == "enabled"
    assert completion.text == "Understood."
    assert counted(completion)[:3] == (2000, 0, 1000)
    assert completion.cost_usd == pytest.approx(usd((2000, 3.0), (1000, 15.0)))


async def test_refusal(server: Anthropic) -> None:
    for text in ("", "I cannot"):
        completion = await ask(server, MODEL, Reply(text=text, end="refusal"))
        assert completion.finish_reason == "refusal"
        assert completion.cost_usd > 0


async def test_cut_off(server: Anthropic) -> None:
    completion = await ask(server, MODEL, Reply(text="Cities sh", end="max_tokens"))
    assert (completion.finish_reason, completion.text) == ("length", "Cities sh")
    silent = Reply(text="", thinking="Hm.", end="max_tokens", answer_tokens=9)
    completion = await ask(server, MODEL, silent)
    assert (completion.finish_reason, completion.text) == ("length", "")
    full = Reply(text="Cities sh", end="model_context_window_exceeded")
    completion = await ask(server, MODEL, full, context_tokens=2300)
    assert (completion.finish_reason, completion.text) == ("length", "Cities sh")


async def test_filter(server: Anthropic) -> None:
    blocked = server.invalid("Output blocked by content filtering policy")
    completion = await ask(server, prompt(MODEL, schema=True), blocked)
    assert (completion.finish_reason, completion.cost_usd) == ("refusal", 0.0)
    assert len(server.calls) == 2


async def test_errors(server: Anthropic) -> None:
    def error(status: int, kind: str, message: str, after: str = "", **more: object) -> Failure:
        return server.error(status, kind, message, after=after, **more)

    invalid, limited = "invalid_request_error", "rate_limit_error"
    credit = "Your credit balance is too low to access the Anthropic API. Please go to Plans"
    spent = "You have reached your specified API usage limits. You will regain access on"
    cases = {
        "key": (error(401, "authentication_error", "invalid x-api-key"), ("key", None)),
        "permission": (error(403, "permission_error", "Your API key has no"), ("key", None)),
        "model": (error(404, "not_found_error", "model: claude-9"), ("model", None)),
        "rate": (error(429, limited, "This request would exceed", "7"), ("rate_limit", 7.0)),
        "month": (
            error(429, limited, "x", details={"error_code": "enforced_spend_limit_reached"}),
            ("quota", None),
        ),
        "credit": (error(400, invalid, credit), ("quota", None)),
        "spent": (error(400, invalid, spent), ("quota", None)),
        "billing": (error(402, "billing_error", "Check your payment"), ("quota", None)),
        "server": (error(500, "api_error", "Internal server error"), ("failed", None)),
        "overloaded": (error(529, "overloaded_error", "Overloaded"), ("unavailable", None)),
        "long": (
            error(400, invalid, "prompt is too long: 208310 tokens > 200000 maximum"),
            ("PromptTooLong", None),
        ),
        "longer": (
            error(400, invalid, "input length and `max_tokens` exceed context limit: 198214 + 8"),
            ("PromptTooLong", None),
        ),
        "bytes": (error(413, "request_too_large", "Request exceeds"), ("PromptTooLong", None)),
    }
    # The first call is refused for having a temperature and top-p.
    await check_errors(server, prompt(MODEL, schema=True), cases, calls=2)


async def test_prompt_caching(server: Anthropic) -> None:
    long = "The rules of the debate. " * 200
    request = prompt(MODEL, system=long)
    completion = await ask(server, request, Reply(written_tokens=1300))
    marked = {"type": "text", "text": long, "cache_control": {"type": "ephemeral"}}
    assert server.body["system"] == [marked]
    assert server.body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": USER}]}
    ]
    assert completion.cost_usd == pytest.approx(usd((700, 3.0), (1300, 3.75), (300, 15.0)))
    assert request.hash() == prompt(MODEL, system=long).hash()
    assert [message.text for message in request.messages] == [long, USER]
    first, _ = LiteLLMBackend({}).price(MODEL)
    assert first == pytest.approx(3.75e-6)  # what the spending cap reserves


async def test_prompt_caching_is_not_asked_for_where_it_does_not_pay(server: Anthropic) -> None:
    await ask(server, MODEL)  # too short
    assert server.body["system"] == [{"type": "text", "text": SYSTEM}]
    long = prompt(MODEL, system="The rules of the debate. " * 200)
    await ask(server, long, usd_per_million=(3.0, 15.0))  # the price of writing is not known
    assert "cache_control" not in str(server.body)

"""Thinking, further fields of a call's body, and the context window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.llm.provider_backend import THINKING_TOKENS, ProviderBackend
from arena.llm.request import Completion, Request, with_thinking_room
from arena.llm.settings import ModelSettings
from arena.llm.worst_case import max_prompt_tokens, most_cost
from arena.records import Sampling
from tests.servers import forms
from tests.servers.connected import request
from tests.servers.forms import MODEL, serving
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend, unit


def thoughtful(asked: Request, effort: str | None) -> Request:
    sampling = replace(asked.sampling, reasoning_effort=effort)  # type: ignore[arg-type]
    return replace(asked, sampling=sampling)


@pytest.mark.parametrize(
    ("model", "effort", "own", "room"),
    [
        (MODEL, None, None, 0),
        (MODEL, None, 512, 512),
        (MODEL, "low", None, THINKING_TOKENS),
        (MODEL, "low", 0, 0),
        ("openai/gpt-4o", None, None, 0),
        ("openai/gpt-5", None, None, THINKING_TOKENS),
        ("openai/gpt-5", "none", None, 0),
        ("openai/gpt-5", None, 20_000, 20_000),
        ("ollama_chat/qwen3", None, None, 0),
        ("ollama_chat/qwen3", "high", None, THINKING_TOKENS),
        ("deepseek/deepseek-reasoner", None, None, THINKING_TOKENS),
    ],
)
def test_room_for_thinking(model: str, effort: str | None, own: int | None, room: int) -> None:
    backend = ProviderBackend({model: ModelSettings(thinking_tokens=own)})
    asked = with_thinking_room(thoughtful(request(model), effort), backend)
    assert asked.thinking_tokens == room
    assert asked.output_limit == 64 + room


def test_room_ends_where_the_model_s_output_does() -> None:
    model = "dashscope/qwen-plus"  # 16,384 tokens of output by LiteLLM's table
    asked = request(model)
    for limit, room in ((16_000, 384), (20_000, 0)):
        long = replace(asked, sampling=Sampling(max_tokens=limit))
        assert ProviderBackend({}).thinking_room(long) == room


async def test_limit_of_the_wire_has_the_room_and_an_exact_one_has_none() -> None:
    async with serving() as (server, backend):
        await backend.complete(request(MODEL))
        await backend.complete(with_thinking_room(thoughtful(request(MODEL), "low"), backend))
    first, second = server.bodies
    assert first["max_tokens"] == 64
    assert "reasoning_effort" not in first
    assert second["max_tokens"] == 64 + THINKING_TOKENS
    assert second["reasoning_effort"] == "low"


@pytest.mark.parametrize("model", ["azure/deployment", "hosted_vllm/x", "openrouter/a/b"])
async def test_effort_is_sent_whatever_is_known_of_the_model(model: str) -> None:
    async with serving(model=model) as (server, backend):
        completion = await backend.complete(thoughtful(request(model), "minimal"))
    assert server.bodies[0]["reasoning_effort"] == "minimal"
    assert completion.dropped == ()


async def test_an_effort_that_is_refused_is_left_out_and_recorded() -> None:
    def no_effort(body: forms.Body) -> tuple[int, dict[str, Any]] | None:
        text = "Unrecognized request argument supplied: reasoning_effort"
        return (400, {"error": {"message": text}}) if "reasoning_effort" in body else None

    async with serving(no_effort) as (_, backend):
        completion = await backend.complete(thoughtful(request(MODEL), "high"))
    assert completion.dropped == ("reasoning_effort",)


class Thinking(ScriptedBackend):
    """A backend whose model may think for 100 tokens."""

    def thinking_room(self, asked: Request) -> int:
        return 100


async def test_the_reservation_covers_the_thinking(tmp_path: Path) -> None:
    backend = Thinking(lambda _: "yes", price=(0.0, 1.0))
    access = ScriptedAccess(backend)
    reserved: list[float] = []

    def answer(asked: Request) -> str | Completion:
        reserved.append(access.budget.usd.reserved)
        return "yes"

    backend.script = answer
    asked = request("m")
    await unit(access, tmp_path).call(asked)
    assert reserved == [164.0]
    assert most_cost(asked, (1.0, 1.0)).usd == max_prompt_tokens(asked) + 64


async def test_further_fields_go_into_the_body_and_into_the_identity(tmp_path: Path) -> None:
    class Access(ScriptedAccess):
        def extra_body(self, model: str) -> dict[str, Any]:
            return {"top_k": 40}

    backend = ScriptedBackend(lambda _: "yes")
    await unit(Access(backend), tmp_path).call(request(MODEL))
    (asked,) = backend.requests
    assert asked.extra_body == {"top_k": 40}
    assert asked.hash() != request(MODEL).hash()
    async with serving() as (server, real):
        await real.complete(asked)
    assert server.bodies[0]["top_k"] == 40
    assert "extra_body" not in server.bodies[0]


def test_room_stands_outside_the_identity() -> None:
    asked = request(MODEL)
    assert replace(asked, thinking_tokens=9).hash() == asked.hash()
    assert thoughtful(asked, "low").hash() != asked.hash()


@pytest.mark.parametrize(
    ("model", "own", "window"),
    [
        ("openai/gpt-4o", None, 128_000),
        ("openai/gpt-4o", 9000, 9000),
        (MODEL, None, None),
        (MODEL, 8192, 8192),
        ("ollama_chat/llama3.1", None, None),
    ],
)
def test_context_window(model: str, own: int | None, window: int | None) -> None:
    backend = ProviderBackend({model: ModelSettings(context_tokens=own)})
    assert backend.context_tokens(model) == window

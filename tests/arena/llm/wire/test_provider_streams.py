"""The same answer of every provider, streamed and whole: text, end, tokens, cost, names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.servers.providers.anthropic import Anthropic
from tests.servers.providers.azure import Azure
from tests.servers.providers.base import ProviderServer, Reply
from tests.servers.providers.connect import OBJECT, ask, prompt
from tests.servers.providers.deepseek import DeepSeek
from tests.servers.providers.gemini import Gemini
from tests.servers.providers.mistral import Mistral
from tests.servers.providers.ollama import Ollama
from tests.servers.providers.openai import OpenAI
from tests.servers.providers.openrouter import OpenRouter
from tests.servers.providers.vllm import VLLM
from tests.servers.threads import in_thread

pytestmark = pytest.mark.usefixtures("way")

#: Whole tournaments and servers.
pytestmark = pytest.mark.slow

PRICE: dict[str, Any] = {"usd_per_million": (3.0, 15.0), "cached_usd_per_million": 0.3}
#: Providers of OpenAI's format, by the models that they are asked for.
STREAMING: dict[str, type[ProviderServer]] = {
    "openai/gpt-4o-mini": OpenAI,
    "azure/my-deployment": Azure,
    "deepseek/deepseek-chat": DeepSeek,
    "mistral/magistral-medium-latest": Mistral,
    "openrouter/anthropic/claude-sonnet-4.5": OpenRouter,
    "hosted_vllm/Qwen/Qwen3-8B": VLLM,
}
#: Others, which are never asked for a stream.
WHOLE: dict[str, type[ProviderServer]] = {
    "anthropic/claude-sonnet-4-5": Anthropic,
    "gemini/gemini-2.5-flash": Gemini,
    "ollama_chat/llama3.1": Ollama,
}
TEXT = "Cities should ban private cars — 城市应当禁止私家车。\n\n“Yes”, [P1]."
REPLIES = {
    "a text": Reply(text=TEXT, cached_tokens=1024),
    "cut off": Reply(text="Cities should", end="length"),
    "filtered": Reply(text="Cities", end="content_filter"),
}
THINKING = Reply(text=TEXT, thinking="First, cars are loud. 其次……", thinking_tokens=700)
_THINKS = ("deepseek", "mistral", "openrouter", "hosted_vllm")


@pytest.mark.parametrize(("model", "provider"), STREAMING.items(), ids=list(STREAMING))
async def test_a_streamed_answer_is_the_whole_one(
    model: str, provider: type[ProviderServer]
) -> None:
    replies = dict(REPLIES)
    if model.startswith(_THINKS):
        replies["thinking"] = THINKING
    with in_thread(provider()) as server:
        for name, reply in replies.items():
            whole = await ask(server, model, reply, stream=False, **PRICE)
            assert not server.body.get("stream"), name
            streamed = await ask(server, model, reply, stream=True, **PRICE)
            assert server.body["stream"] is True, name
            assert streamed == whole, name
            assert len(server.calls) <= 2, "once more without `stream_options`, at most"
            assert "First" not in streamed.text


@pytest.mark.parametrize(("model", "provider"), STREAMING.items(), ids=list(STREAMING))
async def test_structured_answers_are_streamed_too(
    model: str, provider: type[ProviderServer]
) -> None:
    form = replace(prompt(model, schema=True), path="pro/constructive/writer/1")
    learned = {model: "prompt"}
    with in_thread(provider()) as server:
        whole = await ask(server, form, Reply(text=OBJECT), learned=learned, stream=False, **PRICE)  # type: ignore[arg-type]
        streamed = await ask(
            server,
            form,
            Reply(text=OBJECT),
            learned=learned,  # type: ignore[arg-type]
            stream=True,
            **PRICE,
        )
    assert streamed == whole and streamed.text == OBJECT


@pytest.mark.parametrize(("model", "provider"), WHOLE.items(), ids=list(WHOLE))
async def test_other_formats_are_never_streamed(model: str, provider: type[ProviderServer]) -> None:
    with in_thread(provider()) as server:
        whole = await ask(server, model, Reply(text=TEXT), stream=False, **PRICE)
        asked = server.body, server.calls[-1].path, server.calls[-1].query
        again = await ask(server, model, Reply(text=TEXT), stream=True, **PRICE)
        assert (server.body, server.calls[-1].path, server.calls[-1].query) == asked
    assert again == whole and whole.text == TEXT

"""What servers say of the shape of requests, in their own words, and what is learned from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest

from arena.errors import PromptTooLong
from arena.llm.provider_backend import ProviderBackend
from arena.llm.request_shape import RequestShape, learn_shape
from arena.llm.settings import ModelSettings
from arena.prompts import Message
from tests.servers.chat_bodies import error
from tests.servers.connected import MODEL, PRICE, connected, request
from tests.servers.openai_server import OpenAIServer
from tests.servers.strict import Rejected

_SYSTEM = RequestShape(merged_system=True)
#: Words of servers and providers, and what they say.
_WORDS = {
    "System role not supported": _SYSTEM,
    "Template error: invalid operation: System role not supported (in <string>:1)": _SYSTEM,
    "Conversation roles must alternate user/assistant/user/assistant/...": _SYSTEM,
    "Developer instruction is not enabled for models/gemma-3-27b-it": _SYSTEM,
    "This model does not support the system role.": _SYSTEM,
    "'messages[0].role' does not support 'system' with this model": _SYSTEM,
    "Invalid role: system": _SYSTEM,
    "Only user and assistant roles are supported!": _SYSTEM,
    "max_tokens is too large: 5000. This model supports at most 4096 completion tokens, whereas "
    "you provided 5000.": RequestShape(output_tokens=4096),
    "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for "
    "claude-3-5-sonnet": RequestShape(output_tokens=8192),
    "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less "
    "than the `context_window` for this model": RequestShape(output_tokens=8192),
    "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]": RequestShape(
        output_tokens=8192
    ),
    "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 2000]": (
        RequestShape(output_tokens=2000)
    ),
    "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported "
    "range is from 1 (inclusive) to 8193 (exclusive).": RequestShape(output_tokens=8192),
    "Input validation error: `max_new_tokens` must be <= 512. Given: 1000": RequestShape(
        output_tokens=512
    ),
    "max_tokens (2000) exceeds the limit: at most 1000 are allowed": RequestShape(
        output_tokens=1000
    ),
    "The context size is 2,048 tokens": RequestShape(context_tokens=2048),
    "the request exceeds the available context size (4096 tokens), try increasing it": (
        RequestShape(context_tokens=4096)
    ),
    "The input token count exceeds the maximum number of tokens allowed (32768).": RequestShape(
        context_tokens=32768
    ),
    "However, the model is loaded with context length of only 4096 tokens, which is not enough": (
        RequestShape(context_tokens=4096)
    ),
    "This model's maximum prompt length is 131072 but the request has more.": RequestShape(
        context_tokens=131072
    ),
    "Prompt is too large for model with 32768 maximum context length": RequestShape(
        context_tokens=32768
    ),
    "Range of input length should be [1, 6000]": RequestShape(context_tokens=6000),
    "decoder prompt is longer than the maximum model length of 4096": RequestShape(
        context_tokens=4096
    ),
    "Something else is wrong with message 3 of 4.": None,
    "Requests are limited to 5 per minute.": None,
}
#: Words with the server's count of a prompt that we take for 500 tokens, and the window by ours.
_COUNTED = {
    "This model's maximum context length is 2048 tokens. However, you requested 2568 tokens (1000 "
    "in the messages, 1568 in the completion).": 1024,
    "'max_tokens' or 'max_completion_tokens' is too large: 904. This model's maximum context "
    "length is 2048 tokens and your request has 1000 input tokens (904 > 2048 - 1000).": 1024,
    "Requested token count exceeds the model's maximum context length of 8192 tokens. You "
    "requested a total of 9000 tokens: 1000 tokens from the input messages and 8000 tokens for "
    "the completion.": 4096,
    "The input (1000 tokens) is longer than the model's context length (512 tokens).": 256,
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 33000 "
    "tokens (1000 of text input, 32000 in the output).": 16384,
    "input length and `max_tokens` exceed context limit: 1000 + 21333 > 20000, decrease input "
    "length or `max_tokens` and try again": 10000,
    "prompt is too long: 1000 tokens > 800 maximum": 400,
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1024. Given: 1000 "
    "`inputs` tokens and 600 `max_new_tokens`": 512,
    "requested 2568 (1000 + 1568) tokens, the context window is 2048": 1024,
    "max_tokens must be at least 1, got -186.": 314,
}
_ASKED = request()
_LONG = replace(_ASKED, messages=(Message(role="user", text="word " * 400),))  # 500 of our tokens


def _failed(body: Mapping[str, Any], status: int = 400) -> httpx.HTTPStatusError:
    asked = httpx.Request("POST", "http://localhost/v1/chat/completions")
    response = httpx.Response(status, json=body, request=asked)
    return httpx.HTTPStatusError("", request=asked, response=response)


def _arguments() -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": ""}, {"role": "user", "content": ""}]}


@pytest.mark.parametrize(("words", "shape"), list(_WORDS.items()))
def test_words_of_servers(words: str, shape: RequestShape | None) -> None:
    failed = _failed(error(words))
    assert learn_shape(failed, _ASKED, _arguments(), RequestShape()) == shape
    assert learn_shape(failed, _ASKED, _arguments(), shape or RequestShape()) is None


@pytest.mark.parametrize(("words", "window"), list(_COUNTED.items()))
def test_a_window_is_counted_in_our_tokens(words: str, window: int) -> None:
    shape = learn_shape(_failed(error(words)), _LONG, _arguments(), RequestShape())
    assert shape == RequestShape(context_tokens=window)


def test_fields_of_llama_cpp_and_of_pydantic() -> None:
    full = {"message": "full", "n_prompt_tokens": 1000, "n_ctx": 4096}
    shape = learn_shape(_failed({"error": full}), _LONG, _arguments(), RequestShape())
    assert shape == RequestShape(context_tokens=2048)
    detail = {"type": "less_than_equal", "loc": ["body", "max_tokens"], "ctx": {"le": 4096}}
    detail |= {"msg": "Input should be less than or equal to 4096"}
    shape = learn_shape(_failed({"detail": [detail]}, 422), _ASKED, _arguments(), RequestShape())
    assert shape == RequestShape(output_tokens=4096)


@pytest.mark.parametrize("status", [401, 402, 404, 429, 503])
def test_other_failures_teach_nothing(status: int) -> None:
    words = "You requested up to 4096 tokens; max_tokens must be at most 100 by your credit."
    assert learn_shape(_failed(error(words), status), _ASKED, _arguments(), RequestShape()) is None


async def test_a_server_without_a_system_role_is_asked_without_one() -> None:
    def answer(body: Mapping[str, Any]) -> str:
        if body["messages"][0]["role"] == "system":
            raise Rejected("System role not supported")
        return str(body["messages"][0]["content"])

    async with connected(answer=answer) as (backend, server):
        assert (await backend.complete(_ASKED)).text == _ASKED.text()
        await backend.complete(_ASKED)
        assert server.ledger.http_requests == 3
        assert backend.learned_shapes() == {MODEL: _SYSTEM}
        assert await _begun_with(backend, server) == 1


async def _begun_with(backend: ProviderBackend, server: OpenAIServer) -> int:
    """The requests of a call of a later run, which begins with what this one has learned."""
    settings = {MODEL: ModelSettings(usd_per_million=PRICE, api_base=server.url)}
    later = ProviderBackend(settings, shapes=backend.learned_shapes())
    before = server.ledger.http_requests
    await later.complete(_ASKED)
    await later.aclose()
    return server.ledger.http_requests - before


async def test_a_limit_of_output_is_kept_to() -> None:
    def answer(body: Mapping[str, Any]) -> str:
        if body["max_tokens"] > 50:
            raise Rejected("max_tokens is too large: the limit is at most 50 tokens.")
        return "Fine."

    async with connected(answer=answer) as (backend, server):
        await backend.complete(_ASKED)
        assert server.ledger.last_body["max_tokens"] == 50
        await backend.complete(_ASKED)
        assert server.ledger.http_requests == 3


async def test_a_window_leaves_less_room_for_the_answer_or_none() -> None:
    def answer(body: Mapping[str, Any]) -> str:
        prompt = sum(len(message["content"]) for message in body["messages"]) // 4
        if prompt + body["max_tokens"] > 600:
            raise Rejected(
                f"This model's maximum context length is 600 tokens. However, you requested more "
                f"({prompt} in the messages).",
                code="context_length_exceeded",
            )
        return "Fine."

    larger = replace(_LONG, sampling=replace(_LONG.sampling, max_tokens=128))
    async with connected(answer=answer) as (backend, server):
        assert backend.context_tokens(MODEL) is None
        await backend.complete(larger)
        assert server.ledger.last_body["max_tokens"] < 100
        assert backend.context_tokens(MODEL) == 600
        longer = replace(larger, messages=(Message(role="user", text="word " * 500),))
        with pytest.raises(PromptTooLong, match="600 tokens"):
            await backend.complete(longer)


async def test_messages_of_one_role_are_sent_as_one() -> None:
    async with connected() as (backend, server):
        more = Message(role="user", text="Again, please.")
        await backend.complete(replace(_ASKED, messages=(*_ASKED.messages, more)))
        roles = [message["role"] for message in server.ledger.last_body["messages"]]
        assert roles == ["system", "user"]
        assert server.ledger.last_body["messages"][1]["content"].endswith("\n\nAgain, please.")


async def test_thinking_that_no_table_tells_of_gets_room() -> None:
    async with connected(answer=lambda body: "<think>Hm.</think> Fine.") as (backend, _):
        assert backend.thinking_room(_ASKED) == 0
        await backend.complete(_ASKED)
        assert backend.thinking_room(_ASKED) > 0

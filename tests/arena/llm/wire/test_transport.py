"""The transport between the real LiteLLM and servers on loopback that are slow or hostile."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import FaultKind, InfrastructureFault, ProviderRejected
from arena.llm.litellm_client import call, close_connections
from arena.llm.provider_backend import ProviderBackend
from arena.llm.settings import ModelSettings
from arena.llm.wire import route as wire_pace
from arena.llm.wire import transport as wire_body
from arena.llm.wire.route import Attempt, CallLimits, Route, current_attempt
from tests.servers.connected import KEY, MODEL, PRICE, request
from tests.servers.raw import EVENTS, JSON, Write, again_and_again, once, serving_bytes
from tests.servers.slow import SlowServer, SlowSettings, serving_slowly

pytestmark = pytest.mark.usefixtures("way")

#: No call of these tests reaches them; limits that are to pass are set to a fraction of a second.
LIMITS = CallLimits(first_byte_seconds=20.0, timeout_seconds=20.0, call_seconds=60.0)
FAST = 500.0


def backend_at(
    url: str, *, limits: CallLimits = LIMITS, stream: bool | None = None, model: str = MODEL
) -> ProviderBackend:
    settings = ModelSettings(api_base=url, api_key=KEY, usd_per_million=PRICE, stream=stream)
    return ProviderBackend({model: settings}, limits=limits)


@asynccontextmanager
async def slow(
    settings: SlowSettings, *, limits: CallLimits = LIMITS, stream: bool | None = True
) -> AsyncIterator[tuple[ProviderBackend, SlowServer]]:
    async with serving_slowly(settings) as server:
        backend = backend_at(server.url, limits=limits, stream=stream)
        try:
            yield backend, server
        finally:
            await backend.aclose()


async def failing(backend: ProviderBackend, words: str, model: str = MODEL) -> InfrastructureFault:
    """Return the fault of one call, whose message has some words."""
    with pytest.raises(InfrastructureFault, match=words) as caught:
        await backend.complete(request(model))
    await backend.aclose()
    return caught.value


def outcome(fault: InfrastructureFault) -> tuple[FaultKind, float | None]:
    return fault.kind, fault.billed_usd


async def fault_at(
    write: Write, *, limits: CallLimits = LIMITS, stream: bool | None = None
) -> InfrastructureFault:
    """Return the fault of one call to a server that answers with bytes."""
    async with serving_bytes(write) as server:
        backend = backend_at(server.url, limits=limits, stream=stream)
        fault = await failing(backend, ".")
    assert len(server.requests) == 1
    assert "\n" not in str(fault)
    return fault


# Streams


@pytest.mark.parametrize("finish_reason", ["stop", "length", "content_filter"])
async def test_a_streamed_answer_is_the_same_as_one_that_is_not(finish_reason: str) -> None:
    pieces = ("Ünï", "code \n\n", "data: [DONE]", "\\", '"', "字", *["same"] * 150)
    settings = SlowSettings(
        tokens_per_second=2000,
        pieces=pieces,
        reasoning=("I ", "think"),
        finish_reason=finish_reason,
    )
    async with slow(settings) as (streamed, server), slow(settings, stream=False) as (whole, other):
        first, second = await streamed.complete(request()), await whole.complete(request())
    assert first == second
    assert first.text == "".join(pieces)
    assert first.fingerprint == "fp_slow"
    assert first.usage.output_tokens == len(pieces) + 2
    assert server.ledger.bodies[0].pop("stream") is True
    assert server.ledger.bodies[0].pop("stream_options") == {"include_usage": True}
    assert server.ledger.bodies == other.ledger.bodies


async def test_a_slow_model_is_streamed_after_its_first_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wire_pace, "SLOW_SECONDS", 0.05)
    settings = SlowSettings(tokens_per_second=200, pieces=("word ",) * 15)
    for stream, expected in ((None, [None, True]), (False, [None, None]), (True, [True, True])):
        async with slow(settings, stream=stream) as (backend, server):
            texts = [(await backend.complete(request(seed=seed))).text for seed in (1, 2)]
        assert [body.get("stream") for body in server.ledger.bodies] == expected
        assert set(texts) == {"word " * 15}


async def test_a_fast_model_is_not_streamed() -> None:
    async with slow(SlowSettings(tokens_per_second=FAST), stream=None) as (backend, server):
        for seed in (1, 2):
            await backend.complete(request(seed=seed))
    assert [body.get("stream") for body in server.ledger.bodies] == [None, None]


async def test_the_attempt_shows_what_arrives() -> None:
    attempt = Attempt()
    async with slow(SlowSettings(tokens_per_second=100)) as (backend, _):
        token = current_attempt.set(attempt)
        task = asyncio.create_task(backend.complete(request()))
        current_attempt.reset(token)
        seen = set()
        while not task.done():
            seen.add(attempt.events)
            await asyncio.sleep(0.005)
        await task
    assert len(seen) > 5
    assert attempt.events >= 20
    assert attempt.first_byte is not None
    assert attempt.last_byte is not None
    assert attempt.started < attempt.first_byte < attempt.last_byte
    assert attempt.headers["content-type"].startswith("text/event-stream")


async def test_a_server_that_refuses_the_count_is_asked_without_it() -> None:
    settings = SlowSettings(tokens_per_second=FAST, counting="refused")
    async with slow(settings) as (backend, server):
        first = await backend.complete(request())
        await backend.complete(request())
    asked = [(body.get("stream"), "stream_options" in body) for body in server.ledger.bodies]
    assert asked == [(True, True), (True, False), (True, False)]
    assert first.text == "word " * 20
    assert first.usage.output_tokens == 25  # estimated from the text: no count was sent


async def test_a_server_that_refuses_streams_is_asked_without() -> None:
    settings = SlowSettings(tokens_per_second=FAST, stream="refused")
    async with slow(settings) as (backend, server):
        for seed in (1, 2):
            assert (await backend.complete(request(seed=seed))).text == "word " * 20
    assert [body.get("stream") for body in server.ledger.bodies] == [True, None, None]


async def test_a_server_that_ignores_the_wish_answers_plainly() -> None:
    settings = SlowSettings(tokens_per_second=FAST, stream="ignored", counting="ignored")
    async with slow(settings) as (backend, _):
        assert (await backend.complete(request())).text == "word " * 20


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "slow down", "code": 429}, "rate_limit"),
        ({"message": "slow down", "type": "rate_limit_error"}, "rate_limit"),
        ({"message": "busy", "type": "overloaded_error"}, "unavailable"),
        ({"message": "busy", "code": "503"}, "unavailable"),
        ("it broke", "failed"),
    ],
)
async def test_an_error_instead_of_an_answer(error: object, kind: FaultKind) -> None:
    settings = SlowSettings(tokens_per_second=FAST, fail_after=0, error=error)
    async with slow(settings) as (backend, _):
        words = error["message"] if isinstance(error, dict) else str(error)
        assert outcome(await failing(backend, words)) == (kind, 0.0)


@pytest.mark.parametrize(
    ("failure", "words", "kind"),
    [
        ({"fail_after": 5}, "broke its answer off: out of memory", "unavailable"),
        ({"drop_after": 5}, "connection to 127.0.0.1:.* broke", "failed"),
    ],
)
async def test_a_failure_within_an_answer_may_be_billed(
    failure: dict[str, Any], words: str, kind: FaultKind
) -> None:
    async with slow(SlowSettings(tokens_per_second=FAST, **failure)) as (backend, server):
        assert outcome(await failing(backend, words)) == (kind, None)
    assert server.ledger.begun == 1


# Limits of time


async def test_a_queue_of_the_server_is_waited_for() -> None:
    """Eight calls, two slots: the last waits three answers long, and none is given up."""
    settings = SlowSettings(tokens_per_second=100, pieces=("word ",) * 12)
    for stream in (True, False):
        async with slow(settings, stream=stream) as (backend, server):
            calls = (backend.complete(request(seed=seed)) for seed in range(8))
            texts = {completion.text for completion in await asyncio.gather(*calls)}
        assert texts == {"word " * 12}
        assert (server.ledger.begun, server.ledger.finished) == (8, 8)


@pytest.mark.parametrize("stream", [True, False])
async def test_the_first_byte_is_late(stream: bool) -> None:  # noqa: FBT001
    limits = replace(LIMITS, first_byte_seconds=0.1)
    settings = SlowSettings(silent_after=0)
    async with slow(settings, limits=limits, stream=stream) as (backend, server):
        fault = await failing(backend, "no answer within 0.1 s.*`first_byte_seconds`")
    assert outcome(fault) == ("timeout", None)
    assert server.ledger.begun == 1


async def test_silence_within_a_stream() -> None:
    settings = SlowSettings(tokens_per_second=FAST, silent_after=5)
    limits = replace(LIMITS, timeout_seconds=0.15)
    async with slow(settings, limits=limits) as (backend, _):
        fault = await failing(backend, "stopped: nothing for 0.15 s after .* events")
    assert outcome(fault) == ("timeout", None)


async def test_the_whole_call_is_limited() -> None:
    limits = replace(LIMITS, call_seconds=0.2)
    async with slow(SlowSettings(tokens_per_second=50), limits=limits) as (backend, server):
        fault = await failing(backend, "longer than 0.2 s; .* events arrived")
        while not server.ledger.lost:
            await asyncio.sleep(0.005)
    assert outcome(fault) == ("timeout", None)


async def test_limits_of_a_model_come_before_those_of_all() -> None:
    async with serving_slowly(SlowSettings(silent_after=0)) as server:
        own = ModelSettings(api_base=server.url, usd_per_million=PRICE, first_byte_seconds=0.05)
        await failing(ProviderBackend({MODEL: own}), "no answer within 0.05 s")


async def test_comments_keep_a_call_in_the_queue() -> None:
    settings = SlowSettings(
        slots=1, tokens_per_second=100, pieces=("word ",) * 20, comment_seconds=0.05
    )
    async with slow(settings) as (backend, server):
        calls = (backend.complete(request(seed=seed)) for seed in range(3))
        await asyncio.gather(*calls)
    assert server.ledger.finished == 3


@pytest.mark.parametrize("start", [b"", b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'])
async def test_comments_do_not_go_on_for_ever(start: bytes) -> None:
    limits = replace(LIMITS, first_byte_seconds=0.2)
    write = again_and_again(EVENTS + start, b": still here\n\n", seconds=0.02)
    fault = await fault_at(write, limits=limits, stream=True)
    assert outcome(fault) == ("timeout", None)
    assert "0.2 s" in str(fault)
    assert "only signs that the server is alive" in str(fault)


async def test_blank_lines_before_an_answer_are_no_answer() -> None:
    start = JSON + b"Connection: close\r\n\r\n"
    limits = replace(LIMITS, first_byte_seconds=0.2)
    fault = await fault_at(again_and_again(start, b"\n", seconds=0.02), limits=limits)
    assert fault.kind == "timeout"


@pytest.mark.parametrize("stream", [True, False])
async def test_one_byte_at_a_time(stream: bool) -> None:  # noqa: FBT001
    limits = replace(LIMITS, first_byte_seconds=0.9, call_seconds=1.0)  # the first call is slow
    start = EVENTS if stream else JSON + b"Connection: close\r\n\r\n"
    write = again_and_again(start, b"d", seconds=0.02)
    fault = await fault_at(write, limits=limits, stream=stream)
    assert outcome(fault) == ("timeout", None)


# Answers that cannot be used


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of more than a megabyte are too long."""
    monkeypatch.setattr(wire_body, "LONGEST", 2**20)


@pytest.mark.usefixtures("small")
async def test_a_body_that_is_too_long() -> None:
    size = 100 * 2**20
    said = once(JSON, b"Content-Length: %d\r\n\r\n" % size, b"x" * 1000)
    endless = again_and_again(JSON + b"Connection: close\r\n\r\n", b"x" * 2**16, seconds=0)
    events = again_and_again(EVENTS, b"data: {}\n" * 5000, seconds=0)
    bomb = gzip.compress(b"x" * size)
    packed = once(JSON, b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb), bomb)
    for write, stream in ((said, False), (endless, False), (packed, False), (events, True)):
        fault = await fault_at(write, stream=stream)
        assert "longer than 1 MB" in str(fault)
        assert outcome(fault) == ("failed", None)


async def test_a_body_that_cannot_be_unpacked() -> None:
    for encoding, body in ((b"gzip", b"garbage"), (b"br", b"anything")):
        head = b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (encoding, len(body))
        fault = await fault_at(once(JSON, head, body))
        assert "the answer" in str(fault)
        assert "packed" in str(fault)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": 3},
        {"prompt_tokens": 10**12, "completion_tokens": 3},
        {"prompt_tokens": 5, "completion_tokens": 10**12},
        {"prompt_tokens": "many", "completion_tokens": 3},
        {"prompt_tokens": 3.5, "completion_tokens": 3},
        {"prompt_tokens": 5, "completion_tokens_details": {"reasoning_tokens": "many"}},
        "many",
        [],
    ],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_an_absurd_count_counts_as_missing(
    usage: object,
    stream: bool,  # noqa: FBT001
) -> None:
    head = {"id": "1", "created": 0, "model": "local-model", "usage": usage}
    choice = {"index": 0, "finish_reason": "stop"}
    message = {"role": "assistant", "content": "Sixteen letters."}
    if stream:
        event = head | {"choices": [choice | {"delta": message}]}
        write = once(EVENTS, f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode())
    else:
        answer = head | {"object": "chat.completion", "choices": [choice | {"message": message}]}
        body = json.dumps(answer).encode()
        write = once(JSON, b"Content-Length: %d\r\n\r\n" % len(body), body)
    async with serving_bytes(write) as server:
        backend = backend_at(server.url, stream=stream)
        completion = await backend.complete(request())
        await backend.aclose()
    assert completion.text == "Sixteen letters."
    assert completion.usage.output_tokens == 4  # estimated from the text
    assert completion.usage.input_tokens < 20
    assert 0 < completion.cost_usd < 0.001


async def test_a_packed_answer_is_unpacked() -> None:
    message = {"role": "assistant", "content": "Packed."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "local-model"}
    packed = gzip.compress(json.dumps(answer | {"choices": [choice]}).encode())
    head = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    async with serving_bytes(once(JSON, head, packed)) as server:
        backend = backend_at(server.url)
        assert (await backend.complete(request())).text == "Packed."
        await backend.aclose()


@pytest.mark.parametrize(
    "garbage", [b"\x00\xff" * 50 + b"\n", b"data: {oops\n", b"data: 7\n", b"<html>\n"]
)
async def test_a_stream_of_garbage(garbage: bytes) -> None:
    write = again_and_again(EVENTS, garbage, seconds=0.01)
    fault = await fault_at(write, stream=True)
    assert "no stream of chat completions" in str(fault)
    assert outcome(fault) == ("failed", None)


async def test_a_stream_that_ends_too_early() -> None:
    event = b'data: {"choices": [{"delta": {"content": "Half an"}}]}\n\n'
    fault = await fault_at(once(EVENTS, event), stream=True)
    assert "ended before the answer did" in str(fault)


@pytest.mark.parametrize("model", [MODEL, "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"])
async def test_a_redirect_is_never_followed(model: str) -> None:
    async with serving_bytes(once(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) as elsewhere:
        head = b"HTTP/1.1 307 Moved\r\nContent-Length: 0\r\nLocation: %s/x\r\n\r\n"
        write = once(head % elsewhere.url.encode())
        async with serving_bytes(write) as server:
            backend = backend_at(server.url, model=model)
            fault = await failing(backend, "redirects to 127.0.0.1", model)
    assert not elsewhere.requests
    assert len(server.requests) == 1
    assert isinstance(fault, ProviderRejected) and fault.remedy == "model"
    assert KEY not in str(fault)


async def test_a_redirect_to_what_is_no_address() -> None:
    head = b"HTTP/1.1 307 Moved\r\nContent-Length: 0\r\nLocation: http://x:none/\r\n\r\n"
    fault = await fault_at(once(head))
    assert isinstance(fault, ProviderRejected) and fault.remedy == "model"
    assert "redirects to what is no address" in str(fault)


@pytest.mark.parametrize("address", ["http://me:hunter22@127.0.0.1:1", "http://127.0.0.1:99999"])
async def test_an_address_that_cannot_be_used_is_not_waited_for(address: str) -> None:
    """It is no server that is away: only a person can mend it."""
    fault = await failing(backend_at(address), r"cannot be used[.:].*Correct `api_base`")
    assert isinstance(fault, ProviderRejected) and fault.remedy == "model"
    assert fault.billed_usd == 0.0
    assert "hunter22" not in str(fault)


async def test_a_certificate_that_is_wrong() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).parents[3] / "servers" / "wrong-certificate.pem")
    async with serving_bytes(once(b""), context=context) as server:
        fault = await failing(backend_at(server.url), "certificate of 127.0.0.1:.* not valid")
    assert isinstance(fault, ProviderRejected) and fault.remedy == "model"
    assert not server.requests


@pytest.mark.parametrize("model", [MODEL, "anthropic/claude-sonnet-4-5"])
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://nowhere.invalid/v1", "'nowhere.invalid' cannot be resolved"),
        ("http://127.0.0.1:9/v1", "at 127.0.0.1:9: connection refused"),
    ],
)
async def test_an_address_where_nobody_is(address: str, words: str, model: str) -> None:
    fault = await failing(backend_at(address, model=model), words, model)
    assert outcome(fault) == ("unreachable", 0.0)


async def test_litellm_computes_no_cost_of_its_own() -> None:
    """Half of its work per call would be a cost that nobody reads."""
    async with serving_slowly(SlowSettings(tokens_per_second=FAST)) as server:
        arguments = {
            "model": MODEL,
            "api_base": server.url,
            "api_key": KEY,
            "messages": [{"role": "user", "content": "Hello"}],
        }
        response = await call("acompletion", arguments, Route(limits=LIMITS))
        await close_connections()
    assert response._hidden_params["response_cost"] == 1e-12

"""Answers under the status 200: read as what they plainly mean, or as the error that they are."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import InfrastructureFault
from arena.llm.provider_backend import ProviderBackend
from arena.llm.request import Completion
from arena.llm.settings import ModelSettings
from arena.llm.wire.bodies import normalise_answer, normalise_other
from arena.llm.wire.faults import UnusableAnswer
from tests.servers.connected import MODEL, PRICE, request
from tests.servers.raw import JSON, serving_bytes

pytestmark = pytest.mark.usefixtures("way")

_TEXT = "Costs fall, at last."
_USAGE = {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11}


def body(message: Any = None, **fields: Any) -> bytes:  # noqa: ANN401 - whatever a server sends
    """A chat completion whose message or other fields are different."""
    if message is None:
        message = {"role": "assistant", "content": _TEXT}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps(
        answer | {"choices": [choice], "usage": _USAGE} | fields, ensure_ascii=False
    ).encode()


async def answered(sent: bytes) -> Completion:
    """What the backend makes of a body, asked once."""

    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(JSON + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(sent) + sent)

    async with serving_bytes(write) as server:
        settings = ModelSettings(api_base=server.url, api_key="k", usd_per_million=PRICE)
        backend = ProviderBackend({MODEL: settings})
        try:
            return await backend.complete(request())
        finally:
            await backend.aclose()
            assert len(server.requests) == 1


@pytest.mark.parametrize(
    "sent",
    [
        body(),
        body({"content": _TEXT}),
        body({"role": "assistant", "content": [{"type": "text", "text": _TEXT}]}),
        body({"role": "assistant", "content": [{"type": "output_text", "text": _TEXT}]}),
        body({"role": "assistant", "content": ["Costs fall,", {"text": " at last."}]}),
        body({"role": "assistant", "content": {"type": "text", "text": _TEXT}}),
        body(
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                    {"type": "text", "text": _TEXT},
                ],
            }
        ),
        body(choices={"message": {"content": _TEXT}, "finish_reason": "stop"}),
        body(choices=[{"text": _TEXT, "finish_reason": "stop"}]),
        b"\xef\xbb\xbf" + body(),
        b": keep-alive\n\n: keep-alive\n\n" + body(),
        body(created=None, object=None, id=None),
    ],
)
async def test_what_an_answer_plainly_means_is_read(sent: bytes) -> None:
    completion = await answered(sent)
    assert (completion.text, completion.usage.output_tokens) == (_TEXT, 6)


async def test_another_encoding_is_read() -> None:
    sent = body({"role": "assistant", "content": "Déjà vu – again"}).decode().encode("cp1252")
    assert (await answered(sent)).text == "Déjà vu – again"


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "many"}, {"total_tokens": -1}])
async def test_a_missing_or_absurd_count_costs_no_answer(usage: object) -> None:
    completion = await answered(body(usage=usage))
    assert (completion.text, completion.usage.output_tokens) == (_TEXT, 5)
    assert completion.cost_usd > 0


@pytest.mark.parametrize(
    ("sent", "kind", "message"),
    [
        ({"error": {"message": "upstream connect error", "code": 502}}, "unavailable", "upstream"),
        ({"error": "upstream connect error"}, "failed", "upstream connect error"),
        ({"detail": "Service overloaded"}, "failed", "Service overloaded"),
        ({"message": "Rate limit reached", "code": 429}, "rate_limit", "Rate limit reached"),
    ],
)
async def test_an_error_under_the_status_200_is_one_and_costs_nothing(
    sent: object, kind: str, message: str
) -> None:
    with pytest.raises(InfrastructureFault, match=message) as caught:
        await answered(json.dumps(sent).encode())
    assert (caught.value.kind, caught.value.billed_usd) == (kind, 0.0)


@pytest.mark.parametrize(
    "sent", [b"", b"<html>502 Bad Gateway</html>", b"upstream connect error", b"null", b"[]"]
)
async def test_what_is_no_answer_may_have_been_paid(sent: bytes) -> None:
    with pytest.raises(InfrastructureFault, match="the answer is no JSON") as caught:
        await answered(sent)
    assert (caught.value.kind, caught.value.billed_usd) == ("failed", None)


@pytest.mark.parametrize("choices", [None, [], "none"])
async def test_an_answer_without_choices_costs_what_it_counts(choices: object) -> None:
    with pytest.raises(InfrastructureFault, match="the answer has no `choices`") as caught:
        await answered(body(choices=choices))
    assert caught.value.billed_usd == pytest.approx((5 * PRICE[0] + 6 * PRICE[1]) / 1e6)
    assert not caught.value.unusable, "it passes: the model is there"


@pytest.mark.parametrize("reason", ["error", "abort"])
async def test_an_answer_that_broke_off_is_a_fault_that_passes(reason: str) -> None:
    choice = {"index": 0, "message": {"content": "Work"}, "finish_reason": reason}
    with pytest.raises(InfrastructureFault, match=f"broke off.*its reason: {reason}") as caught:
        await answered(body(choices=[choice]))
    assert not caught.value.unusable


async def test_an_object_of_another_server_is_no_answer_of_a_model() -> None:
    with pytest.raises(InfrastructureFault, match=r"no `choices`: \{\"status\"") as caught:
        await answered(b'{"status": "ok"}')
    assert caught.value.unusable


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "text", "type", "usage", "error"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(_ANY)
def test_any_json_is_an_answer_or_a_fault(value: object) -> None:
    try:
        status, normal = normalise_answer(json.dumps(value).encode())
    except UnusableAnswer:
        return
    answer = json.loads(normal)
    if status == 200:
        assert all(isinstance(one["message"]["role"], object) for one in answer["choices"])
        assert normalise_answer(normal) == (200, normal)
    else:
        assert set(answer) == {"error"}


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (None, {"input_tokens": 0, "output_tokens": 0}),
        ({}, {"input_tokens": 0, "output_tokens": 0}),
        ({"input_tokens": None, "output_tokens": 6}, {"input_tokens": 0, "output_tokens": 6}),
        ({"input_tokens": -1}, {"input_tokens": 0, "output_tokens": 0}),
        ({"input_tokens": 5, "output_tokens": 6}, {"input_tokens": 5, "output_tokens": 6}),
    ],
)
def test_anthropic_s_counts_are_numbers(usage: object, read: object) -> None:
    message = {"type": "message", "content": [], "usage": usage}
    status, sent = normalise_other(json.dumps(message).encode())
    assert (status, json.loads(sent)["usage"]) == (200, read)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}', 529),
        (b'{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "No."}}', 429),
        (b'{"error": "an error was encountered while running the model"}', 500),
        (b'{"model": "m", "message": {"role": "assistant", "content": "Yes."}}', 200),
        (b'{"candidates": [], "error": null}', 200),
    ],
)
def test_other_formats_have_errors_too(sent: bytes, status: int) -> None:
    assert normalise_other(sent)[0] == status


@pytest.mark.parametrize("sent", [b"", b"<html></html>", b"[1]", b'{"type": '])
def test_what_is_no_object_is_no_answer_of_any_format(sent: bytes) -> None:
    with pytest.raises(UnusableAnswer, match="no JSON"):
        normalise_other(sent)

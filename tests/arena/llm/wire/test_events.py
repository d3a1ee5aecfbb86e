"""Streams of chat completions, put together as if they had not been streamed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.llm.wire.events import ChatStream
from arena.llm.wire.faults import ConnectionLost, NoStream, StreamFailed

HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 5, "model": "m"}


def event(delta: dict[str, Any], **choice: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return HEAD | {"choices": [{"index": 0, "delta": delta, "finish_reason": None} | choice]}


def wire(events: Sequence[object], *, end: str = "\n", done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(document)}{end}{end}" for document in events]
    return "".join([*lines, f"data: [DONE]{end}{end}" if done else ""]).encode()


def read(*chunks: bytes) -> dict[str, Any]:
    stream = ChatStream()
    for chunk in chunks:
        stream.feed(chunk)
    answer = json.loads(stream.finish())
    assert isinstance(answer, dict)
    return answer


@given(st.lists(st.text()), st.integers(1, 40), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_texts_arrive_byte_for_byte_however_they_are_cut(
    pieces: list[str],
    size: int,
    end: str,
    done: bool,  # noqa: FBT001
) -> None:
    events = [event({"role": "assistant", "content": ""})]
    events += [event({"content": piece}) for piece in pieces]
    events += [event({}, finish_reason="stop")]
    sent = wire(events, end=end, done=done)
    answer = read(*(sent[start : start + size] for start in range(0, len(sent), size)))
    [choice] = answer["choices"]
    assert choice["message"]["content"] == "".join(pieces)
    assert choice["finish_reason"] == "stop"
    assert {key: answer[key] for key in ("id", "created", "model", "object")} == HEAD | {
        "object": "chat.completion"
    }
    assert "usage" not in answer


def test_reasoning_refusals_and_counts() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    answer = read(
        wire(
            [
                event({"role": "assistant", "content": "", "refusal": None}) | {"usage": None},
                event({"reasoning_content": "Let me "}) | {"system_fingerprint": "fp"},
                event({"reasoning_content": "think."}),
                event({"refusal": "I "}) | {"usage": {"prompt_tokens": 1}},
                event({"refusal": "can't."}, finish_reason="stop"),
                HEAD | {"choices": [], "usage": usage, "system_fingerprint": None},
            ]
        )
    )
    assert answer["choices"][0]["message"] == {
        "role": "assistant",
        "content": None,
        "refusal": "I can't.",
        "reasoning_content": "Let me think.",
    }
    assert answer["usage"] == usage
    assert answer["system_fingerprint"] == "fp"


def test_parts_without_types_and_a_call_in_the_older_form() -> None:
    parts = read(wire([event({"content": ["Yes, "]}), event({"content": [{"text": "no."}]})]))
    assert parts["choices"][0]["message"]["content"] == [{"type": "text", "text": "Yes, no."}]
    pieces = [{"name": "f", "arguments": '{"x"'}, {"arguments": ":1}"}]
    called = read(wire([event({"function_call": piece}) for piece in pieces]))
    (call,) = called["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "f", "arguments": '{"x":1}'}


def test_tool_calls() -> None:
    first = {"index": 0, "id": "a", "type": "function"}
    answer = read(
        wire(
            [
                event({"tool_calls": [first | {"function": {"name": "f", "arguments": ""}}]}),
                event({"tool_calls": [{"index": 0, "function": {"arguments": '{"x"'}}]}),
                event({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "g"}}]}),
                event({"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}),
                event({}, finish_reason="tool_calls"),
            ]
        )
    )
    assert answer["choices"][0]["message"]["tool_calls"] == [
        {"function": {"name": "f", "arguments": '{"x":1}'}, "id": "a", "type": "function"},
        {"function": {"name": "g", "arguments": ""}, "id": "b"},
    ]


def test_what_is_no_content_is_skipped() -> None:
    stream = ChatStream()
    assert stream.feed(b": comment\n\nevent: message\nid: 7\nretry: 10\n\ndata:\n\n") == 0
    assert stream.feed(wire([event({"content": "a"}), event({}, finish_reason="stop")])) == 3
    assert json.loads(stream.finish())["choices"][0]["message"]["content"] == "a"


def test_an_empty_stream_has_no_choices() -> None:
    assert read(b"data: [DONE]\n\n")["choices"] == []


@pytest.mark.parametrize(
    "line",
    [
        b"<html>\n",
        b"data: {\n",
        b"data: []\n",
        b"data: " + b"[" * 100_000 + b"\n",
        b'data: {"choices": 7}\n',
        b'data: {"choices": [7]}\n',
        b'data: {"choices": [{"delta": 7}]}\n',
        b'data: {"choices": [{"delta": {"content": [7]}}]}\n',
        b'data: {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": 7}}]}}]}\n',
    ],
)
def test_garbage(line: bytes) -> None:
    with pytest.raises(NoStream, match="no stream of chat completions"):
        ChatStream().feed(line)


def test_an_answer_without_an_end() -> None:
    stream = ChatStream()
    stream.feed(wire([event({"content": "a"})], done=False))
    with pytest.raises(ConnectionLost, match="ended before the answer did"):
        stream.finish()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 429}, 429),
        ({"code": "402"}, 402),
        ({"code": "insufficient_quota"}, 429),
        ({"type": "overloaded_error"}, 529),
        ({"type": "invalid_request_error", "code": None}, 400),
        ({"code": 7}, 500),
        ("it broke", 500),
    ],
)
def test_errors_have_the_status_that_belongs_to_them(error: object, status: int) -> None:
    stream = ChatStream()
    stream.feed(wire([event({"role": "assistant", "content": ""}), {"error": error}]))
    assert stream.error is not None
    assert stream.error[0] == status
    late = ChatStream()
    with pytest.raises(StreamFailed) as caught:
        late.feed(wire([event({"content": "a"}), {"error": error}]))
    assert caught.value.status == status


def test_a_content_of_typed_parts_keeps_what_was_text_before() -> None:
    deltas = [
        {"role": "assistant", "content": "So"},
        {"content": ": "},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": ", yes"}]}]},
        {"content": "Ye"},
        {"content": [{"type": "text", "text": "s"}]},
    ]
    stream = ChatStream()
    for delta in deltas:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        stream.feed(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    stream.feed(f"data: {json.dumps({'choices': [end]})}\n\n".encode())
    message = json.loads(stream.finish())["choices"][0]["message"]
    assert message["content"] == [
        {"type": "text", "text": "So: "},
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm, yes"}]},
        {"type": "text", "text": "Yes"},
    ]

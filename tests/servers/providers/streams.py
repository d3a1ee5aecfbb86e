"""Streamed answers of the providers of OpenAI's format, each with its own differences.

Written in November 2026 from the same pages as the stand-ins; where a page shows no stream, from
the server's source or from streams that users have reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: The fields of a message that arrive piece by piece.
_TEXTS = ("reasoning_content", "reasoning", "content", "refusal")
_PIECE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStyle:
    """How a provider streams.

    Attributes:
        counts: where the count of tokens stands: in an event of its own, only if the call asks for
            it; or in the event that says why the answer ended, always.
        comments: sent between events, to keep the connection open.
        first: an event before the others.
    """

    counts: str = "asked for"
    comments: str = ""
    first: Mapping[str, Any] | None = None


def stream_events(
    whole: Mapping[str, Any], style: StreamStyle, *, counted: bool
) -> Iterator[dict[str, Any]]:
    """Yield the events of an answer.

    Args:
        whole: the answer as it is sent without a stream.
        style: the provider's.
        counted: whether the call asks for a count of tokens.
    """
    (choice,) = whole["choices"]
    head = {key: value for key, value in whole.items() if key not in ("choices", "usage")}
    head["object"] = "chat.completion.chunk"
    if style.first is not None:
        yield head | {"choices": []} | dict(style.first)
    for delta in _deltas(choice["message"]):
        yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    end = {key: value for key, value in choice.items() if key != "message"} | {"delta": {}}
    own = style.counts == "with the end"
    yield head | {"choices": [end]} | ({"usage": whole["usage"]} if own else {})
    if counted and not own:
        yield head | {"choices": [], "usage": whole["usage"]}


def write_events(events: Iterator[dict[str, Any]], style: StreamStyle) -> Iterator[bytes]:
    """Yield events as bytes, with comments between them, and the end."""
    for event in events:
        if style.comments:
            yield f": {style.comments}\n\n".encode()
        yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
    yield b"data: [DONE]\n\n"


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a message piece by piece, its thinking first."""
    yield {"role": "assistant", "content": ""}
    for field in _TEXTS:
        value = message.get(field)
        if isinstance(value, list):
            yield from ({field: part} for part in _parts(value))
        elif value:
            yield from ({field: piece} for piece in _pieces(value))


def _parts(chunks: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """Yield Mistral's chunks: thinking as lists of chunks, then the answer as plain text."""
    for chunk in chunks:
        if chunk["type"] == "text":
            yield from _pieces(chunk["text"])
            continue
        for thought in chunk["thinking"]:
            for piece in _pieces(thought["text"]):
                yield [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]


def _pieces(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]

"""A streamed chat completion, put together as if it had not been streamed.

The format is that of OpenAI's "Create chat completion" (chunks with a `delta` for each choice,
sent as server-sent events), as vLLM, llama.cpp, OpenRouter, DeepSeek and others speak it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.llm.wire.faults import ConnectionLost, NoStream, StreamFailed

#: The texts of a delta that continue those before.
_TEXTS = ("content", "reasoning_content", "reasoning", "thinking", "refusal")
#: Fields of an event that are put together otherwise.
_OWN = frozenset({"choices", "object", "usage"})
_END = b"[DONE]"
#: Words of errors that have no status of their own, with the status that belongs to them.
_STATUSES: Mapping[str, int] = {
    "rate_limit": 429,
    "quota": 429,
    "overloaded": 529,
    "unavailable": 503,
    "timeout": 408,
    "authentication": 401,
    "not_found": 404,
    "invalid_request": 400,
}
_SHOWN = 60


@dataclass(slots=True)
class ChatStream:
    """A chat completion that is put together from its events.

    Attributes:
        ended: whether the server has said that nothing follows.
        error: of an error that the server reports before it answers anything: the HTTP status that
            belongs to it, and a body.
    """

    ended: bool = False
    error: tuple[int, bytes] | None = None
    _rest: list[bytes] = field(default_factory=list)
    _head: dict[str, Any] = field(default_factory=dict)
    _usage: Any = None
    _texts: dict[str, list[str]] = field(default_factory=dict)
    _parts: list[dict[str, Any]] = field(default_factory=list)
    _message: dict[str, Any] = field(default_factory=dict)
    _tools: dict[int, dict[str, Any]] = field(default_factory=dict)
    _choice: dict[str, Any] | None = None

    def feed(self, chunk: bytes) -> int:
        """Take up a part of the stream, and return how many events it completes.

        Raises:
            NoStream: it is no stream of chat completions.
            StreamFailed: the server reports an error within its answer.
        """
        if b"\n" not in chunk:
            self._rest.append(chunk)
            return 0
        *lines, rest = b"".join([*self._rest, chunk]).split(b"\n")
        self._rest = [rest] if rest else []
        return sum(map(self._read_line, lines))

    def finish(self) -> bytes:
        """Return the body of the same answer as it would have been sent without a stream.

        Raises:
            ConnectionLost: the stream ended before the answer did.
            StreamFailed: the last event, without an end of line, is an error.
        """
        if self._rest:
            self._read_line(b"".join(self._rest))
            self._rest = []
        if not (self.ended or self.is_complete()):
            raise ConnectionLost("the stream ended before the answer did.")
        answer = self._head | {"object": "chat.completion", "choices": self._choices()}
        if self._usage is not None:
            answer["usage"] = self._usage
        return json.dumps(answer).encode()

    def is_complete(self) -> bool:
        """Return whether the answer's end has arrived, if perhaps not its count of tokens."""
        return self._choice is not None and self._choice.get("finish_reason") is not None

    def _read_line(self, line: bytes) -> bool:
        """Read a line, and return whether it is an event with content."""
        if line.startswith(b"data:"):
            payload = line[5:].strip()
            if payload == _END:
                self.ended = True
            elif payload and not self.ended:
                self._read_event(payload)
            return bool(payload)
        line = line.rstrip()
        if line and not line.startswith((b":", b"event:", b"id:", b"retry:")):
            raise _unreadable(line)
        return False

    def _read_event(self, payload: bytes) -> None:
        try:
            event = json.loads(payload)
        except (ValueError, RecursionError):
            raise _unreadable(payload) from None
        if not isinstance(event, dict):
            raise _unreadable(payload)
        if event.get("error"):
            self._read_error(event["error"])
            return
        for key, value in event.items():
            if value is not None and key not in _OWN:
                self._head[key] = value
        if event.get("usage") is not None:
            self._usage = event["usage"]
        try:
            for choice in event.get("choices") or ():
                self._read_choice(choice)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise _unreadable(payload) from None

    def _read_choice(self, choice: dict[str, Any]) -> None:
        if choice.get("index"):  # one answer is asked for
            return
        whole = self._choice = self._choice or {"index": 0, "finish_reason": None}
        for key, value in choice.items():
            if value is not None and key not in ("delta", "logprobs"):
                whole[key] = value
        for key, value in (choice.get("delta") or {}).items():
            if key == "content" and (self._parts or isinstance(value, list)):
                add_parts(self._parts, "".join(self._texts.pop("content", ())))
                add_parts(self._parts, value)
            elif key in _TEXTS and isinstance(value, str):
                self._texts.setdefault(key, []).append(value)
            elif key == "tool_calls":
                for call in value or ():
                    self._read_tool_call(call)
            elif key == "function_call" and value:  # its older form
                self._read_tool_call({"type": "function", "id": "1", "function": value})
            elif isinstance(value, list) and isinstance(self._message.get(key), list):
                self._message[key] = [*self._message[key], *value]
            elif key in _TEXTS and value is not None:
                raise ValueError(f"{key} is no text")
            elif value is not None:
                self._message[key] = value

    def _read_tool_call(self, call: dict[str, Any]) -> None:
        whole = self._tools.setdefault(call.get("index", 0), {"function": {"arguments": ""}})
        whole |= {
            key: value
            for key, value in call.items()
            if value is not None and key not in ("index", "function")
        }
        function = call.get("function") or {}
        whole["function"]["arguments"] += function.get("arguments") or ""
        if function.get("name"):
            whole["function"]["name"] = function["name"]

    def _read_error(self, error: object) -> None:
        body = error if isinstance(error, dict) else {"message": str(error)}
        status = status_of(body)
        if self._choice is not None and (self._parts or any(map(any, self._texts.values()))):
            words = " ".join(str(body.get("message") or body).split())
            raise StreamFailed(f"the server broke its answer off: {words}", status=status)
        self.error = status, json.dumps({"error": body}).encode()
        self.ended = True

    def _choices(self) -> list[dict[str, Any]]:
        if self._choice is None:
            return []
        texts = {key: "".join(parts) for key, parts in self._texts.items()}
        message = {"role": "assistant"} | self._message | texts
        message["content"] = self._parts or texts.get("content") or None
        if self._tools:
            message["tool_calls"] = [call for _, call in sorted(self._tools.items())]
        elif message["content"] is None and not message.get("refusal"):
            message["content"] = ""
        return [self._choice | {"message": message}]


def add_parts(parts: list[dict[str, Any]], value: object) -> None:
    """Add a piece to a content that is a list of typed parts, as Mistral sends thinking.

    The piece is further parts, or text; one of the kind that stands last continues it.

    >>> parts = [{"type": "text", "text": "Y"}]
    >>> add_parts(parts, "es")
    >>> parts
    [{'type': 'text', 'text': 'Yes'}]
    """
    pieces = [{"type": "text", "text": value}] if isinstance(value, str) else value or []
    if not isinstance(pieces, list):
        raise ValueError("the content is neither text nor a list")
    for part in pieces:
        piece = {"type": "text", **({"text": part} if isinstance(part, str) else part)}
        kind = piece["type"]
        last = parts[-1] if parts and parts[-1]["type"] == kind else None
        if last is not None and kind == "text":
            last["text"] += piece["text"]
        elif last is not None and kind == "thinking":
            add_parts(last["thinking"], piece["thinking"])
        elif piece.get("text") != "":
            parts.append(dict(piece))


def status_of(error: Mapping[str, Any]) -> int:
    """Return the HTTP status that belongs to an error, by its code or type; 500 where unknown."""
    code = error.get("code")
    if isinstance(code, str) and code.isdecimal():
        code = int(code)
    if isinstance(code, int) and 400 <= code < 600:
        return code
    words = f"{code} {error.get('type')}".lower()
    return next((status for word, status in _STATUSES.items() if word in words), 500)


def _unreadable(line: bytes) -> NoStream:
    shown = line[:_SHOWN].decode(errors="replace")
    return NoStream(f"the answer is no stream of chat completions: it contains {shown!r}.")

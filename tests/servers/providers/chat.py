"""OpenAI's Chat Completions format, which most providers speak, each with its own differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from tests.servers.providers.base import (
    KEY,
    Call,
    Failure,
    ProviderServer,
    Refused,
    Reply,
    Rule,
    between,
    find_fault,
    is_text,
    is_whole,
)
from tests.servers.providers.streams import StreamStyle, stream_events, write_events


class ChatServer(ProviderServer):
    """A provider of Chat Completions; subclasses say what differs.

    Attributes:
        model: the only one that is served.
        any_model: whether it answers to every name.
        roles: that a message may have.
        rules: the fields of a body besides `model` and `messages`.
        style: how it streams.
        ignores_unknown: whether fields that it does not know are left aside.
    """

    base = "/v1"
    path = "/v1/chat/completions"
    model = "gpt-4o-mini"
    any_model = False
    roles: ClassVar[tuple[str, ...]] = ("developer", "system", "user", "assistant")
    rules: ClassVar[Mapping[str, Rule]] = {}
    style: ClassVar[StreamStyle] = StreamStyle()
    ignores_unknown = False

    def check(self, call: Call) -> None:
        if call.path != self.path:
            raise Refused(self.no_path(call))
        if not self.has_key(call):
            raise Refused(self.no_key(call))
        if call.body.get("model") != self.model and not self.any_model:
            raise Refused(self.no_model(call))
        self.check_messages(call.body.get("messages"))
        rest = {key: value for key, value in call.body.items() if key not in ("model", "messages")}
        if self.ignores_unknown:
            rest = {key: value for key, value in rest.items() if key in self.rules}
        if fault := find_fault(rest, self.rules):
            name, known = fault
            raise Refused(self.bad_field(name, rest[name], known=known))

    def has_key(self, call: Call) -> bool:
        return call.headers.get("authorization") == f"Bearer {KEY}"

    def error(
        self,
        status: int,
        message: str,
        *,
        kind: str | None = "invalid_request_error",
        code: Any = None,  # noqa: ANN401
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,  # noqa: ANN401
    ) -> Failure:
        fault = {"message": message, "type": kind, "param": param, "code": code, **more}
        return Failure(status=status, body={"error": fault}, headers=headers or {})

    def no_path(self, call: Call) -> Failure:
        return self.error(404, f"Invalid URL (POST {call.path})")

    def no_key(self, call: Call) -> Failure:
        raise NotImplementedError

    def no_model(self, call: Call) -> Failure:
        raise NotImplementedError

    def bad_field(self, name: str, value: Any, *, known: bool) -> Failure:  # noqa: ANN401
        if not known:
            return self.error(400, f"Unknown parameter: '{name}'.", code="unknown_parameter")
        return self.error(400, f"Invalid '{name}': {value!r}.", code="invalid_value", param=name)

    def check_messages(self, messages: Any) -> None:  # noqa: ANN401
        if not isinstance(messages, list) or not messages:
            raise Refused(self.bad_field("messages", messages, known=True))
        for message in messages:
            if set(message) != {"role", "content"} or message["role"] not in self.roles:
                raise Refused(self.bad_field("messages", message, known=True))
            if not self.is_content(message["content"]):
                raise Refused(self.bad_field("messages", message["content"], known=True))

    def is_content(self, content: Any) -> bool:  # noqa: ANN401
        return is_text(content)

    def answer(self, call: Call, reply: Reply) -> dict[str, Any]:
        choice = {
            "index": 0,
            "message": self.message(reply),
            "logprobs": None,
            "finish_reason": reply.end or "stop",
        }
        return {
            "id": "chatcmpl-C3x7",
            "object": "chat.completion",
            "created": 1793000000,
            "model": self.model,
            "choices": [choice],
            "usage": self.usage(reply),
            "system_fingerprint": "fp_44",
            **reply.extra,
        }

    def stream(self, call: Call, reply: Reply) -> Iterator[bytes] | None:
        """Return the events of an answer, where the call asks for a stream."""
        if not call.body.get("stream"):
            return None
        counted = bool(call.body.get("stream_options", {}).get("include_usage"))
        events = stream_events(self.answer(call, reply), self.style, counted=counted)
        return write_events(events, self.style)

    def message(self, reply: Reply) -> dict[str, Any]:
        return {"role": "assistant", "content": reply.text}

    def usage(self, reply: Reply) -> dict[str, Any]:
        """Return the tokens in OpenAI's form: cached and thinking ones are part of the others."""
        return {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.prompt_tokens + reply.output_tokens,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": reply.thinking_tokens},
        }


def is_format(value: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether a value is one of OpenAI's response formats; a strict schema must be closed."""
    if not isinstance(value, dict):
        return False
    if value.get("type") in ("text", "json_object"):
        return set(value) == {"type"}
    schema = value.get("json_schema")
    if value.get("type") != "json_schema" or not isinstance(schema, dict):
        return False
    known = set(schema) <= {"name", "schema", "strict", "description"}
    return known and is_text(schema.get("name")) and _is_strict(schema)


def _is_strict(schema: Mapping[str, Any]) -> bool:
    return not schema.get("strict") or is_closed(schema.get("schema"))


def is_closed(schema: object) -> bool:
    """Whether each object of a schema requires all of its fields and allows no others."""
    if isinstance(schema, list):
        return all(is_closed(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            return False
        if sorted(schema.get("required", ())) != sorted(fields):
            return False
    return all(is_closed(part) for part in schema.values())


#: Fields that every provider of this format knows.
COMMON: Mapping[str, Rule] = {
    "temperature": between(0, 2),
    "top_p": between(0, 1),
    "max_tokens": is_whole,
    "response_format": is_format,
    "stream": lambda value: isinstance(value, bool),
    "stream_options": lambda value: value == {"include_usage": True},
    "n": lambda value: value == 1,
}

"""What OpenAI's interface accepts, checked more strictly than most servers do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

#: How a server says which parameter it refuses.
Refusal: TypeAlias = Literal["param", "message", "detail"]

_ROLES = ("system", "developer", "user", "assistant")


class Rejected(Exception):
    """A request that the interface refuses, with the parameter that is to blame."""

    def __init__(self, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code

    def answer(self, refusal: Refusal = "param") -> tuple[dict[str, Any], int]:
        """The body and the status: as OpenAI writes them, or as other servers do."""
        if self.code == "unsupported_parameter" and refusal == "message":  # older vLLM
            return {"object": "error", "message": self.message, "code": 400}, 400
        if self.code == "unsupported_parameter" and refusal == "detail":  # FastAPI
            wrong = {"type": "extra_forbidden", "loc": ["body", self.param], "msg": "Extra inputs"}
            return {"detail": [wrong]}, 422
        body = {
            "message": self.message,
            "type": "invalid_request_error",
            "param": self.param,
            "code": self.code,
        }
        return {"error": body}, 404 if self.code == "model_not_found" else 400


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_format(value: Any) -> bool:  # noqa: ANN401 - whatever JSON holds
    if not isinstance(value, dict) or value.get("type") not in (
        "text",
        "json_object",
        "json_schema",
    ):
        return False
    if value["type"] != "json_schema":
        return set(value) == {"type"}
    schema = value.get("json_schema")
    return (
        isinstance(schema, dict)
        and isinstance(schema.get("name"), str)
        and isinstance(schema.get("schema"), dict)
        and set(schema) <= {"name", "schema", "strict", "description"}
    )


_PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "temperature": lambda value: _is_number(value) and 0 <= value <= 2,
    "top_p": lambda value: _is_number(value) and 0 <= value <= 1,
    "seed": _is_whole,
    "max_tokens": lambda value: _is_whole(value) and value >= 1,
    "max_completion_tokens": lambda value: _is_whole(value) and value >= 1,
    "n": lambda value: value == 1,
    "stream": lambda value: value is False,
    "stop": lambda value: isinstance(value, str | list),
    "user": lambda value: isinstance(value, str),
    "response_format": _is_format,
}


def check_chat(body: object, *, models: tuple[str, ...], refused: frozenset[str]) -> dict[str, Any]:
    """A chat request, if it is one.

    Args:
        body: the parsed JSON.
        models: the names that are served; empty for any.
        refused: parameters that this server does not take.

    Raises:
        Rejected: anything is missing, unknown or out of its range.
    """
    asked = _check_model(body, models)
    _check_messages(asked.get("messages"))
    for name, value in asked.items():
        if name in ("model", "messages"):
            continue
        if name in refused:
            raise Rejected(
                f"Unsupported parameter: '{name}' is not supported with this model.",
                param=name,
                code="unsupported_parameter",
            )
        if name not in _PARAMETERS:
            raise Rejected(
                f"Unrecognized request argument supplied: {name}",
                param=name,
                code="unknown_parameter",
            )
        if not _PARAMETERS[name](value):
            raise Rejected(f"Invalid '{name}': {value!r}.", param=name, code="invalid_value")
    return asked


def check_embeddings(body: object, *, models: tuple[str, ...]) -> list[str]:
    """The texts to embed.

    Raises:
        Rejected: it is no request for embeddings.
    """
    asked = _check_model(body, models)
    texts = asked.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise Rejected("'input' must be a text or a list of texts.", param="input")
    if unknown := set(asked) - {"model", "input", "encoding_format", "user"}:
        raise Rejected(f"Unrecognized request argument supplied: {sorted(unknown)[0]}")
    return texts


def _check_model(body: object, models: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise Rejected("The body must be a JSON object.")
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise Rejected("you must provide a model parameter", param="model")
    if models and model not in models:
        raise Rejected(
            f"The model `{model}` does not exist or you do not have access to it.",
            param="model",
            code="model_not_found",
        )
    return body


def _check_messages(messages: object) -> None:
    if not isinstance(messages, list) or not messages:
        raise Rejected("'messages' must be a list that is not empty.", param="messages")
    for place, message in enumerate(messages):
        _check_message(message, f"messages[{place}]")


def _check_message(message: object, place: str) -> None:
    if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
        raise Rejected(f"{place} must have a role and a content, and no more.", param=place)
    if message["role"] not in _ROLES:
        raise Rejected(f"Invalid value: {message['role']!r}.", param=f"{place}.role")
    if not isinstance(message["content"], str):
        raise Rejected(f"Invalid type for '{place}.content'.", param=f"{place}.content")

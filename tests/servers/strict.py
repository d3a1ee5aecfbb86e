"""What OpenAI's interface accepts, checked more strictly than most servers do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from tests.servers.chat_bodies import error
from tests.servers.providers.base import Rule, between, is_seed, is_whole, one_of
from tests.servers.providers.chat import is_format

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
        status = 404 if self.code == "model_not_found" else 400
        return error(self.message, param=self.param, code=self.code), status


_PARAMETERS: dict[str, Rule] = {
    "temperature": between(0, 2),
    "top_p": between(0, 1),
    "seed": is_seed,
    "max_tokens": is_whole,
    "max_completion_tokens": is_whole,
    "n": one_of(1),
    "reasoning_effort": one_of("none", "minimal", "low", "medium", "high", "xhigh"),
    "stream": lambda value: value is False,
    "stop": lambda value: isinstance(value, str | list),
    "user": lambda value: isinstance(value, str),
    "response_format": is_format,
}


def check_chat(body: object, *, models: tuple[str, ...], refused: frozenset[str]) -> dict[str, Any]:
    """A chat request, if it is one; `Rejected` if anything is missing, unknown or out of its range.

    Args:
        models: the names that are served; empty for any.
        refused: parameters that this server does not take.
    """
    asked = _check_model(body, models)
    _check_messages(asked.get("messages"))
    for name, value in asked.items():
        if name in ("model", "messages"):
            continue
        if name in refused:
            words = f"Unsupported parameter: '{name}' is not supported with this model."
            raise Rejected(words, param=name, code="unsupported_parameter")
        if name not in _PARAMETERS:
            words = f"Unrecognized request argument supplied: {name}"
            raise Rejected(words, param=name, code="unknown_parameter")
        if not _PARAMETERS[name](value):
            raise Rejected(f"Invalid '{name}': {value!r}.", param=name, code="invalid_value")
    return asked


def check_embeddings(body: object, *, models: tuple[str, ...]) -> list[str]:
    """The texts to embed; `Rejected` if it is no request for embeddings."""
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

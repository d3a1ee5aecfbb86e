"""What providers of models say: the models they serve, how an answer reads, why a call failed.

Nothing here imports LiteLLM; its objects are read by their attributes.
"""

from __future__ import annotations

import math
import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeAlias

import httpx

from arena.errors import (
    ArenaError,
    ConfigError,
    InfrastructureFault,
    ProviderRejected,
    TruncatedReply,
)
from arena.llm.request import Completion, FinishReason, Request, Schema, Usage

#: One of LiteLLM's objects.
Answered: TypeAlias = Any

#: 4xx that another try may well survive: timeout, conflict, too early.
_PASSING = frozenset({408, 409, 425})
#: Statuses after which the model may have answered all the same.
_UNCERTAIN = frozenset({408, 504})
_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_LONGEST_MESSAGE = 300
#: LiteLLM's errors that are about what was said.
_REFUSED, _TOO_LONG = "ContentPolicyViolationError", "ContextWindowExceededError"
#: What LiteLLM adds to a message, for programmers.
_NOISE = re.compile(r"\blitellm\.\w+: |Handle with `litellm\.\w+`\.")
_FINISH: Mapping[str, FinishReason] = {
    "length": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}
#: What may be left out when a provider refuses it, in this order.
_OPTIONAL = ("response_format", "top_p", "seed", "temperature")
#: Values that are a provider's own default, so that leaving them out changes nothing.
_NEUTRAL: Mapping[str, float] = {"top_p": 1.0, "temperature": 1.0}


async def list_models(api_base: str, *, timeout_seconds: float = 10.0) -> list[str]:
    """The models of an OpenAI-compatible server, sorted.

    Raises:
        ConfigError: nothing listens there, or it does not answer as such a server does.
    """
    address = f"{api_base.rstrip('/')}/models"
    try:
        async with httpx.AsyncClient(timeout=timeout_seconds) as client:
            answered = await client.get(address)
        answered.raise_for_status()
        return sorted(str(model["id"]) for model in answered.json()["data"])
    except (httpx.TransportError, httpx.InvalidURL):
        raise ConfigError(
            f"no server answers at {api_base}. Start one there, or set `api_base` to the address "
            "of an OpenAI-compatible server; it usually ends in /v1."
        ) from None
    except (httpx.HTTPStatusError, ValueError, KeyError, TypeError):
        raise ConfigError(
            f"what answers at {address} is no OpenAI-compatible server: GET must return "
            '{"data": [{"id": "<model>"}, ...]}. Check `api_base`; it usually ends in /v1.'
        ) from None


def finish_of(reason: str | None) -> FinishReason:
    """A provider's finish reason as one of ours."""
    return _FINISH.get(reason or "", "stop")


def refusal_of(message: Answered) -> str:
    """The model's words where it declined: LiteLLM keeps OpenAI's `refusal` among the specifics."""
    specific = getattr(message, "provider_specific_fields", None) or {}
    return str(getattr(message, "refusal", None) or specific.get("refusal") or "")


def optional_parameters(request: Request) -> dict[str, float]:
    """What a request asks for and a provider may refuse."""
    sampling = request.sampling
    return {"temperature": sampling.temperature, "top_p": sampling.top_p, "seed": request.seed}


def response_format(schema: Schema) -> dict[str, Any]:
    """A schema as OpenAI's interface wants it; strict where it satisfies the rules for that."""
    form: dict[str, Any] = {"name": schema.name, "schema": dict(schema.body)}
    if _is_closed(schema.body):
        form["strict"] = True
    return {"type": "json_schema", "json_schema": form}


def blamed_parameter(error: BaseException, asked: Mapping[str, Any]) -> str | None:
    """The parameter of a call that the provider (or LiteLLM for it) refuses, and that can go."""
    if status_of(error) not in (400, 422) or type(error).__name__ in (_REFUSED, _TOO_LONG):
        return None
    body, message = error_body(error), message_of(error)[:_LONGEST_MESSAGE]
    neutral_first = sorted(_OPTIONAL, key=lambda name: not changes_nothing(name, asked.get(name)))
    named = [
        name
        for name in neutral_first
        if name in asked and (body.get("param") == name or re.search(rf"\b{name}\b", message))
    ]
    if not named and "max_tokens" in asked and "max_completion_tokens" in message:
        return "max_tokens"  # the same limit under its newer name
    return named[0] if named else None


def changes_nothing(name: str, value: float | None) -> bool:
    """Whether a sampling parameter has the value that providers take by default."""
    return name in _NEUTRAL and value == _NEUTRAL[name]


def refused_content(model: str, error: Exception, *, keys: Iterable[str] = ()) -> Completion:
    """A call that failed because of what it said, as a refusal; any other failure is raised.

    Raises:
        TruncatedReply: the prompt is longer than the model can read.
        InfrastructureFault: as `fault_of` says.
    """
    kind = type(error).__name__
    words = _shown(error, keys)
    if kind == _REFUSED:
        nothing = Usage(input_tokens=0, output_tokens=0)
        return Completion(text="", finish_reason="refusal", usage=nothing, refusal=words)
    if kind == _TOO_LONG:
        raise TruncatedReply(f"{model}: the prompt is too long. {words}") from None
    raise fault_of(error, model, keys=keys) from None


def fault_of(error: BaseException, model: str, *, keys: Iterable[str] = ()) -> InfrastructureFault:
    """A failed call as an error of ours.

    The status is read from the HTTP response itself where there was one: LiteLLM reports a dropped
    connection and a broken body as a 500 too, and those may well have been billed.

    Args:
        error: what was raised.
        model: whose call it was.
        keys: texts that must not appear in the message.
    """
    response = http_response(error)
    status = status_of(error)
    message = f"{model}: {_shown(error, keys)}"
    if status is not None and _is_final(status, response):
        return ProviderRejected(message)
    if status == 429 or _never_sent(error):
        billed: float | None = 0.0
    else:
        billed = None if response is None or status in _UNCERTAIN else 0.0
    return InfrastructureFault(message, retry_after=retry_after(response), billed_usd=billed)


def status_of(error: BaseException) -> int | None:
    """The HTTP status of a failure; without a response, the one that LiteLLM gave it."""
    response = http_response(error)
    status = getattr(error, "status_code", None) if response is None else response.status_code
    return status if isinstance(status, int) else None


def http_response(error: BaseException) -> httpx.Response | None:
    """The response of the server that an error goes back to, if there was one."""
    for one in _chain(error):
        if isinstance(one, httpx.HTTPStatusError):
            return one.response
    return None


def retry_after(response: httpx.Response | None) -> float | None:
    """Seconds to wait, as `Retry-After` says: a number or a date."""
    hint = response.headers.get("retry-after", "").strip() if response is not None else ""
    try:
        seconds = float(hint)
    except ValueError:
        seconds = _seconds_until(hint)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def error_body(error: BaseException) -> dict[str, Any]:
    """The `error` object of the server's answer, or nothing."""
    response = http_response(error)
    try:
        found = response.json() if response is not None else {}
    except (ValueError, httpx.StreamError):
        return {}
    inner = found.get("error", found.get("detail", found)) if isinstance(found, dict) else {}
    if isinstance(inner, dict) and "error" in inner:  # Tavily: {"detail": {"error": "…"}}
        inner = inner["error"]
    return inner if isinstance(inner, dict) else {"message": str(inner)}


def message_of(error: BaseException) -> str:
    """What the server says, else what the error says: one line, secrets included."""
    named = "timed out" if isinstance(error, TimeoutError) else type(error).__name__
    text = str(error_body(error).get("message") or error) or named
    return " ".join(_NOISE.sub("", text).split())


def without_secrets(text: str, keys: Iterable[str] = ()) -> str:
    """A text without these keys and without what the environment keeps secret."""
    kept = (value for name, value in os.environ.items() if name.endswith(_SECRET_NAMES))
    for secret in sorted({*keys, *kept}, key=len, reverse=True):
        if len(secret) >= 4:
            text = text.replace(secret, "[key]")
    return text


def _shown(error: BaseException, keys: Iterable[str]) -> str:
    text = without_secrets(message_of(error), keys)  # before a key could be cut in half
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


def _is_final(status: int, response: httpx.Response | None) -> bool:
    if status == 429:
        return response is not None and "insufficient_quota" in response.text
    return 400 <= status < 500 and status not in _PASSING


def _never_sent(error: BaseException) -> bool:
    # LiteLLM calls a reset connection a ConnectError as well; only these are certain.
    return any(isinstance(one, ConnectionRefusedError | socket.gaierror) for one in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    # An error of ours was there before: somebody calls again while it is being handled.
    while error is not None and not isinstance(error, ArenaError):
        yield error
        error = error.__cause__ or error.__context__


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, TypeError):
        return math.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()


def _is_closed(schema: object) -> bool:
    # OpenAI's strict mode: every object lists all of its fields as required and allows no others.
    if isinstance(schema, list):
        return all(_is_closed(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        fields = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            return False
        if set(schema.get("required", ())) != set(fields):
            return False
    return all(_is_closed(part) for part in schema.values())

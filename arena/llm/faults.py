"""What providers of models say: how an answer ended, and why a call failed.

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
    InfrastructureFault,
    ProviderRejected,
    TruncatedReply,
)
from arena.llm.request import Completion, FinishReason, Usage

#: One of LiteLLM's objects.
Answered: TypeAlias = Any

#: 4xx that another try may well survive: timeout, conflict, too early.
_PASSING = frozenset({408, 409, 425})
#: Statuses after which the model may have answered all the same.
_UNCERTAIN = frozenset({408, 504})
_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
LONGEST_MESSAGE = 300
#: LiteLLM's errors that are about what was said.
REFUSED, TOO_LONG = "ContentPolicyViolationError", "ContextWindowExceededError"
#: What LiteLLM adds to a message, for programmers.
_NOISE = re.compile(r"\blitellm\.\w+: |Handle with `litellm\.\w+`\.")
_FINISH: Mapping[str, FinishReason] = {
    "length": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}


def finish_of(reason: str | None) -> FinishReason:
    """A provider's finish reason as one of ours."""
    return _FINISH.get(reason or "", "stop")


def refusal_of(message: Answered) -> str:
    """The model's words where it declined: LiteLLM keeps OpenAI's `refusal` among the specifics."""
    specific = getattr(message, "provider_specific_fields", None) or {}
    return str(getattr(message, "refusal", None) or specific.get("refusal") or "")


def refused_content(model: str, error: Exception, *, keys: Iterable[str] = ()) -> Completion:
    """A call that failed because of what it said, as a refusal; any other failure is raised.

    Raises:
        TruncatedReply: the prompt is longer than the model can read.
        InfrastructureFault: as `fault_of` says.
    """
    kind = type(error).__name__
    words = _shown(error, keys)
    if kind == REFUSED:
        nothing = Usage(input_tokens=0, output_tokens=0)
        return Completion(text="", finish_reason="refusal", usage=nothing, refusal=words)
    if kind == TOO_LONG:
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
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"


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

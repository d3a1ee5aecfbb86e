"""Reading providers' answers: why an answer ended, why a call failed, and what that costs.

Nothing here imports LiteLLM; its objects are read by their attributes.
"""

from __future__ import annotations

import math
import os
import re
import socket
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, TypeAlias

import httpx

from arena.errors import (
    FaultKind,
    InfrastructureFault,
    PromptTooLong,
    ProviderRejected,
    Remedy,
)
from arena.llm.error_words import is_flagged, is_too_long, remedy_in, upstream_words, wait_in
from arena.llm.request import Completion, Usage
from arena.llm.wire.faults import StreamFailed, WireFault, causes_of, wire_fault

#: One of LiteLLM's objects.
LiteLLMObject: TypeAlias = Any

#: 4xx statuses after which a retry may succeed: timeout, conflict, too early.
_TEMPORARY = frozenset({408, 409, 425})
#: Statuses after which the model may have answered nevertheless.
_UNCERTAIN = frozenset({408, 504})
#: A body of more bytes than are accepted.
_TOO_LARGE = 413
#: Statuses that say what kind of failure it is, and what a person must mend.
_KINDS: Mapping[int, FaultKind] = {
    408: "timeout",
    402: "rate_limit",  # OpenRouter's, with a time to wait
    429: "rate_limit",
    502: "unavailable",
    503: "unavailable",
    504: "unavailable",
    529: "unavailable",  # Anthropic's: overloaded
}
_REMEDIES: Mapping[int, Remedy] = {401: "key", 402: "quota", 403: "key", 404: "model"}
_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
LONGEST_MESSAGE = 300
#: LiteLLM's errors that concern the content of the call.
_REFUSED, _TOO_LONG = "ContentPolicyViolationError", "ContextWindowExceededError"
#: Statuses with which a provider rejects the content of a call.
_CONTENT_STATUSES = frozenset({400, 403, 413, 422})
#: What LiteLLM adds to messages for programmers.
_NOISE = re.compile(r"\blitellm\.\w+: |Handle with `litellm\.\w+`\.")


def read_served_model(response: LiteLLMObject, provider: str) -> str:
    """Return the name of the model that answered, without the provider that LiteLLM adds."""
    return str(getattr(response, "model", None) or "").removeprefix(f"{provider}/")


def read_fingerprint(response: LiteLLMObject) -> str:
    """Return the provider's `system_fingerprint`; empty where it has none."""
    return str(getattr(response, "system_fingerprint", None) or "")


def refusal_or_raise(model: str, error: Exception, *, keys: Iterable[str] = ()) -> Completion:
    """Return a failed call as a refusal if a content policy rejected it; raise any other failure.

    Raises:
        PromptTooLong: the prompt is longer than the model can read.
        InfrastructureFault: as `fault_of` returns it.
    """
    concern, message = content_concern(error), _format_message(error, keys)
    if concern == "refused":
        nothing = Usage(input_tokens=0, output_tokens=0)
        return Completion(text="", finish_reason="refusal", usage=nothing, refusal=message)
    if concern == "too_long":
        raise PromptTooLong(f"{model}: the prompt is too long. {message}") from None
    raise fault_of(error, model, keys=keys) from None


def content_concern(error: BaseException) -> Literal["refused", "too_long"] | None:
    """Return what is wrong with the content of a call; `None` where that is not the reason."""
    status, text = status_of(error), message_of(error)
    if type(error).__name__ == _TOO_LONG or status == _TOO_LARGE:
        return "too_long"
    if type(error).__name__ == _REFUSED:
        return "refused"
    fault = error_body(error)
    if status not in _CONTENT_STATUSES or remedy_in(fault, text, certain=True):
        return None
    if is_flagged(fault, text):
        return "refused"
    return "too_long" if is_too_long(fault, text) else None


def is_explained(error: BaseException) -> bool:
    """Return whether a failed call has a reason that no other form of it would cure."""
    certain = remedy_in(error_body(error), message_of(error), certain=True)
    return certain is not None or content_concern(error) is not None


def fault_of(error: BaseException, model: str, *, keys: Iterable[str] = ()) -> InfrastructureFault:
    """Translate the error of a failed call into one of the project.

    The status is read from the HTTP response itself where there was one: LiteLLM also reports a
    dropped connection and a broken body as a 500, and those calls may have been billed.

    Args:
        error: the error raised by LiteLLM or httpx.
        model: the model that was called, or the service.
        keys: secrets that must not appear in the message.
    """
    response = http_response(error)
    status = status_of(error)
    message = f"{model}: {_format_message(error, keys)}"
    if (fault := wire_fault(error)) is not None:
        return _of_wire(fault, message)
    remedy = _remedy(status, error)
    if status is not None and _is_final(status, remedy):
        return ProviderRejected(message, remedy=remedy)
    kind = _kind(status, error)
    if kind in ("rate_limit", "unreachable"):
        billed_usd: float | None = 0.0
    else:
        billed_usd = None if response is None or status in _UNCERTAIN else 0.0
    wait = retry_after(response)
    wait = wait_in(error_body(error)) if wait is None else wait
    return InfrastructureFault(message, kind=kind, retry_after=wait, billed_usd=billed_usd)


def is_timeout(error: BaseException) -> bool:
    """Return whether a call ended because a limit of time had passed."""
    return fault_of(error, "").kind == "timeout"


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of a failure; without a response, the one that LiteLLM assigned."""
    response = http_response(error)
    status = getattr(error, "status_code", None) if response is None else response.status_code
    return status if isinstance(status, int) else None


def http_response(error: BaseException) -> httpx.Response | None:
    """Return the server's response that caused an error, if there was one."""
    for cause in causes_of(error):
        if isinstance(cause, httpx.HTTPStatusError):
            return cause.response
    return None


def retry_after(response: httpx.Response | None) -> float | None:
    """Return the seconds to wait by the header `Retry-After`, a number or a date; else `None`."""
    header = response.headers.get("retry-after", "").strip() if response is not None else ""
    try:
        seconds = float(header)
    except ValueError:
        seconds = _seconds_until(header)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def error_body(error: BaseException) -> dict[str, Any]:
    """Return the `error` object of the server's response; empty without one."""
    response = http_response(error)
    try:
        body = response.json() if response is not None else {}
    except (ValueError, httpx.StreamError):
        return {}
    fault = body.get("error", body.get("detail", body)) if isinstance(body, dict) else {}
    if isinstance(fault, dict) and "error" in fault:  # Tavily: {"detail": {"error": "…"}}
        fault = fault["error"]
    return fault if isinstance(fault, dict) else {"message": str(fault)}


def blamed_fields(error: BaseException) -> frozenset[str]:
    """Return the fields of the request that the server's response names as wrong.

    OpenAI names one in `param` (`response_format.json_schema`: its first part counts), FastAPI
    lists them in `detail` as `loc`.
    """
    fields = {re.split(r"[.\[]", str(error_body(error).get("param") or ""))[0]}
    response = http_response(error)
    try:
        body = response.json() if response is not None else None
    except (ValueError, httpx.StreamError):
        body = None
    if isinstance(body, dict) and isinstance(body.get("message"), dict):  # Mistral
        body = body["message"]
    detail = body.get("detail") if isinstance(body, dict) else None
    for fault in detail if isinstance(detail, list) else ():
        if isinstance(fault, dict) and isinstance(fault.get("loc"), list):
            fields.update(str(part) for part in fault["loc"])
    return frozenset(fields - {"", "body"})


def message_of(error: BaseException) -> str:
    """Return the server's message, else the error's, on one line; it may contain secrets."""
    error = wire_fault(error) or error
    fallback = "timed out" if isinstance(error, TimeoutError) else type(error).__name__
    body = error_body(error)
    text = str(body.get("message") or error) or fallback
    if upstream := upstream_words(body):
        text = f"{text}: {upstream}"
    return " ".join(_NOISE.sub("", text).split())


def remove_secrets(text: str, keys: Iterable[str] = (), *, shortest: int = 4) -> str:
    """Replace keys, and the values of secret environment variables, in a text.

    Args:
        text: that may contain them.
        keys: to be replaced besides those of the environment.
        shortest: values with fewer characters stay, because they could be words.
    """
    secrets = (value for name, value in os.environ.items() if name.endswith(_SECRET_NAMES))
    for secret in sorted({*keys, *secrets}, key=len, reverse=True):
        if len(secret) >= shortest:
            text = text.replace(secret, "[key]")
    return text


def _of_wire(fault: WireFault, message: str) -> InfrastructureFault:
    if fault.remedy is not None:
        return ProviderRejected(message, remedy=fault.remedy)
    kind = _KINDS.get(fault.status, "failed") if isinstance(fault, StreamFailed) else fault.kind
    return InfrastructureFault(message, kind=kind, billed_usd=None if fault.sent else 0.0)


def _format_message(error: BaseException, keys: Iterable[str]) -> str:
    text = remove_secrets(message_of(error), keys)  # before shortening could cut a key in half
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"


def _is_final(status: int, remedy: Remedy | None) -> bool:
    if status in (402, 429):
        return remedy == "quota"
    return 400 <= status < 500 and status not in _TEMPORARY


def _remedy(status: int | None, error: BaseException) -> Remedy | None:
    if status is None or not 400 <= status < 500:
        return None
    if status == 402 and retry_after(http_response(error)) is not None:
        return None  # OpenRouter's: other calls in flight have reserved the rest of the credit
    said = remedy_in(error_body(error), message_of(error))
    if status == 429:
        return said if said == "quota" else None
    return said or _REMEDIES.get(status)


def _kind(status: int | None, error: BaseException) -> FaultKind:
    if _never_sent(error):
        return "unreachable"
    if http_response(error) is None and any(map(_is_timeout, causes_of(error))):
        return "timeout"
    return _KINDS.get(status or 0, "failed")


def _is_timeout(error: BaseException) -> bool:
    return isinstance(error, TimeoutError | httpx.TimeoutException)


def _never_sent(error: BaseException) -> bool:
    # LiteLLM also reports a reset connection as a ConnectError; only these are certain.
    certain = ConnectionRefusedError | socket.gaierror
    return any(isinstance(cause, certain) for cause in causes_of(error))


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, TypeError):
        return math.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()

"""Why a call failed, from its status, its error's codes and words, and what that costs.

The codes are those of the providers' documentation and of errors that their users have reported, as
of November 2026; the words stand in `server_sayings.toml`. `docs/models.md` lists which provider
was checked against what. Nothing here imports LiteLLM; its objects are read by their attributes.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import httpx

from arena.errors import (
    FaultKind,
    InfrastructureFault,
    PromptTooLong,
    ProviderRejected,
    Remedy,
)
from arena.llm.keys import SECRET_NAMES
from arena.llm.request import Completion, Usage
from arena.llm.sayings import says
from arena.llm.wait_hints import asked_wait, details_of
from arena.llm.wire.faults import StreamFailed, UnusableAnswer, causes_of, wire_fault

#: One of LiteLLM's objects.
LiteLLMObject: TypeAlias = Any

#: 4xx statuses after which a retry may succeed: timeout, conflict, too early, and TGI's for an
#: answer that failed while it was made.
_TEMPORARY = frozenset({408, 409, 424, 425})
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
LONGEST_MESSAGE = 300
#: What an error under the status 200 has for a status, where it has none of its own.
_UNKNOWN_STATUS = 500
#: Statuses with which a provider rejects the content of a call.
_CONTENT_STATUSES = frozenset({400, 403, 413, 422, _UNKNOWN_STATUS})
#: How much of a server's message is read, in characters: some send whole pages.
_LONGEST_READ: Final = 20_000
#: What LiteLLM adds to messages for programmers.
_NOISE = re.compile(r"\blitellm\.\w+: |Handle with `litellm\.\w+`\.")


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
    name = type(error).__name__  # LiteLLM's own errors
    if name == "ContextWindowExceededError" or status == _TOO_LARGE:
        return "too_long"
    if name == "ContentPolicyViolationError":
        return "refused"
    fault = error_body(error)
    if status not in _CONTENT_STATUSES or remedy_in(fault, text, certain=True):
        return None
    codes = set(_codes(fault))
    if codes & _FLAGGING_CODES or says("flagged", text):
        return "refused"
    return "too_long" if _LENGTH_CODE in codes or says("too_long", text) else None


def is_explained(error: BaseException) -> bool:
    """Return whether a failed call has a reason that no other form of it would cure."""
    text = message_of(error)
    certain = remedy_in(error_body(error), text, certain=True) or says("crashed", text)
    return bool(certain) or content_concern(error) is not None


def fault_of(error: BaseException, model: str, *, keys: Iterable[str] = ()) -> InfrastructureFault:
    """Translate the error of a failed call into one of the project.

    The status is read from the HTTP response itself where there was one: LiteLLM also reports a
    dropped connection and a broken body as a 500, and those calls may have been billed.
    """
    response = http_response(error)
    status = status_of(error)
    message = f"{model}: {_format_message(error, keys)}"
    if (fault := wire_fault(error)) is not None:
        if fault.remedy is not None:
            return ProviderRejected(message, remedy=fault.remedy)
        kind = _KINDS.get(fault.status, "failed") if isinstance(fault, StreamFailed) else fault.kind
        return InfrastructureFault(
            message,
            kind=kind,
            billed_usd=None if fault.sent else 0.0,
            unusable=isinstance(fault, UnusableAnswer),
        )
    remedy = _remedy(status, error)
    if remedy or _is_final(status, error):
        return ProviderRejected(message, remedy=remedy)
    kind = _kind(status, error)
    is_free = kind in ("rate_limit", "unreachable")
    is_uncertain = not is_free and (response is None or status in _UNCERTAIN)
    billed = None if is_uncertain else 0.0
    return InfrastructureFault(message, kind=kind, retry_after=wait_of(error), billed_usd=billed)


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
    failures = (cause for cause in causes_of(error) if isinstance(cause, httpx.HTTPStatusError))
    return next((failure.response for failure in failures), None)


def wait_of(error: BaseException) -> float | None:
    """Return the seconds that the server's response asks to wait; `None` if it does not."""
    response = http_response(error)
    headers = {} if response is None else dict(response.headers.items())
    return asked_wait(headers, error_body(error), message_of(error))


def error_body(error: BaseException) -> dict[str, Any]:
    """Return the `error` object of the server's response; empty without one."""
    body = _response_body(error)
    fault = body.get("error", body.get("detail", body))
    if isinstance(fault, dict) and "error" in fault:  # Tavily: {"detail": {"error": "…"}}
        fault = fault["error"]
    return fault if isinstance(fault, dict) else {"message": str(fault)}


def blamed_fields(error: BaseException) -> frozenset[str]:
    """Return the fields of the request that the server's response names as wrong.

    OpenAI names one in `param` (`response_format.json_schema`: its first part counts), FastAPI
    lists them in `detail` as `loc`.
    """
    fields = {re.split(r"[.\[]", str(error_body(error).get("param") or ""))[0]}
    body = _response_body(error)
    if isinstance(body.get("message"), dict):  # Mistral
        body = body["message"]
    detail = body.get("detail")
    for fault in detail if isinstance(detail, list) else ():
        if isinstance(fault, dict) and isinstance(fault.get("loc"), list):
            fields.update(str(part) for part in fault["loc"])
    return frozenset(fields - {"", "body"})


def _response_body(error: BaseException) -> dict[str, Any]:
    response = http_response(error)
    try:
        body = response.json() if response is not None else {}
    except (ValueError, httpx.StreamError):
        return {}
    return body if isinstance(body, dict) else {}


def message_of(error: BaseException) -> str:
    """Return the server's message, else the error's, on one line; it may contain secrets."""
    error = wire_fault(error) or error
    fallback = "timed out" if isinstance(error, TimeoutError) else type(error).__name__
    body = error_body(error)
    text = str(body.get("message") or error) or fallback
    metadata = body.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(upstream := metadata.get("raw"), str):
        text = f"{text}: {upstream}" if upstream else text  # the provider behind OpenRouter
    return " ".join(_NOISE.sub("", text).split())[:_LONGEST_READ]


def remove_secrets(text: str, keys: Iterable[str] = (), *, shortest: int = 4) -> str:
    """Replace keys, and the values of secret environment variables, in a text.

    Values with fewer characters than the shortest stay, because they could be words.
    """
    secrets = (value for name, value in os.environ.items() if name.endswith(SECRET_NAMES))
    # A message quotes a key with its line break escaped: what stands before that is replaced.
    found = {part for key in (*keys, *secrets) for part in (key, *key.split())}
    for secret in sorted(found, key=len, reverse=True):
        if len(secret) >= shortest:
            text = text.replace(secret, "[key]")
    return text


def _format_message(error: BaseException, keys: Iterable[str]) -> str:
    text = remove_secrets(message_of(error), keys)  # before shortening could cut a key in half
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"


def _remedy(status: int | None, error: BaseException) -> Remedy | None:
    fault, text = error_body(error), message_of(error)
    if status is None or says("crashed", text):
        return None
    if status in _TEMPORARY or not 400 <= status < 500:
        if says("request", text):
            return "request"
        codes = _codes(fault) if status == _UNKNOWN_STATUS else ()
        return next((_CODES[code] for code in codes if code in _CODES), None)
    if status == 402 and wait_of(error) is not None:
        return None  # OpenRouter's: other calls in flight have reserved the rest of the credit
    said = remedy_in(fault, text)
    if status == 429:
        return "quota" if said == "quota" and not says("by_the_minute", text) else None
    return said or _REMEDIES.get(status)


def _is_final(status: int | None, error: BaseException) -> bool:
    """Return whether a request without a remedy would be refused again."""
    is_refused = 400 <= (status or 0) < 500 and status not in (402, 429, *_TEMPORARY)
    return is_refused and not says("crashed", message_of(error))


def _kind(status: int | None, error: BaseException) -> FaultKind:
    causes = list(causes_of(error))
    # LiteLLM also reports a reset connection as a ConnectError; only these were never sent.
    if any(isinstance(cause, ConnectionRefusedError | socket.gaierror) for cause in causes):
        return "unreachable"
    timeouts = (TimeoutError, httpx.TimeoutException)
    if http_response(error) is None and any(isinstance(cause, timeouts) for cause in causes):
        return "timeout"
    return _KINDS.get(status or 0, "failed")


#: Codes, by what a person must mend.
_CODES: Final[Mapping[str, Remedy]] = {
    "insufficient_quota": "quota",  # OpenAI
    "billing_hard_limit_reached": "quota",
    "credit_balance_exhausted": "quota",
    "organization_spend_limit_exceeded": "quota",
    "project_spend_limit_exceeded": "quota",
    "organization_usage_limit_exceeded": "quota",
    "Arrearage": "quota",  # DashScope
    "AllocationQuota.FreeTierOnly": "quota",
    "billing_error": "quota",  # Anthropic
    "enforced_spend_limit_reached": "quota",
    "model_not_found": "model",  # OpenAI: also where a project has no access to it
    "DeploymentNotFound": "model",  # Azure
    "invalid_model": "model",  # Mistral
    "invalid_api_key": "key",
    "API_KEY_INVALID": "key",  # Gemini, with status 400
    "API_KEY_EXPIRED": "key",
}
#: What words of providers without such codes can say.
_REMEDIES_IN_WORDS: Final[Sequence[Remedy]] = ("quota", "request", "model")
#: A prompt that is longer than the model can read.
_LENGTH_CODE: Final = "context_length_exceeded"
#: A prompt that a provider will not have read.
_FLAGGING_CODES: Final = frozenset(
    {
        "content_filter",
        "contentFilter",
        "invalid_prompt",
        "content_policy_violation",
        "ResponsibleAIPolicyViolation",  # Azure's inner code
        "data_inspection_failed",  # DashScope
        "DataInspectionFailed",
        "moderation_blocked",
        "sensitive_content",
        "1301",  # Z.ai
        "new_sensitive",  # MiniMax
    }
)


def remedy_in(fault: Mapping[str, Any], text: str, *, certain: bool = False) -> Remedy | None:
    """Return what a person must mend by an error's body, if it says so.

    Args:
        fault: the `error` object of the body.
        certain: whether words that may as well have another meaning are left aside.
    """
    if says("request", text):  # LM Studio gives it the code of an unknown model
        return "request"
    for code in _codes(fault):
        if code in _CODES:
            return _CODES[code]
    for detail in details_of(fault):
        violations = detail.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            if isinstance(violation, Mapping) and "PerDay" in str(violation.get("quotaId", "")):
                return "quota"
    for remedy in _REMEDIES_IN_WORDS:
        if says(remedy, text):
            return remedy
    return "model" if not certain and says("maybe_model", text) else None


def _codes(fault: Mapping[str, Any]) -> Iterator[str]:
    """Yield all that an error has for a code: OpenAI's, Anthropic's and Google's."""
    inner = fault.get("innererror")
    for part in (fault, inner if isinstance(inner, Mapping) else {}, *details_of(fault)):
        for key in ("code", "type", "error_code", "reason"):
            if isinstance(code := part.get(key), str):
                yield code

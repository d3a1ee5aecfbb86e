"""What the body of a provider's error says beyond its status: by its codes, else by its words.

The codes and words are those of the providers' documentation and of errors that their users have
reported, as of November 2026; `docs/models.md` lists which provider was checked against what.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from arena.errors import Remedy

#: Codes, by what a person must mend.
_CODES: Final[Mapping[str, Remedy]] = {
    "insufficient_quota": "quota",  # OpenAI
    "billing_hard_limit_reached": "quota",
    "billing_error": "quota",  # Anthropic
    "enforced_spend_limit_reached": "quota",
    "model_not_found": "model",  # OpenAI: also where a project has no access to it
    "DeploymentNotFound": "model",  # Azure
    "invalid_model": "model",  # Mistral
    "invalid_api_key": "key",
    "API_KEY_INVALID": "key",  # Gemini, with status 400
    "API_KEY_EXPIRED": "key",
}
#: Words of providers without such codes.
_WORDS: Final[Mapping[Remedy, re.Pattern[str]]] = {
    "quota": re.compile(
        r"credit balance is too low|specified (?:api )?usage limits|spend(?:ing)? limit|"
        r"insufficient (?:balance|credits|funds)|requires more credits|credits are depleted",
        re.IGNORECASE,
    ),
    "model": re.compile(
        r"\bmodel\b.{0,80}\b(?:not found|not exist)|\b(?:unknown|no such|invalid) model\b|"
        r"not a valid model",
        re.IGNORECASE,
    ),
}
#: Words that may as well be about what a model can do.
_NO_MODEL: Final = re.compile(
    r"\bmodel\b.{0,80}\b(?:unknown|not supported|not available)", re.IGNORECASE
)
#: A prompt that is longer than the model can read.
_TOO_LONG: Final = re.compile(
    r"prompt is too long|exceed(?:s|ed)? (?:the )?(?:model's )?(?:maximum )?context|"
    r"context length is (?:only )?\d|maximum context length|maximum number of tokens allowed|"
    r"input length exceeds",
    re.IGNORECASE,
)
_LENGTH_CODE: Final = "context_length_exceeded"
#: A prompt that a provider will not have read. (A 403 of OpenRouter is no question of the key.)
_FLAGGED: Final = re.compile(
    r"input was flagged|prompt was flagged|blocked by content filtering|content exists risk|"
    r"content management policy",
    re.IGNORECASE,
)
_FLAGGING_CODES: Final = frozenset({"content_filter", "invalid_prompt", "content_policy_violation"})
_SECONDS: Final = re.compile(r"(\d+(?:\.\d+)?)s")


def remedy_in(fault: Mapping[str, Any], text: str, *, certain: bool = False) -> Remedy | None:
    """Return what a person must mend by an error's body, if it says so.

    Args:
        fault: the `error` object of the body.
        text: its message.
        certain: whether words that may as well have another meaning are left aside.
    """
    for code in _codes(fault):
        if code in _CODES:
            return _CODES[code]
    if any("PerDay" in limit for limit in _exceeded_limits(fault)):
        return "quota"
    for remedy, words in _WORDS.items():
        if words.search(text):
            return remedy
    return "model" if not certain and _NO_MODEL.search(text) else None


def is_too_long(fault: Mapping[str, Any], text: str) -> bool:
    """Return whether an error says that a prompt is longer than the model can read.

    >>> is_too_long({}, "prompt is too long: 208310 tokens > 200000 maximum")
    True
    """
    return _LENGTH_CODE in _codes(fault) or _TOO_LONG.search(text) is not None


def is_flagged(fault: Mapping[str, Any], text: str) -> bool:
    """Return whether an error says that a content policy rejects the prompt."""
    return not _FLAGGING_CODES.isdisjoint(_codes(fault)) or _FLAGGED.search(text) is not None


def wait_in(fault: Mapping[str, Any]) -> float | None:
    """Return the seconds that Google's `RetryInfo` asks to wait; `None` without one.

    >>> wait_in({"details": [{"@type": "x/google.rpc.RetryInfo", "retryDelay": "34.5s"}]})
    34.5
    """
    for detail in _details(fault):
        if delay := _SECONDS.fullmatch(str(detail.get("retryDelay", ""))):
            seconds = float(delay[1])
            return seconds if math.isfinite(seconds) else None
    return None


def upstream_words(fault: Mapping[str, Any]) -> str:
    """Return what the provider behind OpenRouter answered; empty where it is not quoted."""
    metadata = fault.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    return raw if isinstance(raw, str) else ""


def _codes(fault: Mapping[str, Any]) -> Iterator[str]:
    """Yield all that an error has for a code: OpenAI's, Anthropic's and Google's."""
    inner = fault.get("innererror")
    for part in (fault, inner if isinstance(inner, Mapping) else {}, *_details(fault)):
        for key in ("code", "type", "error_code", "reason"):
            if isinstance(code := part.get(key), str):
                yield code


def _details(fault: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    # Google's is a list, Anthropic's a single object.
    details = fault.get("details")
    listed = details if isinstance(details, list) else [details]
    return [detail for detail in listed if isinstance(detail, Mapping)]


def _exceeded_limits(fault: Mapping[str, Any]) -> Iterator[str]:
    for detail in _details(fault):
        violations = detail.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            if isinstance(violation, Mapping):
                yield str(violation.get("quotaId", ""))

"""How long a provider asks to wait: in headers, in the details of an error, in its words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from arena.llm.sayings import find_saying

#: What remains, and when it is full again: OpenAI (also Azure, Groq and others, which say it the
#: same way) and Anthropic. Of requests, one is needed for a call; of tokens, as many as it takes.
_REQUESTS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),  # OpenRouter's
)
_TOKENS = (
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining-tokens", "x-rate-limit-reset-tokens"),  # Azure's, at times
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
)
#: The least number that is a moment in seconds since 1970 (in 2001), and no duration.
_FIRST_MOMENT = 1e9
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def pause_of(headers: Mapping[str, str], *, tokens: float) -> float:
    """Return for how many seconds no call of the model should start; 0 if one may start now.

    Args:
        tokens: that the next call takes.

    >>> pause_of({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m3s"},
    ...          tokens=0)
    63.0
    """
    needs = [(names, 1.0) for names in _REQUESTS] + [(names, tokens) for names in _TOKENS]
    waits = (
        _seconds(headers.get(reset, ""))
        for (remaining, reset), need in needs
        if remaining in headers and _number(headers[remaining]) < need
    )
    return max(waits, default=0.0)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.inf
    return value if math.isfinite(value) else math.inf


def _seconds(text: str) -> float:
    """Read a duration ("1m3s", "17ms", "20") or a moment; 0 if it is neither.

    A moment is written by RFC 3339, or in seconds or milliseconds since 1970.
    """
    if (number := _number(text)) < math.inf:
        for unit in (1000.0, 1.0):
            if number >= _FIRST_MOMENT * unit:
                number = number / unit - datetime.now(UTC).timestamp()
        return max(0.0, number)
    if (parts := _DURATION.findall(text)) and "".join(map("".join, parts)) == text:
        return sum(float(amount) * _UNITS[unit] for amount, unit in parts)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return _until(moment)


def _until(moment: datetime) -> float:
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def asked_wait(headers: Mapping[str, str], fault: Mapping[str, Any], words: str) -> float | None:
    """Return the seconds that a provider asks to wait after a failed call; `None` if it does not.

    Args:
        headers: of the response, by lower-case names.
        fault: the `error` object of the body: Google's has details, OpenRouter's has headers.
        words: the message.

    >>> asked_wait({"retry-after-ms": "450", "retry-after": "1"}, {}, "")
    0.45
    >>> asked_wait({}, {"details": [{"@type": "x/RetryInfo", "retryDelay": "34.5s"}]}, "")
    34.5
    >>> asked_wait({}, {}, "Rate limit reached for m. Please try again in 7m12s.")
    432.0
    """
    metadata = fault.get("metadata")
    inner = metadata.get("headers") if isinstance(metadata, Mapping) else None
    if isinstance(inner, Mapping):
        headers = {**headers, **{str(name).lower(): str(value) for name, value in inner.items()}}
    named = _retry_after(headers)
    if named is not None:
        return named
    delays = (str(detail.get("retryDelay", "")) for detail in details_of(fault))
    found = find_saying("wait", words)
    said = "".join(found.groups()).lower() if found else ""
    for seconds in (*map(_seconds, delays), _seconds(said), pause_of(headers, tokens=math.inf)):
        if seconds > 0 and math.isfinite(seconds):
            return seconds
    return None


def details_of(fault: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the details of an error: Google's are a list, Anthropic's a single object."""
    details = fault.get("details")
    listed = details if isinstance(details, list) else [details]
    return [detail for detail in listed if isinstance(detail, Mapping)]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `retry-after-ms`, or of `retry-after`: a number or a date."""
    header = headers.get("retry-after", "").strip()
    for text, unit in ((headers.get("retry-after-ms", ""), 1000.0), (header, 1.0)):
        if (number := _number(text)) < math.inf:
            return max(0.0, number / unit)
    try:
        moment = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return _until(moment)

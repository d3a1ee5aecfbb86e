"""What providers say of their rate limits in the headers of their answers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

#: What remains, and when it is full again: OpenAI (also Azure, Groq and others, which say it the
#: same way) and Anthropic. Of requests, one is needed for a call; of tokens, as many as it takes.
_REQUESTS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
)
_TOKENS = (
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
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
        headers: of an answer, by lower-case name.
        tokens: what a call is expected to take.

    >>> pause_of({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m3s"},
    ...          tokens=0)
    63.0
    """
    needs = [(names, 1.0) for names in _REQUESTS] + [(names, tokens) for names in _TOKENS]
    return max(
        (
            _seconds(headers.get(reset, ""))
            for (remaining, reset), need in needs
            if _number(headers.get(remaining, "")) < need
        ),
        default=0.0,
    )


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
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())

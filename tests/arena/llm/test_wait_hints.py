"""How long providers ask to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from arena.llm.wait_hints import asked_wait, pause_of


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("17ms", 0.017),
        ("2m59.56s", 179.56),
        ("1h", 3600.0),
        ("20", 20.0),
        ("soon", 0.0),
        ("", 0.0),
        ("-3", 0.0),
        ("nan", 0.0),
    ],
)
def test_openai_says_a_duration(reset: str, seconds: float) -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}
    assert pause_of(headers, tokens=100) == pytest.approx(seconds)


@pytest.mark.parametrize("unit", [1, 1000])
def test_a_moment_since_1970_is_no_duration(unit: int) -> None:
    """Read as a duration, it would be a pause of 55 years."""
    reset = str(round((datetime.now(UTC).timestamp() + 90) * unit))
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}
    assert pause_of(headers, tokens=0) == pytest.approx(90, abs=5)


def test_anthropic_says_a_time() -> None:
    reset = (datetime.now(UTC) + timedelta(seconds=90)).isoformat().replace("+00:00", "Z")
    headers = {
        "anthropic-ratelimit-output-tokens-remaining": "40",
        "anthropic-ratelimit-output-tokens-reset": reset,
    }
    assert pause_of(headers, tokens=500) == pytest.approx(90, abs=5)
    assert pause_of(headers, tokens=40) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "60s"},
        {"x-ratelimit-remaining-requests": "many", "x-ratelimit-reset-requests": "60s"},
        {"x-ratelimit-remaining-tokens": "5000", "x-ratelimit-reset-tokens": "60s"},
        {"x-ratelimit-remaining-tokens": "0"},
    ],
)
def test_what_leaves_room_or_says_nothing_is_no_pause(headers: dict[str, str]) -> None:
    assert pause_of(headers, tokens=1000) == 0


def test_the_longest_counts() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "3s",
        "x-ratelimit-remaining-tokens": "10",
        "x-ratelimit-reset-tokens": "8s",
    }
    assert pause_of(headers, tokens=1000) == 8.0


def test_retry_after_may_be_a_date() -> None:
    def wait(seconds: float) -> float | None:
        moment = datetime.now(UTC) + timedelta(seconds=seconds)
        return asked_wait({"retry-after": format_datetime(moment, usegmt=True)}, {}, "")

    assert wait(60) == pytest.approx(60, abs=2)
    assert wait(-60) == 0.0


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        (
            "Please try again in 1.242s. Visit https://platform.openai.com/account/rate-limits",
            1.242,
        ),
        ("Please try again in 20s.", 20.0),
        ("Please try again in 6m0s.", 360.0),
        ("Please try again in 850ms.", 0.85),
        ("Please try again in 1h2m3.5s.", 3723.5),
        ("Please retry after 45 seconds. Please go here", 45.0),
        ("Please retry your request after 1 second.", 1.0),
        ("Please retry in 34.5s.", 34.5),
        ("Retry after 2 minutes", 120.0),
        ("Please try again later.", None),
        ("You can retry your request, or contact us after 3 days", None),
        ("Retry in no time", None),
        ("It failed after 7s.", None),
    ],
)
def test_words_may_say_it(words: str, seconds: float | None) -> None:
    assert asked_wait({}, {}, words) == seconds


def test_openrouter_has_headers_in_its_body() -> None:
    reset = str(round((datetime.now(UTC).timestamp() + 90) * 1000))
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}
    fault: dict[str, Any] = {"metadata": {"headers": headers}}
    assert asked_wait({}, fault, "Rate limit exceeded") == pytest.approx(90, abs=5)
    assert asked_wait({}, {"metadata": {"headers": ["odd"]}}, "") is None


@pytest.mark.parametrize("text", ["nan", "inf", "soon", "", "-5 s"])
def test_what_is_no_time_is_none(text: str) -> None:
    headers = {"retry-after": text, "retry-after-ms": text, "x-ratelimit-reset": text}
    assert asked_wait(headers, {"details": [{"retryDelay": text}]}, f"retry in {text}") is None

"""What headers of rate limits say, as providers write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from arena.llm.traffic.headers import pause_of


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

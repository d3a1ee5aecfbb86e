"""A plan says who speaks, in which time, and who transcribes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from arena.people.speakers import speaking_lines
from tests.support.tournaments import content, resolved_of

MOMENT = datetime(2026, 12, 1, 17, tzinfo=UTC)
SERVICE = {"model": "whisper-1", "api_base": "http://localhost:8000/v1"}


def lines(**tables: Any) -> list[str]:  # noqa: ANN401
    made = content("Human", "cyd", "machine")
    made["participants"][0] = {"name": "Human", "debater": "human", "speakers": ["ann", "bob"]}
    made["participants"][1] = {"name": "cyd", "debater": "human"}
    return speaking_lines(resolved_of(made | tables))


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ({"preparation": "2d"}, "; 2 d of preparation"),
        ({"deadline": "12h"}, "; 12 h for a speech"),
        (
            {"preparation": "2d", "deadline": "90m"},
            "; 2 d of preparation; 1 h 30 min for a furth",
        ),
        ({"deadline": MOMENT}, "; all speeches until 2026-12-01 17:00 UTC"),
    ],
)
def test_times_are_said(times: dict[str, Any], said: str) -> None:
    (line,) = lines(speaking=times)
    assert line.startswith(f"people: Human (ann, bob), cyd{said}")


def test_nothing_more_is_said_than_there_is() -> None:
    assert lines() == ["people: Human (ann, bob), cyd"]
    assert lines(transcription=SERVICE)[1] == (
        "recordings: transcribed by whisper-1 at http://localhost:8000/v1; its charges are not "
        "part of the USD figures here"
    )
    assert speaking_lines(resolved_of(content() | {"transcription": SERVICE})) == []

"""Until when a speech can be submitted: from opening it, from its turn, or to one moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arena.config.section import SpeakingSection
from arena.errors import ConfigError
from arena.people.speeches import (
    find_due_time,
    format_due_time,
    is_over,
    must_be_opened,
)
from arena.store.people import Wait
from tests.support.tournaments import content, resolved_of

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=5)
WAIT = Wait(since=NOON, opened_at=LATER)


def times(**keys: Any) -> SpeakingSection:  # noqa: ANN401
    section = resolved_of(content() | {"speaking": keys}).config.speaking
    assert section is not None
    return section


def test_preparation_counts_from_the_opening_and_a_deadline_from_the_turn() -> None:
    both = times(preparation="2d", deadline="12h")
    assert find_due_time(WAIT, "constructive", both) == LATER + timedelta(days=2)
    assert find_due_time(WAIT, "answer", both) == LATER + timedelta(days=2)
    assert find_due_time(WAIT, "rebuttal", both) == NOON + timedelta(hours=12)
    assert find_due_time(WAIT, "constructive", times(deadline=3600)) == NOON + timedelta(hours=1)
    assert find_due_time(WAIT, "rebuttal", times(preparation="2d")) is None
    assert find_due_time(WAIT, "constructive", None) is None


def test_nothing_ends_before_it_has_begun() -> None:
    both = times(preparation="2d", deadline="12h")
    assert find_due_time(Wait(since=NOON), "constructive", both) is None
    assert find_due_time(Wait(), "summary", both) is None
    assert must_be_opened(Wait(since=NOON), "constructive", both)
    assert not must_be_opened(WAIT, "constructive", both)
    assert not must_be_opened(Wait(since=NOON), "rebuttal", both)
    assert not must_be_opened(Wait(since=NOON), "constructive", times(deadline="12h"))


def test_one_moment_ends_all_of_them() -> None:
    moment = datetime.fromisoformat("2026-01-02T13:00:00+01:00")
    section = times(preparation="2d", deadline=moment)
    assert section.deadline == "2026-01-02T12:00:00+00:00"
    for stage in ("constructive", "rebuttal", "summary"):
        assert find_due_time(WAIT, stage, section) == moment
    stored = SpeakingSection.model_validate(section.model_dump(mode="json"))
    assert stored == section, "it is read back from the database"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("deadline", "soon", 'write a duration for each speech ("12h"), or one moment'),
        ("deadline", 0, "write a duration"),
        ("deadline", True, "write a duration"),
        ("deadline", [1], "write a duration"),
        ("deadline", datetime(2026, 1, 1), "a moment needs a time and an offset"),  # noqa: DTZ001
        ("deadline", NOON.date(), "a moment needs a time and an offset"),
        ("deadline", "2026-01-01", "a moment needs a time and an offset"),
        ("preparation", "2 weeks", "a duration is a number and a unit"),
        ("preparation", "0s", "greater than 0"),
    ],
)
def test_a_time_that_is_none_is_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=f"speaking.{key}") as refused:
        times(**{key: value})
    assert message in str(refused.value)


def test_a_file_without_times_is_stored_as_before() -> None:
    config = resolved_of(content()).config
    assert not {"speaking", "transcription"} & set(config.model_dump(mode="json"))
    assert "speakers" not in config.participants[0].model_dump(mode="json")


def test_the_time_left_is_shown_in_words() -> None:
    soon = datetime.now(UTC) + timedelta(hours=3, seconds=30)
    assert format_due_time(soon) == f"{soon:%Y-%m-%d %H:%M} UTC (3 h left)"
    past = datetime.now(UTC) - timedelta(seconds=1)
    assert format_due_time(past).endswith("UTC (over)")
    assert is_over(past) and not is_over(soon) and not is_over(None)

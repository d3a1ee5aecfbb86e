"""The tables `[speaking]` and `[transcription]`: people as debaters, their time and their audio."""

from __future__ import annotations

from datetime import UTC, date, datetime
from math import inf
from typing import Annotated

from pydantic import BeforeValidator, Field

from arena.config.section import Duration, Secret, Section, read_duration


def _read_deadline(value: object) -> object:
    """Return the seconds of a duration, or a moment as ISO text in UTC.

    Raises:
        ValueError: it is neither, or a moment without an offset, or no time at all.
    """
    if isinstance(value, str):
        value = _read_text(value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).isoformat(timespec="seconds")
    if isinstance(value, date):
        raise ValueError(f"a moment needs a time and an offset: {_ACCEPTED}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < inf:
        raise ValueError(_ACCEPTED)
    return float(value)


def _read_text(text: str) -> object:
    """Return a duration or a moment that is written as text."""
    try:
        return read_duration(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(_ACCEPTED) from None


_ACCEPTED = (
    'write a duration for each speech ("12h"), or one moment for all of them '
    "(2026-12-01T18:00:00+01:00)"
)
#: Seconds for each speech, or the moment at which all are due, as ISO text in UTC.
Deadline = Annotated[float | str, BeforeValidator(_read_deadline)]


class SpeakingSection(Section):
    """The table `[speaking]`: how long people may take. A speech that is late is a forfeit.

    Attributes:
        preparation: seconds for the first speech of a debate, from when its speaker opens it.
        deadline: seconds for each speech (each further one, with `preparation`) from when its
            debate waits for it; or one moment for all speeches.
    """

    preparation: Duration | None = Field(default=None, gt=0, allow_inf_nan=False)
    deadline: Deadline | None = None

    @property
    def last_moment(self) -> datetime | None:
        """The moment at which all speeches are due, if there is one."""
        text = self.deadline
        return datetime.fromisoformat(text) if isinstance(text, str) else None


class TranscriptionSection(Section):
    """The table `[transcription]`: the service that makes texts of speeches in audio files.

    Attributes:
        model: as the service calls it, for example whisper-1.
        api_base: the address of a service with OpenAI's audio API, up to and including `/v1`.
    """

    model: str = Field(min_length=1)
    api_base: str = Field(min_length=1)
    api_key: Secret | None = None

"""What a plan says of the people who debate: who speaks, in which time, and who transcribes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from arena.config.resolve import ResolvedConfig
from arena.config.speaking import SpeakingSection
from arena.people.speakers import people, read_pools
from arena.people.waits import format_seconds


def speaking_lines(resolved: ResolvedConfig) -> list[str]:
    """Format who speaks, as lines of a plan; none where no participant is a person."""
    pools = read_pools(resolved)
    names = [
        f"{person.name} ({', '.join(pools[person.name])})" if person.name in pools else person.name
        for person in people(resolved)
    ]
    if not names:
        return []
    config = resolved.config
    times = list(_format_times(config.speaking)) if config.speaking else []
    lines = ["; ".join([f"people: {', '.join(names)}", *times])]
    if config.transcription:
        lines.append(
            f"recordings: transcribed by {config.transcription.model} at "
            f"{config.transcription.api_base}; its charges are not part of the USD figures here"
        )
    return lines


def _format_times(times: SpeakingSection) -> Iterator[str]:
    if times.preparation is not None:
        yield f"{format_seconds(times.preparation)} of preparation"
    if isinstance(times.deadline, float):
        which = "a speech" if times.preparation is None else "a further speech"
        yield f"{format_seconds(times.deadline)} for {which}"
    if times.last_moment is not None:
        yield f"all speeches until {times.last_moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"

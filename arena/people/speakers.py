"""The people who debate, and what a plan says of them.

A participant with `speakers` is one participant to schedules and boards (the paper's "Human"), and
each of its debates is spoken by one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from typing import TYPE_CHECKING

from arena.errors import ConfigError
from arena.languages import Side
from arena.plugins import debater_class
from arena.records import IMPORTED, Participant, Speech
from arena.text import format_duration

if TYPE_CHECKING:  # a stored speech is shown without reading a configuration
    from arena.config.resolved import ResolvedConfig
    from arena.config.section import SpeakingSection


def is_person(participant: Participant) -> bool:
    """Return whether a participant is a person: one who speaks without a language model."""
    name = participant.debater
    return name != IMPORTED and not debater_class(name).needs_model


def people(resolved: ResolvedConfig) -> tuple[Participant, ...]:
    """Return the participants of a tournament who are people."""
    return tuple(participant for participant in resolved.participants if is_person(participant))


def read_pools(resolved: ResolvedConfig) -> Mapping[str, tuple[str, ...]]:
    """Return the speakers of each participant that several people speak for, by its name."""
    if resolved.imported:
        return {}
    return {
        section.name: tuple(section.speakers)
        for section in resolved.config.participants
        if section.speakers
    }


def speaker_names(resolved: ResolvedConfig) -> tuple[str, ...]:
    """Return the names of all people who speak, each once."""
    pools = read_pools(resolved)
    names = [name for person in people(resolved) for name in pools.get(person.name, (person.name,))]
    return tuple(dict.fromkeys(names))


def check_speaker_name(resolved: ResolvedConfig, name: str) -> None:
    """Check that somebody of this name speaks in a tournament; '' stands for everybody.

    Raises:
        ConfigError: nobody does.
    """
    names = speaker_names(resolved)
    if name and name not in names:
        listed = f"Speakers: {', '.join(names)}." if names else "No participant is a person."
        raise ConfigError(f"nobody named {name!r} speaks in {resolved.name!r}. {listed}")


def format_person(speeches: Iterable[Speech], side: Side) -> str:
    """Format who has spoken for a side, and what has transcribed recordings, where stored."""
    steps = [step for speech in speeches if speech.side == side for step in speech.trace]
    named = [step["speaker"] for step in steps if "speaker" in step][:1]
    models = dict.fromkeys(step["transcribed_by"] for step in steps if "transcribed_by" in step)
    edited = " and edited" if any(step.get("edited") for step in steps) else ""
    details = [*named, *(f"transcribed by {model}{edited}" for model in models)]
    return ", ".join(["a person", *map(str, details)])


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
        yield f"{format_duration(times.preparation)} of preparation"
    if isinstance(times.deadline, float):
        which = "a speech" if times.preparation is None else "a further speech"
        yield f"{format_duration(times.deadline)} for {which}"
    if times.last_moment is not None:
        yield f"all speeches until {times.last_moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"

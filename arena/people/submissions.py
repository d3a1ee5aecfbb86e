"""The submission of people's speeches: opened, drafted, handed in, or missed.

A draft may be changed until it is handed in, never after; then the next run, or the one in
progress, continues the debate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from arena.config.resolved import ResolvedConfig
from arena.debater import Submission
from arena.errors import ConfigError
from arena.languages import SIDES, Side, Stage
from arena.people.speeches import Due, find_due_time, is_over, length_unit
from arena.records import Step
from arena.store.database import Store
from arena.store.people import (
    open_speech,
    read_draft,
    read_drafts,
    read_speaker,
    read_waits,
    write_draft,
    write_speaker,
)

#: What people have submitted, or missed, for one debate.
SubmittedSpeeches: TypeAlias = Mapping[Side, Mapping[Stage, Submission]]


def open_due(store: Store, due: Due, speaker: str = "") -> Due:
    """Open the motion to a speaker, which starts the time of preparation where there is one.

    Returns:
        The speech that is due, opened.

    Raises:
        ConfigError: somebody else speaks, or the file names several people and not this one.
    """
    if not due.closed:
        return due
    name = _check_speaker(due, speaker)
    now = datetime.now(UTC)

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        _claim(link, due, name)
        open_speech(link, due.at, now)

    store.write(batch)
    ends = (due.due_time, now + timedelta(seconds=due.preparation))
    return replace(
        due,
        closed=False,
        speakers=(name,) if name else (),
        due_time=min(end for end in ends if end is not None),
    )


def save_draft(
    store: Store, due: Due, text: str, *, speaker: str = "", making: Step | None = None
) -> None:
    """Store an unfinished text; it replaces an earlier draft.

    Args:
        speaker: who speaks, of the participant's people; '' where it is one person.
        making: the recording that the text was transcribed from; `None` for that of the draft
            before it, if it had any.

    Raises:
        ConfigError: the speech was handed in meanwhile, or somebody else speaks.
    """
    _write_text(store, due, text, speaker=speaker, making=making, handed_in=False)


def hand_in(
    store: Store, due: Due, text: str, *, speaker: str = "", making: Step | None = None
) -> None:
    """Store a text as the speech, for good; the arguments are those of `save_draft`.

    Raises:
        ConfigError: the text is empty or too long or late, the speech was handed in meanwhile, or
            somebody else speaks.
    """
    length = due.language.count(text)
    if not text.strip():
        raise ConfigError(f"the {due.called} is empty; nothing was submitted.")
    if length > due.limit:
        raise ConfigError(
            f"the {due.called} has {length} {length_unit(due.language)}; {due.limit} are accepted. "
            "Nothing was submitted; shorten it and try again."
        )
    if is_over(due.due_time):
        raise ConfigError(f"{_format_missed(due.due_time)}; nothing was submitted.")
    _write_text(store, due, text, speaker=speaker, making=making, handed_in=True)


def read_submitted(
    store: Store, resolved: ResolvedConfig, debate_ids: Iterable[str]
) -> dict[str, SubmittedSpeeches]:
    """Return the speeches that were handed in or missed, by debate, side and stage."""
    ids = list(debate_ids)
    submitted: dict[str, dict[Side, dict[Stage, Submission]]] = {}

    def submit(debate_id: str, side: Side, stage: Stage, submission: Submission) -> None:
        sides = submitted.setdefault(debate_id, {side: {} for side in SIDES})
        sides[side].setdefault(stage, submission)

    for place, draft in read_drafts(store, ids).items():
        if draft.handed_in:
            submit(*place, Submission(text=draft.text, making=draft.making))
    times = resolved.config.speaking
    for place, wait in (read_waits(store, ids) if times else {}).items():
        end = find_due_time(wait, place.stage, times)
        if is_over(end):
            submit(*place, Submission(missed=_format_missed(end)))
    return dict(submitted)


def _write_text(  # noqa: PLR0913 - the fields of a row
    store: Store, due: Due, text: str, *, speaker: str, making: Step | None, handed_in: bool
) -> None:
    name = _check_speaker(due, speaker)

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        made = _read_making(link, due, text) if making is None else making
        _claim(link, due, name, making={**({"speaker": name} if name else {}), **made})
        if not write_draft(link, due.at, text, handed_in=handed_in):
            raise ConfigError(
                f"debate {due.debate_id[:8]}: the {due.stage} of {due.side} was already submitted "
                "and can no longer be changed."
            )

    store.write(batch)


def _read_making(link: Any, due: Due, text: str) -> Step:  # noqa: ANN401 - a connection
    """Return the recording that the stored draft was transcribed from, edited if the text is."""
    draft = read_draft(link, due.at)
    if "recording" not in draft.making:
        return {}
    return draft.making if draft.text == text else {**draft.making, "edited": True}


def _check_speaker(due: Due, speaker: str) -> str:
    """Return who speaks, of a participant of several people; '' where it is one person."""
    if not due.speakers:
        if speaker not in ("", due.speaker):
            raise ConfigError(
                f"{speaker!r} does not speak for {due.speaker!r}, who is one person. Leave out the "
                "speaker."
            )
        return ""
    if speaker in due.speakers:
        return speaker
    listed = ", ".join(due.speakers)
    named = f"{speaker!r} does not speak" if speaker else "nobody is named who speaks"
    raise ConfigError(
        f"debate {due.debate_id[:8]}: {named} for {due.speaker!r} here. Name the speaker "
        f"(--speaker): {listed}."
    )


def _claim(
    link: Any,  # noqa: ANN401 - an open connection
    due: Due,
    speaker: str,
    *,
    making: Step | None = None,
) -> None:
    """Store who speaks for a side of a debate, and how; raise if somebody else does meanwhile."""
    stored = read_speaker(link, due.at)
    if speaker and stored not in ("", speaker):
        raise ConfigError(
            f"debate {due.debate_id[:8]}: {stored} speaks for {due.speaker!r} here. Choose "
            "another debate."
        )
    write_speaker(link, due.at, speaker, making or {})


def _format_missed(end: datetime | None) -> str:
    moment = "" if end is None else f" at {end.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"the time for this speech ended{moment}"

"""The submission of people's speeches: opened, drafted, handed in, or missed.

A draft may be changed until it is handed in, never after; then the next run, or the one in
progress, continues the debate.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pandas as pd

from arena.config.resolved import ResolvedConfig
from arena.debater import Submission
from arena.errors import ConfigError
from arena.languages import SIDES, Side, Stage
from arena.people.speeches import Due, find_due_time, is_over, length_unit, read_waits
from arena.records import Step
from arena.store.database import Store

#: The row of a speech, for the values of `_place`.
_OF_SPEECH = "debate_id = $debate AND side = $side AND stage = $stage"

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
        link.execute(
            f"UPDATE awaited SET opened_at = $now WHERE {_OF_SPEECH} AND opened_at IS NULL",
            _place(due) | {"now": pd.Timestamp(now)},
        )

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

    rows = store.rows(
        "SELECT debate_id, side, stage, text, making "
        "FROM drafts LEFT JOIN awaited USING (debate_id, side, stage) "
        "WHERE handed_in AND list_contains($ids, debate_id)",
        {"ids": ids},
    )
    for row in rows:
        submission = Submission(text=row["text"], making=json.loads(row["making"] or "{}"))
        submit(row["debate_id"], row["side"], row["stage"], submission)
    times = resolved.config.speaking
    for (debate_id, side, stage), wait in (read_waits(store, ids) if times else {}).items():
        end = find_due_time(wait, stage, times)
        if is_over(end):
            submit(debate_id, side, stage, Submission(missed=_format_missed(end)))
    return dict(submitted)


def _write_text(  # noqa: PLR0913 - the fields of a row
    store: Store, due: Due, text: str, *, speaker: str, making: Step | None, handed_in: bool
) -> None:
    name = _check_speaker(due, speaker)

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        made = _read_making(link, due, text) if making is None else making
        _claim(link, due, name, making={**({"speaker": name} if name else {}), **made})
        written = link.execute(
            "INSERT INTO drafts SELECT $debate, $side, $stage, $text, $handed, $now "
            "WHERE EXISTS (FROM debates WHERE debate_id = $debate AND status = 'waiting') "
            "ON CONFLICT DO UPDATE SET text = excluded.text, handed_in = excluded.handed_in, "
            "changed_at = excluded.changed_at WHERE NOT drafts.handed_in RETURNING debate_id",
            _place(due)
            | {"text": text, "handed": handed_in, "now": pd.Timestamp(datetime.now(UTC))},
        ).fetchall()
        if not written:
            raise ConfigError(
                f"debate {due.debate_id[:8]}: the {due.stage} of {due.side} was already submitted "
                "and can no longer be changed."
            )

    store.write(batch)


def _read_making(link: Any, due: Due, text: str) -> dict[str, Any]:  # noqa: ANN401 - a connection
    """Return the recording that the stored draft was transcribed from, edited if the text is."""
    row = link.execute(
        f"SELECT making, text FROM awaited JOIN drafts USING (debate_id, side, stage) "
        f"WHERE {_OF_SPEECH}",
        _place(due),
    ).fetchone()
    making = {} if row is None else json.loads(row[0])
    if "recording" not in making:
        return {}
    return making if row[1] == text else {**making, "edited": True}


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
    rows = link.execute(
        "SELECT max(speaker) FROM awaited WHERE debate_id = $debate AND side = $side",
        {"debate": due.debate_id, "side": due.side},
    ).fetchall()
    if speaker and rows[0][0] not in (None, "", speaker):
        raise ConfigError(
            f"debate {due.debate_id[:8]}: {rows[0][0]} speaks for {due.speaker!r} here. Choose "
            "another debate."
        )
    link.execute(
        "INSERT INTO awaited (debate_id, side, stage, since, speaker, making) "
        "VALUES ($debate, $side, $stage, $now, $speaker, $making) "
        "ON CONFLICT DO UPDATE SET speaker = excluded.speaker, making = excluded.making",
        _place(due)
        | {
            "speaker": speaker,
            "now": pd.Timestamp(datetime.now(UTC)),
            "making": json.dumps(making or {}, ensure_ascii=False),
        },
    )


def _place(due: Due) -> dict[str, str]:
    return {"debate": due.debate_id, "side": due.side, "stage": due.stage}


def _format_missed(end: datetime | None) -> str:
    moment = "" if end is None else f" at {end.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"the time for this speech ended{moment}"

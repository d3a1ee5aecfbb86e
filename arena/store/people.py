"""What is stored of people: the speeches that debates await from them, and who has voted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from arena.records import Step
from arena.store.database import Store

if TYPE_CHECKING:
    from arena.languages import Side, Stage

_WAITING = "SELECT debate_id FROM debates WHERE tournament = $name AND status = 'waiting'"
_UNFINISHED = """
    SELECT count(*) FROM debates
    WHERE tournament = $name AND status NOT IN ('finished', 'forfeit')
      AND (list_contains($people, pro) OR list_contains($people, con))
"""
_WAITS = """
    SELECT debate_id, side, stage, epoch_us(since), epoch_us(opened_at),
           max(speaker) OVER (PARTITION BY debate_id, side)
    FROM awaited WHERE list_contains($ids, debate_id)
"""
_DRAFTS = """
    SELECT debate_id, side, stage, text, handed_in, making
    FROM drafts LEFT JOIN awaited USING (debate_id, side, stage)
    WHERE list_contains($ids, debate_id)
"""
#: The row of a speech, for the values of a `SpeechPlace`.
_OF_SPEECH = "debate_id = $debate_id AND side = $side AND stage = $stage"
_OPEN_SPEECH = f"UPDATE awaited SET opened_at = $now WHERE {_OF_SPEECH} AND opened_at IS NULL"
_SPEAKER = "SELECT max(speaker) FROM awaited WHERE debate_id = $debate_id AND side = $side"
_AWAIT = """
    INSERT INTO awaited (debate_id, side, stage, since, speaker, making)
    VALUES ($debate_id, $side, $stage, $now, $speaker, $making)
    ON CONFLICT DO UPDATE SET speaker = excluded.speaker, making = excluded.making
"""
_WRITE_DRAFT = """
    INSERT INTO drafts SELECT $debate_id, $side, $stage, $text, $handed_in, $now
    WHERE EXISTS (FROM debates WHERE debate_id = $debate_id AND status = 'waiting')
    ON CONFLICT DO UPDATE SET text = excluded.text, handed_in = excluded.handed_in,
        changed_at = excluded.changed_at WHERE NOT drafts.handed_in RETURNING debate_id
"""
_VOTABLE = """
    SELECT d.debate_id, d.motion_id, d.language, count(b.ballot_id) AS votes,
           count(*) FILTER (b.voter = $voter) > 0 AS voted
    FROM debates d LEFT JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench
    WHERE d.tournament = $name AND d.status = 'finished'
    GROUP BY ALL ORDER BY d.debate_id
"""
_VOTERS = """
    SELECT d.debate_id, d.status, list(b.voter) FILTER (b.voter IS NOT NULL)
    FROM debates d LEFT JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench
    WHERE d.tournament = $name AND d.debate_id IN (SELECT unnest(CAST($ids AS TEXT[])))
    GROUP BY ALL
"""


class SpeechPlace(NamedTuple):
    """Where a speech stands."""

    debate_id: str
    side: Side
    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A debate's wait for one speech.

    Attributes:
        since: when it began; `None` where that was not stored yet.
        opened_at: when the speaker opened the speech; `None` where nobody has.
        speaker: who speaks, of a participant of several people; '' where nobody does yet.
    """

    since: datetime | None = None
    opened_at: datetime | None = None
    speaker: str = ""


#: Waits by debate, side and stage.
Waits: TypeAlias = Mapping[SpeechPlace, Wait]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedSpeech:
    """The text of a speech that a person wrote.

    Attributes:
        handed_in: whether it is final.
        making: who spoke, and the recording that it was transcribed from.
    """

    text: str = ""
    handed_in: bool = False
    making: Step = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class VotableDebate:
    """A finished debate: how many votes a bench has on it, and whether one voter has voted."""

    debate_id: str
    motion_id: str
    language: str
    votes: int
    voted: bool


def read_waiting(store: Store, tournament: str) -> set[str]:
    """Read the ids of a tournament's debates that wait for people."""
    return {debate_id for (debate_id,) in store.tuples(_WAITING, {"name": tournament})}


def count_unfinished(store: Store, tournament: str, participants: Sequence[str]) -> int:
    """Count the debates of a tournament with some participants, by id, that are not over."""
    ((number,),) = store.tuples(_UNFINISHED, {"name": tournament, "people": list(participants)})
    return int(number)


def read_waits(store: Store, debate_ids: Iterable[str]) -> Waits:
    """Read since when debates wait, or waited, for the speeches of people.

    A speaker who has opened or submitted a speech speaks for that side of the debate to its end.
    """
    return {
        SpeechPlace(*place): Wait(
            since=_read_time(since), opened_at=_read_time(opened_at), speaker=speaker
        )
        for *place, since, opened_at, speaker in store.tuples(_WAITS, {"ids": list(debate_ids)})
    }


def read_drafts(store: Store, debate_ids: Iterable[str]) -> dict[SpeechPlace, DraftedSpeech]:
    """Read what people have written for some debates, handed in or not."""
    return _by_place(store.tuples(_DRAFTS, {"ids": list(debate_ids)}))


def read_draft(connection: Any, place: SpeechPlace) -> DraftedSpeech:  # noqa: ANN401 - DuckDB
    """Read the text of one speech that is stored so far; an empty one where none is."""
    rows = connection.execute(_DRAFTS, {"ids": [place.debate_id]}).fetchall()
    return _by_place(rows).get(place, DraftedSpeech())


def open_speech(connection: Any, place: SpeechPlace, moment: datetime) -> None:  # noqa: ANN401
    """Store when the speaker opened a speech that is awaited, unless it was opened before."""
    connection.execute(_OPEN_SPEECH, {**place._asdict(), "now": moment})


def read_speaker(connection: Any, place: SpeechPlace) -> str:  # noqa: ANN401 - DuckDB
    """Read who speaks for the side of a speech; '' where nobody does yet."""
    side = {"debate_id": place.debate_id, "side": place.side}
    ((speaker,),) = connection.execute(_SPEAKER, side).fetchall()
    return speaker or ""


def write_speaker(connection: Any, place: SpeechPlace, speaker: str, making: Step) -> None:  # noqa: ANN401
    """Store who gives a speech, and how it is made."""
    connection.execute(
        _AWAIT,
        {
            **place._asdict(),
            "speaker": speaker,
            "now": datetime.now(UTC),
            "making": json.dumps(making, ensure_ascii=False),
        },
    )


def write_draft(connection: Any, place: SpeechPlace, text: str, *, handed_in: bool) -> bool:  # noqa: ANN401
    """Store the text of a speech; one that was handed in stays as it is.

    Returns:
        Whether it was stored.
    """
    row = {**place._asdict(), "text": text, "handed_in": handed_in, "now": datetime.now(UTC)}
    return bool(connection.execute(_WRITE_DRAFT, row).fetchall())


def read_votable(store: Store, tournament: str, *, bench: str, voter: str) -> list[VotableDebate]:
    """Read the finished debates of a tournament, with the votes that a bench has on them."""
    asked = {"name": tournament, "bench": bench, "voter": voter}
    return [VotableDebate(**row) for row in store.plain_rows(_VOTABLE, asked)]


def read_voters(
    connection: Any,  # noqa: ANN401 - DuckDB
    tournament: str,
    *,
    bench: str,
    debate_ids: Sequence[str],
) -> dict[str, tuple[str, list[str]]]:
    """Read the status of some debates of a tournament, and who has voted on them in a bench."""
    asked = {"name": tournament, "bench": bench, "ids": list(debate_ids)}
    rows = connection.execute(_VOTERS, asked).fetchall()
    return {debate_id: (status, voters or []) for debate_id, status, voters in rows}


def _by_place(rows: Iterable[tuple[Any, ...]]) -> dict[SpeechPlace, DraftedSpeech]:
    return {
        SpeechPlace(*place): DraftedSpeech(
            text=text, handed_in=bool(handed_in), making=json.loads(making or "{}")
        )
        for *place, text, handed_in, making in rows
    }


def _read_time(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else datetime.fromtimestamp(microseconds / 1e6, UTC)

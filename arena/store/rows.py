"""Conversion of records to rows of the database, and back."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from arena.languages import SIDES
from arena.records import ENDED, Ballot, Debate, Participant, Reference, Sampling, Speech
from arena.store.database import Store, batch_view, insert
from arena.store.seals import seal_units

if TYPE_CHECKING:  # what reads stored rows plays nothing and calls no model
    from arena.debates.ballot import BallotRecord
    from arena.debates.play import DebateRecord
    from arena.llm.session import UnitRecord
    from motions import Motion

#: The statuses that a run gives to a debate before it has ended, or when it is cut off.
RunStatus = Literal["playing", "planned"]

#: Deletes the stored speeches of debates that waited for a person or ended in an error. They are
#: written anew: the debate's journal may have been set aside since.
_DELETE_DISCLOSED = f"""
    DELETE FROM speeches USING debates, batch
    WHERE speeches.debate_id = debates.debate_id AND speeches.debate_id = batch.debate_id
      AND debates.status NOT IN {ENDED} AND batch.status <> 'void'
"""
_UPDATE_DEBATES = f"""
    UPDATE debates SET {{changes}}, replays = debates.replays + (batch.status = 'void')::INTEGER
    FROM batch
    WHERE debates.debate_id = batch.debate_id
      AND debates.status NOT IN {ENDED}
"""

_UPSERT_BALLOTS = """
    INSERT INTO ballots ({columns}) SELECT {columns} FROM batch
    ON CONFLICT (ballot_id) DO UPDATE SET
        status = excluded.status, reason = excluded.reason, rationale = excluded.rationale,
        seconds = excluded.seconds, cost_usd = ballots.cost_usd + excluded.cost_usd,
        asked = excluded.asked, trace = excluded.trace, traceback = excluded.traceback,
        swapped = excluded.swapped, result_hash = '', record_hash = ''
    WHERE ballots.status <> 'valid' AND (ballots.asked < excluded.asked
          OR excluded.status = 'error' AND ballots.asked = excluded.asked)
"""


_CONFIGS = """
    SELECT tournament, config FROM tournaments
    ORDER BY config->>'$.tournament.ranks' IS NOT NULL, created_at DESC
"""
_BATTLE_KINDS = """
    SELECT DISTINCT category, language FROM battles WHERE tournament = $tournament ORDER BY ALL
"""
_DEBATE_KINDS = """
    SELECT DISTINCT m.category, m.language FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    WHERE d.tournament = $tournament ORDER BY ALL
"""


def read_configs(store: Store) -> dict[str, str]:
    """Read the configurations of all tournaments as JSON, by name, the newest first.

    Last are those that only hold people's rankings of another tournament's essays.
    """
    return {row["tournament"]: row["config"] for row in store.plain_rows(_CONFIGS)}


def read_kinds(store: Store, tournament: str, *, battles: bool) -> list[tuple[str, str]]:
    """Read the categories and languages that occur together in a tournament's debates.

    Args:
        battles: whether it holds imported battles instead of debates.
    """
    query = _BATTLE_KINDS if battles else _DEBATE_KINDS
    rows = store.plain_rows(query, {"tournament": tournament})
    return [(row["category"], row["language"]) for row in rows]


def write_tournament(connection: Any, row: Mapping[str, Any]) -> None:  # noqa: ANN401 - DuckDB
    """Store a tournament, or the configuration that one of its name has now."""
    insert(connection, "tournaments", [row])
    connection.execute(
        "UPDATE tournaments SET config = $config, config_hash = $config_hash "
        "WHERE tournament = $tournament AND config_hash <> $config_hash",
        {
            "config": json.dumps(row["config"], ensure_ascii=False),
            "config_hash": row["config_hash"],
            "tournament": row["tournament"],
        },
    )


def motion_rows(motions: Iterable[Motion], languages: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of the table `motions`, one per motion and language."""
    return [
        {
            "motion_id": motion.motion_id,
            "motion_set": motion.motion_set,
            "category": motion.category,
            "topic": motion.topic,
            "language": code,
            "text": motion.wording(code).text,
            "info_slide": motion.wording(code).info_slide,
            "brief": asdict(motion.wording(code).brief),
            "answers": asdict(answers) if (answers := motion.wording(code).answers) else "null",
        }
        for motion in motions
        for code in languages
        if code in motion.wordings
    ]


def participant_rows(participants: Iterable[Participant], tournament: str) -> list[dict[str, Any]]:
    """Return the rows of the table `participants`."""
    return [
        {
            "participant_id": participant.participant_id,
            "tournament": tournament,
            "name": participant.name,
            "debater": participant.debater,
            "model": participant.model,
            "options": dict(participant.options),
            "sampling": participant.sampling.fields(),
        }
        for participant in participants
    ]


def read_participants(store: Store, tournament: str) -> tuple[Participant, ...]:
    """Read everybody who was ever a participant of a stored tournament, sorted by name."""
    rows = store.plain_rows(
        "SELECT name, debater, model, options, sampling FROM participants "
        "WHERE tournament = $tournament ORDER BY name",
        {"tournament": tournament},
    )
    return tuple(
        Participant(
            name=row["name"],
            debater=row["debater"],
            model=row["model"],
            options=json.loads(row["options"]),
            sampling=Sampling(**json.loads(row["sampling"])),
        )
        for row in rows
    )


def debate_rows(debates: Iterable[Debate]) -> list[dict[str, Any]]:
    """Return the rows of the table `debates` for planned debates."""
    return [{**asdict(debate), "status": "planned"} for debate in debates]


def write_debates(connection: Any, records: Sequence[DebateRecord]) -> None:  # noqa: ANN401 - DuckDB
    """Store played debates: their status and speeches, and the calls of those that have ended."""
    if not records:
        return
    import pandas as pd  # noqa: PLC0415 - not where commands only read

    rows = [_debate_row(record) for record in records]
    changes = ", ".join(f"{name} = batch.{name}" for name in rows[0] if name != "debate_id")
    with batch_view(connection, rows):
        connection.execute(_DELETE_DISCLOSED)
        connection.execute(_UPDATE_DEBATES.format(changes=changes))
    speeches = [
        row for record in records for row in speech_rows(record.debate.debate_id, record.speeches)
    ]
    insert(connection, "speeches", speeches)
    awaited = [
        {
            "debate_id": record.debate.debate_id,
            "side": side,
            "stage": stage,
            "since": pd.Timestamp(record.finished_at),
        }
        for record in records
        for side, stage in record.awaited
    ]
    insert(connection, "awaited", awaited)  # rows that are stored already stay as they are
    ended = [record for record in records if record.status in ENDED]
    write_units(connection, [(record.unit, 1) for record in ended])
    seal_units(connection, "debates", [record.debate.debate_id for record in ended])


def write_given_debates(
    connection: Any,  # noqa: ANN401 - DuckDB
    speeches: Mapping[str, Sequence[Speech]],
) -> None:
    """Store the speeches of planned debates that nobody plays, by debate id: they are finished."""
    rows = [row for debate_id, each in speeches.items() for row in speech_rows(debate_id, each)]
    insert(connection, "speeches", rows)
    connection.execute(
        "UPDATE debates SET status = 'finished', finished_at = now() "
        "WHERE debate_id IN (SELECT unnest(CAST($ids AS TEXT[])))",
        {"ids": list(speeches)},
    )
    seal_units(connection, "debates", list(speeches))


def count_stored(connection: Any, debate_ids: Collection[str]) -> int:  # noqa: ANN401 - DuckDB
    """Return how many of these debates the database holds."""
    query = "SELECT count(*) FROM debates WHERE list_contains($ids, debate_id)"
    ((number,),) = connection.execute(query, {"ids": list(debate_ids)}).fetchall()
    return int(number)


def mark_debates(
    connection: Any,  # noqa: ANN401 - DuckDB
    debate_ids: Sequence[str],
    status: RunStatus,
) -> None:
    """Mark debates as being played, or those that were being played as planned."""
    before = ("planned", "void", "error") if status == "playing" else ("playing", "playing")
    if debate_ids:
        connection.execute(
            f"UPDATE debates SET status = $status "
            f"WHERE list_contains($ids, debate_id) AND status IN {before}",
            {"ids": list(debate_ids), "status": status},
        )


def write_ballots(connection: Any, records: Sequence[BallotRecord]) -> None:  # noqa: ANN401 - DuckDB
    """Store ballots; a later one replaces a failed one or an error, and nothing a valid one.

    The calls of an error stay in its journal, like those of a debate that has not ended.
    """
    if not records:
        return
    with batch_view(connection, [_ballot_row(record) for record in records]) as columns:
        connection.execute(_UPSERT_BALLOTS.format(columns=columns))
    scores = [
        {"ballot_id": record.ballot.ballot_id, **asdict(verdict)}
        for record in records
        for verdict in record.ballot.verdicts
    ]
    insert(connection, "ballot_scores", scores)
    final = [record for record in records if not record.error]
    write_units(connection, [(record.unit, record.asked) for record in final])
    seal_units(connection, "ballots", [record.ballot.ballot_id for record in final])


def read_speeches(store: Store, debate_ids: Sequence[str]) -> dict[str, tuple[Speech, ...]]:
    """Read the speeches of debates, by debate id, in speaking order."""
    rows = store.plain_rows(
        """
        SELECT * FROM speeches WHERE debate_id IN (SELECT unnest(CAST($ids AS TEXT[])))
        ORDER BY debate_id,
            CASE stage WHEN 'constructive' THEN 0 WHEN 'rebuttal' THEN 1 ELSE 2 END,
            (side = 'con') = (stage <> 'summary')
        """,
        {"ids": list(debate_ids)},
    )
    by_debate: dict[str, list[Speech]] = {}
    for row in rows:
        speech = Speech(
            side=row["side"],
            stage=row["stage"],
            text=row["text"],
            words=int(row["words"]),
            trimmed=bool(row["trimmed"]),
            references=tuple(Reference(**item) for item in json.loads(row["references"])),
            trace=tuple(json.loads(row["trace"])),
        )
        by_debate.setdefault(str(row["debate_id"]), []).append(speech)
    return {debate_id: tuple(speeches) for debate_id, speeches in by_debate.items()}


def read_debates(store: Store, tournament: str) -> list[Debate]:
    """Read all debates of a tournament, planned ones included."""
    names = [field.name for field in fields(Debate)]
    rows = store.tuples(
        f"SELECT {', '.join(names)} FROM debates WHERE tournament = $name ORDER BY debate_id",
        {"name": tournament},
    )
    return [Debate(**dict(zip(names, row, strict=True))) for row in rows]


def _debate_row(record: DebateRecord) -> dict[str, Any]:
    """Return what playing a debate gives to its row, by column."""
    import pandas as pd  # noqa: PLC0415 - not where commands only read

    erred = [error.side for error in record.errors]
    return {
        "debate_id": record.debate.debate_id,
        "status": record.status,
        "reason": record.reason,
        "forfeited": record.forfeited,
        # Until a debate has ended, its costs stand in its journal and are counted there.
        "cost_usd": record.unit.cost_usd if record.status in ENDED else 0.0,
        "started_at": pd.Timestamp(record.started_at),
        "finished_at": pd.NaT if record.status == "waiting" else pd.Timestamp(record.finished_at),
        "erred": "both" if len(erred) == len(SIDES) else "".join(erred),
        "traceback": record.traceback,
    }


def speech_rows(debate_id: str, speeches: Iterable[Speech]) -> list[dict[str, Any]]:
    """Return the rows of the table `speeches` for one debate."""
    return [
        {
            "debate_id": debate_id,
            **{field.name: getattr(speech, field.name) for field in fields(Speech)},
            "references": [asdict(reference) for reference in speech.references],
            "trace": list(speech.trace),
        }
        for speech in speeches
    ]


def _ballot_row(record: BallotRecord) -> dict[str, Any]:
    ballot = record.ballot
    stored = {field.name: getattr(ballot, field.name) for field in fields(Ballot)}
    del stored["verdicts"]  # they have a table of their own
    return {
        "ballot_id": ballot.ballot_id,
        **stored,
        "asked": record.asked,
        "trace": json.dumps(list(ballot.trace), ensure_ascii=False),
        "traceback": record.error.traceback if record.error else "",
    }


def write_units(
    connection: Any,  # noqa: ANN401 - a DuckDB connection
    units: Sequence[tuple[UnitRecord, int]],
) -> None:
    """Store the calls and the exchanges of units (debates or ballots).

    Args:
        units: each with the number of its part: a ballot that was asked for again has several.
    """
    calls = [{"unit": unit.unit_id, **asdict(call)} for unit, _ in units for call in unit.calls]
    insert(connection, "calls", calls)
    exchanges = [
        {
            "unit": unit.unit_id,
            "part": part,
            "requests_and_answers": unit.exchanges,
            "content_hash": sha256(unit.exchanges).hexdigest(),
        }
        for unit, part in units
    ]
    insert(connection, "exchanges", exchanges)

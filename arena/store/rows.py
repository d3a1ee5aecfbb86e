"""Records to rows and back: what a runner writes to the store, and what it reads again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from arena.debates.ballot import BallotRecord
from arena.debates.play import DebateRecord
from arena.llm.unit_record import UnitRecord
from arena.records import Debate, Participant, Reference, Sampling, Speech
from arena.store.database import Store, insert
from motions import Answers, Motion

_ENDED = ("finished", "forfeit")


def motion_rows(motions: Iterable[Motion], languages: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of `motions`: one per motion and language."""
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
            "answers": _answers(motion.wording(code).answers),
        }
        for motion in motions
        for code in languages
        if code in motion.wordings
    ]


def _answers(answers: Answers | None) -> dict[str, Any] | str:
    return "null" if answers is None else asdict(answers)


def participant_rows(participants: Iterable[Participant], tournament: str) -> list[dict[str, Any]]:
    """The rows of `participants`."""
    return [
        {
            "participant_id": one.participant_id,
            "tournament": tournament,
            "name": one.name,
            "debater": one.debater,
            "model": one.model,
            "options": dict(one.options),
            "sampling": asdict(one.sampling),
        }
        for one in participants
    ]


def read_participants(store: Store, tournament: str) -> tuple[Participant, ...]:
    """All that were ever participants of a stored tournament, by name."""
    rows = store.rows(
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
    """The rows of planned `debates`."""
    return [{**asdict(one), "status": "planned"} for one in debates]


def write_debates(link: Any, records: Sequence[DebateRecord]) -> None:  # noqa: ANN401 - a Link
    """Store played debates: status, speeches, and (but for void ones) their calls."""
    if not records:
        return
    link.register("batch", pd.DataFrame([_debate_row(record) for record in records]))
    # What a waiting debate had disclosed is written anew: its journal may have been set aside.
    link.execute(
        "DELETE FROM speeches USING debates, batch WHERE speeches.debate_id = debates.debate_id "
        "AND speeches.debate_id = batch.debate_id AND debates.status = 'waiting' "
        "AND batch.status <> 'void'"
    )
    link.execute(
        """
        UPDATE debates SET
            status = batch.status, reason = batch.reason, forfeited = batch.forfeited,
            cost_usd = batch.cost_usd,
            started_at = batch.started_at, finished_at = batch.finished_at,
            replays = debates.replays + batch.void
        FROM batch
        WHERE debates.debate_id = batch.debate_id
          AND debates.status NOT IN ('finished', 'forfeit')
        """
    )
    link.unregister("batch")
    insert(
        link,
        "speeches",
        [row for one in records for row in speech_rows(one.debate.debate_id, one.speeches)],
    )
    write_units(link, [(one.unit, 1) for one in records if one.status in _ENDED])


def write_playing(link: Any, debate_ids: Sequence[str]) -> None:  # noqa: ANN401 - a Link
    """Mark debates as being played."""
    link.execute(
        "UPDATE debates SET status = 'playing' "
        "WHERE list_contains($ids, debate_id) AND status IN ('planned', 'void')",
        {"ids": list(debate_ids)},
    )


def write_ballots(link: Any, records: Sequence[BallotRecord]) -> None:  # noqa: ANN401 - a Link
    """Store ballots; a valid one replaces a failed one, and nothing replaces a valid one."""
    if not records:
        return
    frame = pd.DataFrame([_ballot_row(record) for record in records])
    link.register("batch", frame)
    columns = ", ".join(frame.columns)
    link.execute(
        f"""
        INSERT INTO ballots ({columns}) SELECT {columns} FROM batch
        ON CONFLICT (ballot_id) DO UPDATE SET
            status = excluded.status, reason = excluded.reason, rationale = excluded.rationale,
            seconds = excluded.seconds, cost_usd = ballots.cost_usd + excluded.cost_usd,
            asked = excluded.asked, trace = excluded.trace,
            swapped = excluded.swapped
        WHERE ballots.status = 'failed' AND ballots.asked < excluded.asked
        """
    )
    link.unregister("batch")
    scores = [
        {"ballot_id": one.ballot.ballot_id, **asdict(verdict)}
        for one in records
        for verdict in one.ballot.verdicts
    ]
    insert(link, "ballot_scores", scores)
    write_units(link, [(one.unit, one.asked) for one in records])


def read_speeches(store: Store, debate_ids: Sequence[str]) -> dict[str, tuple[Speech, ...]]:
    """The speeches of some debates, by debate, in speaking order."""
    rows = store.rows(
        """
        SELECT * FROM speeches WHERE debate_id IN (SELECT unnest(CAST($ids AS TEXT[])))
        ORDER BY debate_id,
            CASE stage WHEN 'constructive' THEN 0 WHEN 'rebuttal' THEN 1 ELSE 2 END,
            (side = 'con') = (stage <> 'summary')
        """,
        {"ids": list(debate_ids)},
    )
    found: dict[str, list[Speech]] = {}
    for row in rows:
        found.setdefault(str(row["debate_id"]), []).append(_speech(row))
    return {debate: tuple(speeches) for debate, speeches in found.items()}


def read_debates(store: Store, tournament: str) -> list[Debate]:
    """All pairings of a tournament."""
    rows = store.rows(
        "SELECT debate_id, matchup_id, tournament, motion_id, language, leg, repeat, pro, con "
        "FROM debates WHERE tournament = $tournament ORDER BY debate_id",
        {"tournament": tournament},
    )
    return [Debate(**row) for row in rows]


def _debate_row(record: DebateRecord) -> dict[str, Any]:
    return {
        "debate_id": record.debate.debate_id,
        "status": record.status,
        "reason": record.reason,
        "forfeited": record.forfeited,
        # Of a debate that goes on, the journal still holds the costs.
        "cost_usd": record.unit.cost_usd if record.status in _ENDED else 0.0,
        "started_at": pd.Timestamp(record.started_at),
        "finished_at": pd.NaT if record.status == "waiting" else pd.Timestamp(record.finished_at),
        "void": int(record.status == "void"),
    }


def speech_rows(debate_id: str, speeches: Iterable[Speech]) -> list[dict[str, Any]]:
    """The rows of `speeches` of a debate."""
    return [
        {
            "debate_id": debate_id,
            "side": speech.side,
            "stage": speech.stage,
            "text": speech.text,
            "words": speech.words,
            "trimmed": speech.trimmed,
            "references": [asdict(reference) for reference in speech.references],
            "trace": list(speech.trace),
        }
        for speech in speeches
    ]


def _ballot_row(record: BallotRecord) -> dict[str, Any]:
    ballot = record.ballot
    return {
        "ballot_id": ballot.ballot_id,
        "debate_id": ballot.debate_id,
        "bench": ballot.bench,
        "run": ballot.run,
        "status": ballot.status,
        "reason": ballot.reason,
        "rationale": ballot.rationale,
        "seconds": ballot.seconds,
        "cost_usd": ballot.cost_usd,
        "asked": record.asked,
        "swapped": ballot.swapped,
        "trace": json.dumps(list(ballot.trace), ensure_ascii=False),
    }


def write_units(link: Any, units: Sequence[tuple[UnitRecord, int]]) -> None:  # noqa: ANN401
    """Store what units leave beside their results, each with the number of its part."""
    calls = [{"unit": unit.unit_id, **asdict(call)} for unit, _ in units for call in unit.calls]
    insert(link, "calls", calls)
    exchanges = [
        {"unit": unit.unit_id, "part": part, "requests_and_answers": unit.exchanges}
        for unit, part in units
    ]
    insert(link, "exchanges", exchanges)


def _speech(row: dict[Any, Any]) -> Speech:
    return Speech(
        side=row["side"],
        stage=row["stage"],
        text=row["text"],
        words=int(row["words"]),
        trimmed=bool(row["trimmed"]),
        references=tuple(Reference(**one) for one in json.loads(row["references"])),
        trace=tuple(json.loads(row["trace"])),
    )

"""What a board's answers came from: readable answers, versions of prompts, models behind names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from arena.store.database import Store
from arena.text import counted

#: Share of an agent's answers that had to be done without, from which a board says so.
_NOTED_SHARE = 0.2
#: Fewer answers than these tell nothing.
_LEAST_ANSWERS = 5

#: The calls of the finished debates: a participant's path is `pro/rebuttal/reviewer/1`.
_CALLS = """
    WITH made AS (
        SELECT c.*, d.language, d.debate_id,
               CASE split_part(c.path, '/', 1) WHEN 'pro' THEN d.pro ELSE d.con END
                   AS participant_id,
               split_part(c.path, '/', 2) AS stage, split_part(c.path, '/', 3) AS agent,
               split_part(c.path, '/', 4) AS number
        FROM calls c JOIN debates d ON c.unit = d.debate_id
        WHERE d.tournament = $name AND d.status = 'finished'
          AND split_part(c.path, '/', 1) IN ('pro', 'con')
    )
"""
#: An answer is lost where the last call at its place could not be read.
_LOST = f"""{_CALLS}, places AS (
        SELECT participant_id, agent, debate_id, path,
               contains(arg_max(bent, attempt), 'unreadable') AS unreadable
        FROM made WHERE number <> '' GROUP BY ALL
    )
    SELECT p.name AS participant, agent, count(*) AS answers,
           count(*) FILTER (unreadable) AS lost
    FROM places JOIN participants p USING (participant_id)
    WHERE p.tournament = $name
    GROUP BY ALL HAVING answers >= $least AND lost >= $share * answers
    ORDER BY participant, lost DESC, agent
"""
#: The first call of an agent in a stage always uses the same prompt of one version.
_VERSIONS = f"""{_CALLS}
    SELECT p.name AS participant, stage, agent, language, prompt_hash,
           count(DISTINCT debate_id) AS debates, min(debate_id) AS first
    FROM made JOIN participants p USING (participant_id)
    WHERE p.tournament = $name AND number = '1' AND attempt = 0 AND prompt_hash <> ''
    GROUP BY ALL ORDER BY ALL
"""
_SERVED = """
    SELECT c.model, c.served_model, count(*) AS calls
    FROM calls c
    WHERE c.served_model <> '' AND c.unit IN (
        SELECT debate_id FROM debates WHERE tournament = $name
        UNION ALL
        SELECT ballot_id FROM ballots JOIN debates USING (debate_id) WHERE tournament = $name
    )
    GROUP BY ALL ORDER BY c.model, calls DESC, c.served_model
"""


def participant_notes(store: Store, tournament: str) -> Mapping[str, str]:
    """Return, by participant, which agents' answers its debates often had to do without.

    For example `38% of the reviewer's answers were unreadable`. Participants with few such answers
    are left out.
    """
    parameters = {"name": tournament, "least": _LEAST_ANSWERS, "share": _NOTED_SHARE}
    rows = store.rows(_LOST, parameters)
    return {
        participant: "; ".join(
            f"{row['lost'] / row['answers']:.0%} of the {row['agent']}'s answers were unreadable"
            for row in lost
        )
        for participant, lost in groupby(rows, key=itemgetter("participant"))
    }


def provenance_notes(store: Store, tournament: str) -> tuple[str, ...]:
    """Return whose debates mix versions of prompts, and behind which names models have changed."""
    parameters = {"name": tournament}
    return (
        *_version_notes(store.rows(_VERSIONS, parameters)),
        *_drift_notes(store.rows(_SERVED, parameters)),
    )


def _version_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    mixed: dict[str, list[int]] = {}
    place = itemgetter("participant", "stage", "agent", "language")
    for (participant, *_), group in groupby(rows, key=place):
        counts = sorted((row["debates"] for row in group), reverse=True)
        if len(counts) > len(mixed.get(participant, [0])):
            mixed[participant] = counts
    return [
        f"the debates of {participant} were written with {len(counts)} versions of its prompts "
        f"({_list(counts)} debates): give the changed system a new name to rate them apart"
        for participant, counts in mixed.items()
    ]


def _drift_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    notes = []
    for model, group in groupby(rows, key=itemgetter("model")):
        served = [f"{row['served_model']} ({counted(row['calls'], 'call')})" for row in group]
        if len(served) > 1:
            notes.append(f"the model behind {model} changed: it answered as {_list(served)}")
    return notes


def _list(items: Sequence[object]) -> str:
    *first, last = (str(item) for item in items)
    return f"{', '.join(first)} and {last}" if first else last

"""The stored tournaments as records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from arena.read.heading import Heading
from arena.read.selected import moment
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """A stored tournament; numbers are of all that is stored of it.

    Attributes:
        contest: debate, essay or question.
        imported: whether its verdicts come from a file.
        code_version: of the program that stored it first.
    """

    tournament: Annotated[str, Heading("tournament")]
    contest: Annotated[str, Heading("contest")]
    created_at: Annotated[datetime, Heading("created (UTC)", "%Y-%m-%d %H:%M")]
    seed: int
    imported: bool
    code_version: str
    participants: Annotated[int, Heading("participants", ",")]
    debates: Annotated[int, Heading("debates", ",")]
    finished: Annotated[int, Heading("finished", ",")]
    ballots: Annotated[int, Heading("ballots", ",")]


_TOURNAMENTS: Final = """
    SELECT tournament, coalesce(config->>'$.tournament.contest', 'debate') AS contest,
           epoch_us(created_at) AS created_at, seed, json_exists(config, '$.source') AS imported,
           code_version,
           (SELECT count(*) FROM participants p WHERE p.tournament = t.tournament) AS participants,
           (SELECT count(*) FROM debates d WHERE d.tournament = t.tournament) AS debates,
           (SELECT count(*) FROM debates d
            WHERE d.tournament = t.tournament AND d.status = 'finished') AS finished,
           (SELECT count(*) FROM ballots b JOIN debates d USING (debate_id)
            WHERE d.tournament = t.tournament AND b.status = 'valid') AS ballots
    FROM tournaments t ORDER BY t.created_at DESC
"""


def read_tournaments(store: Store) -> list[TournamentRow]:
    """Read the tournaments of a database, the newest first."""
    rows = store.plain_rows(_TOURNAMENTS)
    return [TournamentRow(**row | {"created_at": moment(row["created_at"])}) for row in rows]

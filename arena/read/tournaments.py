"""The stored tournaments as records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from arena.boards.states import BENCHES
from arena.read.heading import Heading
from arena.read.selected import moment
from arena.records import LOCAL, OFFLINE
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """A stored tournament; numbers are of all that is stored of it.

    Attributes:
        contest: debate, essay or question.
        imported: whether its verdicts come from a file.
        code_version: of the program that stored it first.
        simulated, very_small: whether such a model debates or judges.
        motions, languages: of its debates.
        runs: ballots that all of its benches together plan of each debate.
        first_finished, last_finished: when debates finished; None without one.
    """

    tournament: Annotated[str, Heading("tournament")]
    contest: Annotated[str, Heading("contest")]
    created_at: Annotated[datetime, Heading("created (UTC)", "%Y-%m-%d %H:%M")]
    seed: int
    imported: bool
    code_version: str
    simulated: bool
    very_small: bool
    motions: int
    languages: tuple[str, ...]
    runs: int
    first_finished: datetime | None
    last_finished: datetime | None
    participants: Annotated[int, Heading("participants", ",")]
    debates: Annotated[int, Heading("debates", ",")]
    finished: Annotated[int, Heading("finished", ",")]
    ballots: Annotated[int, Heading("ballots", ",")]


#: Panels and teams name their models in their options.
_MODELS: Final = f"""
    SELECT tournament, model, CAST(options AS TEXT) AS options FROM participants
    UNION ALL SELECT tournament, model, options FROM ({BENCHES})
"""
_TOURNAMENTS: Final = f"""
    WITH marked AS (
        SELECT tournament, bool_or(starts_with(model, $offline)
                                   OR contains(options, '"' || $offline)) AS simulated,
               bool_or(starts_with(model, $local) OR contains(options, '"' || $local)) AS very_small
        FROM ({_MODELS}) GROUP BY tournament
    ), played AS (
        SELECT tournament, count(*) AS debates, count(DISTINCT motion_id) AS motions,
               list_sort(list(DISTINCT language)) AS languages,
               count(*) FILTER (status = 'finished') AS finished,
               epoch_us(min(finished_at) FILTER (status = 'finished')) AS first_finished,
               epoch_us(max(finished_at) FILTER (status = 'finished')) AS last_finished
        FROM debates GROUP BY tournament
    ), judged AS (
        SELECT d.tournament, count(*) AS ballots FROM ballots b JOIN debates d USING (debate_id)
        WHERE b.status = 'valid' GROUP BY d.tournament
    )
    SELECT tournament, coalesce(config->>'$.tournament.contest', 'debate') AS contest,
           epoch_us(created_at) AS created_at, seed, json_exists(config, '$.source') AS imported,
           code_version, coalesce(simulated, false) AS simulated,
           coalesce(very_small, false) AS very_small, coalesce(debates, 0) AS debates,
           coalesce(motions, 0) AS motions, coalesce(languages, []) AS languages,
           coalesce(finished, 0) AS finished, first_finished, last_finished,
           (SELECT CAST(coalesce(sum(runs), 0) AS INTEGER) FROM ({BENCHES}) b
            WHERE b.tournament = t.tournament) AS runs,
           (SELECT count(*) FROM participants p WHERE p.tournament = t.tournament) AS participants,
           coalesce(ballots, 0) AS ballots
    FROM tournaments t LEFT JOIN marked USING (tournament) LEFT JOIN played USING (tournament)
    LEFT JOIN judged USING (tournament)
    WHERE $name IN ('', tournament) ORDER BY created_at DESC, tournament
"""


def read_tournaments(store: Store) -> list[TournamentRow]:
    """Read the tournaments of a database, the newest first."""
    return _read(store)


def find_tournament(store: Store, name: str) -> TournamentRow | None:
    """Read a tournament; None where none of that name is stored."""
    return next(iter(_read(store, name)), None)


def _read(store: Store, name: str = "") -> list[TournamentRow]:
    rows = store.plain_rows(_TOURNAMENTS, {"name": name, "offline": OFFLINE, "local": LOCAL})
    return [TournamentRow(**row | _values(row)) for row in rows]


def _values(row: dict[str, Any]) -> dict[str, Any]:
    times = ("created_at", "first_finished", "last_finished")
    return {"languages": tuple(row["languages"]), **{name: moment(row[name]) for name in times}}

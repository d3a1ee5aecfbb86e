"""What a run and a check look up: stored configurations, and the states of debates and ballots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from arena.records import ENDED
from arena.store.database import Store

_CONFIGS = """
    SELECT tournament, config, config_hash, seed FROM tournaments
    WHERE $name IS NULL OR tournament = $name ORDER BY created_at
"""
_KEPT_CONFIGS = """
    SELECT config FROM boards WHERE tournament = $name
    GROUP BY config ORDER BY max(created_at) DESC
"""
_STATUSES = """
    SELECT debate_id, status FROM debates WHERE $name IS NULL OR tournament = $name
"""
_BALLOTS = """
    SELECT debate_id, bench, run, b.status, asked
    FROM ballots b JOIN debates USING (debate_id) WHERE tournament = $name
"""
_COUNTS = {
    "debates": "SELECT tournament, status, count(*) FROM debates GROUP BY ALL",
    "ballots": """
        SELECT tournament, b.status, count(*) FROM ballots b JOIN debates USING (debate_id)
        GROUP BY ALL
    """,
}
_ENDS = f"""
    SELECT pro, con, status, forfeited, reason FROM debates
    WHERE tournament = $name AND status IN {ENDED} ORDER BY finished_at, debate_id
"""
_FORFEITED = """
    SELECT debate_id, pro, con, forfeited FROM debates
    WHERE tournament = $name AND status = 'forfeit'
"""
_NAMES = "SELECT participant_id, name FROM participants WHERE tournament = $name"
_DEBATED = """
    SELECT participant_id, participant_id IN (
        SELECT pro FROM debates WHERE tournament = $name UNION ALL
        SELECT con FROM debates WHERE tournament = $name)
    FROM participants WHERE tournament = $name
"""
_WAVES = """
    SELECT wave, schedule->>'$.schedule.kind' AS kind, judged, meetings, byes, phase, retired,
           coalesce(schedule->>'$.target.objective', '') = 'newcomer' AS is_placing
    FROM waves WHERE tournament = $name ORDER BY wave
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConfig:
    """The configuration of a tournament as it is stored.

    Attributes:
        config: as JSON.
        config_hash: what it had when it was stored.
    """

    tournament: str
    config: str
    config_hash: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateEnd:
    """How a debate ended.

    Attributes:
        pro, con: ids of participants.
        forfeited: pro, con or both; '' where nobody forfeited.
        reason: why, with the side; '' where nobody forfeited.
    """

    pro: str
    con: str
    status: str
    forfeited: str
    reason: str


def read_stored_configs(store: Store, tournament: str | None = None) -> list[StoredConfig]:
    """Read the configuration of one tournament, if it is stored, or of each, the oldest first."""
    return [StoredConfig(**row) for row in store.plain_rows(_CONFIGS, {"name": tournament})]


def read_kept_configs(store: Store, tournament: str) -> list[str]:
    """Read the configurations, as JSON, that kept boards of a tournament had, the newest first."""
    return [row["config"] for row in store.plain_rows(_KEPT_CONFIGS, {"name": tournament})]


def read_statuses(store: Store, tournament: str | None = None) -> dict[str, str]:
    """Read the statuses of the debates of one tournament, or of all, by debate id."""
    return dict(store.tuples(_STATUSES, {"name": tournament}))


def read_ends(store: Store, tournament: str) -> list[DebateEnd]:
    """Read how the debates of a tournament ended, in the order in which they did."""
    return [DebateEnd(**row) for row in store.plain_rows(_ENDS, {"name": tournament})]


def read_ballot_states(
    store: Store, tournament: str
) -> dict[tuple[str, str, int], tuple[str, int]]:
    """Read a tournament's ballots: status, and how often asked, by debate id, bench and run."""
    rows = store.tuples(_BALLOTS, {"name": tournament})
    return {(debate, bench, run): (status, asked) for debate, bench, run, status, asked in rows}


def count_statuses(
    store: Store, table: Literal["debates", "ballots"]
) -> dict[tuple[str, str], int]:
    """Count debates or ballots by tournament and status."""
    return {(name, status): count for name, status, count in store.tuples(_COUNTS[table])}


def read_forfeit_winners(store: Store, tournament: str) -> dict[str, str]:
    """Read who won the debates that were forfeited, by debate id; '' where both forfeited."""
    rows = store.tuples(_FORFEITED, {"name": tournament})
    return {debate: {"pro": con, "con": pro}.get(side, "") for debate, pro, con, side in rows}


def read_names(store: Store, tournament: str) -> dict[str, str]:
    """Read the names of all participants that were ever stored, by id."""
    return dict(store.tuples(_NAMES, {"name": tournament}))


def read_debated(store: Store, tournament: str) -> dict[str, bool]:
    """Read which participants were ever stored, by id, and whether they are in any debate."""
    return dict(store.tuples(_DEBATED, {"name": tournament}))


def read_wave_rows(store: Store, tournament: str) -> list[dict[str, Any]]:
    """Read the waves of a tournament in order; lists in them are JSON."""
    return store.plain_rows(_WAVES, {"name": tournament})

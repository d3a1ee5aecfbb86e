"""What a tournament's runs have found out about models: how to ask, and how many calls at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from arena.llm.request import LearnedMode
from arena.llm.traffic.traffic import SettledLimit
from arena.store.database import Store, insert
from arena.store.seals import seal_rows


def read_modes(store: Store, tournament: str) -> list[LearnedMode]:
    """Read what earlier runs of a tournament have found out, by model and address."""
    rows = store.rows(
        "SELECT model, address, structured FROM structured_modes WHERE tournament = $tournament "
        "ORDER BY ALL",
        {"tournament": tournament},
    )
    return [LearnedMode(**row) for row in rows]


def write_modes(connection: Any, tournament: str, modes: Sequence[LearnedMode]) -> None:  # noqa: ANN401 - DuckDB
    """Store what a run has found out; it replaces what earlier runs had."""
    _replace(connection, "structured_modes", tournament, [asdict(mode) for mode in modes])


def read_limits(store: Store, tournament: str) -> list[SettledLimit]:
    """Read how many calls at once earlier runs of a tournament have settled on."""
    rows = store.rows(
        "SELECT model, address, calls FROM call_limits WHERE tournament = $tournament ORDER BY ALL",
        {"tournament": tournament},
    )
    return [SettledLimit(**row) for row in rows]


def write_limits(connection: Any, tournament: str, limits: Sequence[SettledLimit]) -> None:  # noqa: ANN401 - DuckDB
    """Store what a run has settled on; it replaces what earlier runs had."""
    _replace(connection, "call_limits", tournament, [asdict(limit) for limit in limits])


def _replace(
    connection: Any,  # noqa: ANN401 - DuckDB
    table: str,
    tournament: str,
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Store rows in place of those with the same keys, and seal them.

    A replaced row keeps the columns that are not given; the hash of the old one has to go.
    """
    given = [{"tournament": tournament, **row, "record_hash": ""} for row in rows]
    insert(connection, table, given, replace=True)
    seal_rows(connection, table)

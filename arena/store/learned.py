"""What runs have found out about models: how to ask them, and their number of calls at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, TypeVar

from arena.llm.request import LearnedMode
from arena.llm.request_shape import LearnedShape
from arena.llm.traffic.traffic import SettledLimit
from arena.store.database import Store, insert
from arena.store.seals import seal_rows

_Learned = TypeVar("_Learned", LearnedMode, LearnedShape, SettledLimit)
_TABLES: Final[Mapping[type, str]] = {
    LearnedMode: "structured_modes",
    LearnedShape: "request_shapes",
    SettledLimit: "call_limits",
}


def read_learned(store: Store, tournament: str, kind: type[_Learned]) -> list[_Learned]:
    """Read what earlier runs of a tournament have found out, by model and address."""
    columns = ", ".join(field.name for field in fields(kind))
    rows = store.rows(
        f"SELECT {columns} FROM {_TABLES[kind]} WHERE tournament = $tournament ORDER BY ALL",
        {"tournament": tournament},
    )
    return [kind(**row) for row in rows]


def write_learned(connection: Any, tournament: str, learned: Sequence[_Learned]) -> None:  # noqa: ANN401 - DuckDB
    """Store what a run has found out, and seal it; it replaces what earlier runs had.

    A replaced row keeps the columns that are not given; the hash of the old one has to go.
    """
    if learned:
        rows = [{"tournament": tournament, **asdict(row), "record_hash": ""} for row in learned]
        table = _TABLES[type(learned[0])]
        insert(connection, table, rows, replace=True)
        seal_rows(connection, table)

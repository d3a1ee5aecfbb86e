"""What models have measured, in the database: it is paid for once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from arena.essays.diversity import Measured
from arena.essays.sets import Essays
from arena.essays.units import Means, unit_of
from arena.llm.unit_record import UnitRecord
from arena.store.database import Store, insert
from arena.store.rows import write_units


def read_measured(
    store: Store, tournament: str, sets: Sequence[Essays], means: Means
) -> dict[str, Measured]:
    """By unit, those of some sets that are stored."""
    wanted = {unit_of(tournament, one, means): one for one in sets}
    rows = store.rows(
        "SELECT * FROM diversity WHERE unit IN (SELECT unnest(CAST($units AS TEXT[])))",
        {"units": list(wanted)},
    )
    return {
        row["unit"]: Measured(
            essays=wanted[row["unit"]],
            self_bleu=row["self_bleu"],
            self_emb=row["self_emb"],
            perspective=math.nan if row["perspective"] is None else row["perspective"],
            points=row["points"],
            unread=row["unread"],
        )
        for row in rows
    }


def write_measured(
    store: Store, tournament: str, one: Measured, means: Means, unit: UnitRecord
) -> None:
    """Store a set's figures with the calls that they took.

    Raises:
        StoreError: the database cannot be written.
    """
    row = {
        "unit": unit.unit_id,
        "tournament": tournament,
        "participant": one.essays.participant,
        "motion_id": one.essays.motion_id,
        "language": one.essays.language,
        "essays": len(one.essays.texts),
        "embedding": means.embedding,
        "points_by": means.points,
        "self_bleu": one.self_bleu,
        "self_emb": one.self_emb,
        "perspective": None if math.isnan(one.perspective) else one.perspective,
        "points": one.points,
        "unread": one.unread,
        "cost_usd": unit.cost_usd,
        "measured_at": pd.Timestamp(datetime.now(UTC)),
    }

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        insert(link, "diversity", [row])
        write_units(link, [(unit, 1)])

    store.write(batch)

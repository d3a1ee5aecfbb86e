"""Measurements by models, stored in the database so that they are paid for once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from arena.essays.diversity import MeasuredEssays
from arena.essays.sets import EssaySet
from arena.essays.units import MeasuringModels, measuring_unit_id
from arena.llm.unit_record import UnitRecord
from arena.store.database import Store, insert
from arena.store.rows import write_units
from arena.store.seals import seal_units


def read_measured(
    store: Store, tournament: str, sets: Sequence[EssaySet], means: MeasuringModels
) -> dict[str, MeasuredEssays]:
    """Read the stored measurements of these sets, by the id of their unit of work."""
    by_unit = {measuring_unit_id(tournament, essays, means): essays for essays in sets}
    rows = store.rows(
        "SELECT * FROM diversity WHERE unit IN (SELECT unnest(CAST($units AS TEXT[])))",
        {"units": list(by_unit)},
    )
    return {
        row["unit"]: MeasuredEssays(
            essays=by_unit[row["unit"]],
            self_bleu=row["self_bleu"],
            self_emb=row["self_emb"],
            perspective=math.nan if row["perspective"] is None else row["perspective"],
            points=row["points"],
            unread=row["unread"],
        )
        for row in rows
    }


def write_measured(
    store: Store,
    tournament: str,
    measured: MeasuredEssays,
    means: MeasuringModels,
    unit: UnitRecord,
) -> None:
    """Store the measurement of a set, and the calls of its unit of work.

    Raises:
        StoreError: the database cannot be written.
    """
    row = {
        "unit": unit.unit_id,
        "tournament": tournament,
        "participant": measured.essays.participant,
        "motion_id": measured.essays.motion_id,
        "language": measured.essays.language,
        "essays": len(measured.essays.texts),
        "embedding": means.embedding,
        "points_by": means.points,
        "self_bleu": measured.self_bleu,
        "self_emb": measured.self_emb,
        "perspective": None if math.isnan(measured.perspective) else measured.perspective,
        "points": measured.points,
        "unread": measured.unread,
        "cost_usd": unit.cost_usd,
        "measured_at": pd.Timestamp(datetime.now(UTC)),
    }

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        insert(link, "diversity", [row])
        write_units(link, [(unit, 1)])
        seal_units(link, "diversity", [unit.unit_id])

    store.write(batch)

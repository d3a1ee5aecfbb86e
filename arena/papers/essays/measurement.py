"""Measurement of essays by models: several sets at once, each paid for and stored by itself.

What is stored is not paid for again.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from arena.llm.journal import Journal
from arena.llm.session import CallSession, UnitRecord, run_unit
from arena.llm.usage import estimate_tokens
from arena.papers.essays.diversity import (
    MOST,
    MeasuredEssays,
    MeasuringModels,
    measure_with_models,
    measuring_unit_id,
)
from arena.papers.essays.sets import EssaySet
from arena.store.database import Store, insert
from arena.store.rows import write_units
from arena.store.seals import seal_units
from arena.tournament.models import Models
from arena.tournament.paid_work import WorkSlots, WorkTally, work_through

_MEANS = """
    SELECT embedding, points_by FROM diversity WHERE tournament = $tournament
    GROUP BY ALL ORDER BY max(measured_at) DESC
"""


def stored_means(store: Store, tournament: str) -> list[MeasuringModels]:
    """Return what the essays of a tournament were measured with, the newest first."""
    rows = store.plain_rows(_MEANS, {"tournament": tournament})
    return [MeasuringModels.stored(row["embedding"], row["points_by"]) for row in rows]


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
    """Store the measurement of a set, and the calls of its unit of work."""
    row = {
        "unit": unit.unit_id,
        "tournament": tournament,
        "participant": measured.essays.participant,
        "motion_id": measured.essays.motion_id,
        "language": measured.essays.language,
        "essays": len(measured.essays.texts),
        "embedding": means.embedding,
        "points_by": means.points_by,
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


#: Sets under way at once; each has several calls.
_AT_ONCE = 8
#: Tokens of the prompt around an essay, of its points, and of one of them.
_PROMPT, _ANSWER, _POINT = 250, 150, 25


@dataclass(slots=True, kw_only=True)
class MeasurementProgress(WorkTally):
    """How far the measurement is: `done` sets are stored, `open` ones could not be measured."""

    done: int = 0


def expected_usd(sets: Sequence[EssaySet], means: MeasuringModels, models: Models) -> float:
    """Estimate what measuring some sets of essays will cost, in USD."""
    usd = 0.0
    for essays in sets:
        tokens, count = sum(map(estimate_tokens, essays.texts)), len(essays.texts)
        if means.points in means.models:
            input_price, output_price = models.price(means.points)
            usd += (tokens + _PROMPT * count) * input_price + _ANSWER * count * output_price
        if means.embedding in means.models:
            points = _POINT * MOST * count
            usd += (tokens + points) * models.price(means.embedding)[0]
    return usd


def expected_calls(essays: EssaySet, means: MeasuringModels) -> dict[str, float]:
    """Return the expected calls of measuring a set, by model: one per essay, and its embeddings."""
    calls: dict[str, float] = {}
    if means.points in means.models:
        calls[means.points] = len(essays.texts)
    if means.embedding in means.models:
        calls[means.embedding] = calls.get(means.embedding, 0.0) + 1.0
    return calls


async def measure_sets(
    store: Store,
    tournament: str,
    sets: Sequence[EssaySet],
    means: MeasuringModels,
    *,
    models: Models,
    observe: Callable[[UnitRecord], None],
) -> MeasurementProgress:
    """Measure sets of essays by models; what the cap or a provider stops is left open.

    Args:
        store: where the figures go; its journals hold what is unfinished.
        observe: is told of every set that was stored.
    """
    progress, journal = MeasurementProgress(), Journal(store.journal_folder)

    async def measure_set(essays: EssaySet) -> None:
        unit_id = measuring_unit_id(tournament, essays, means)

        async def work(session: CallSession) -> MeasuredEssays:
            return await measure_with_models(essays, means, session)

        session = CallSession(
            unit_id=unit_id, entropy=unit_id, access=models, journal=journal.open(unit_id)
        )
        async with models.admission.unit():
            measured, record = await run_unit(session, journal, work)
        await asyncio.to_thread(write_measured, store, tournament, measured, means, record)
        journal.forget(unit_id)
        progress.done += 1
        observe(record)

    try:
        await work_through(sets, measure_set, progress, slots=WorkSlots(_AT_ONCE))
    finally:
        await models.aclose()
    return progress

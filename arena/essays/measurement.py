"""Measurement of essays by models: several sets at once, each paid for and stored by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.essays.diversity import MeasuredEssays, measure_with_models
from arena.essays.points import MOST
from arena.essays.sets import EssaySet
from arena.essays.stored_measures import write_measured
from arena.essays.units import MeasuringModels, measuring_unit_id
from arena.llm.journal import Journal
from arena.llm.session import CallSession
from arena.llm.unit_record import UnitRecord, run_unit
from arena.llm.usage import estimate_tokens
from arena.store.database import Store
from arena.tournament.models import Models
from arena.tournament.paid_work import WorkTally, work_through
from arena.tournament.seats import Seats

#: Sets under way at once; each has several calls.
_AT_ONCE = 8
#: Tokens of the prompt around an essay, of its points, and of one of them.
_PROMPT, _ANSWER, _POINT = 250, 150, 25


@dataclass(slots=True, kw_only=True)
class Progress(WorkTally):
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
) -> Progress:
    """Measure sets of essays by models; what the cap or a provider stops is left open.

    Args:
        store: where the figures go; its journals hold what is unfinished.
        tournament: whose essays they are; its cap pays.
        sets: to measure; each is paid for and stored by itself.
        means: the models that measure.
        models: how models are reached; holds the budget.
        observe: is told of every set that was stored.

    Raises:
        StoreError: the database cannot be written.
    """
    progress, journal = Progress(), Journal(store.journal_folder)

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
        await work_through(sets, measure_set, progress, seats=Seats(_AT_ONCE))
    finally:
        await models.aclose()
    return progress

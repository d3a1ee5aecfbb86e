"""Having models measure sets of essays: several at once, each paid for and stored by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from arena.errors import BudgetReached, InfrastructureFault
from arena.essays.diversity import Measured, measure_by_models
from arena.essays.points import MOST
from arena.essays.sets import Essays
from arena.essays.stored import write_measured
from arena.essays.units import Means, unit_of
from arena.llm.journal import Journal
from arena.llm.session import CallSession
from arena.llm.unit_record import journalled
from arena.llm.usage import estimate_tokens
from arena.store.database import Store
from arena.tournament.models import Models

#: Sets under way at once; each has several calls.
_AT_ONCE = 8
#: Tokens of the prompt around an essay, of its points, and of one of them.
_PROMPT, _ANSWER, _POINT = 250, 150, 25


@dataclass(slots=True, kw_only=True)
class Progress:
    """What came of it.

    Attributes:
        open: why sets were not measured, one entry each.
        stopped: the cap's words, where it was reached.
    """

    done: int = 0
    open: list[str] = field(default_factory=list)
    stopped: str = ""


def expected_usd(sets: Sequence[Essays], means: Means, models: Models) -> float:
    """About what it will cost, in USD."""
    usd = 0.0
    for one in sets:
        tokens = sum(map(estimate_tokens, one.texts))
        if means.points in means.models:
            given, said = models.price(means.points)
            usd += (tokens + _PROMPT * len(one.texts)) * given + _ANSWER * len(one.texts) * said
        if means.embedding in means.models:
            points = _POINT * MOST * len(one.texts)
            usd += (tokens + points) * models.price(means.embedding)[0]
    return usd


async def take(
    store: Store,
    tournament: str,
    sets: Sequence[Essays],
    means: Means,
    *,
    models: Models,
    tell: Callable[[Progress], None],
) -> Progress:
    """Measure sets by models; what the cap or a provider stops is left open.

    Raises:
        StoreError: the database cannot be written.
    """
    progress, journal = Progress(), Journal(store.journal_folder)
    several = asyncio.Semaphore(_AT_ONCE)

    async def one(essays: Essays) -> None:
        unit_id = unit_of(tournament, essays, means)

        async def work(unit: CallSession) -> Measured:
            return await measure_by_models(essays, means, unit)

        async with several:
            if progress.stopped:
                return
            unit = CallSession(
                unit_id=unit_id, entropy=unit_id, access=models, journal=journal.open(unit_id)
            )
            try:
                measured, record = await journalled(unit, journal, work)
            except BudgetReached as reached:
                progress.stopped = str(reached)
                return
            except InfrastructureFault as fault:
                progress.open.append(str(fault))
                return
        await asyncio.to_thread(write_measured, store, tournament, measured, means, record)
        journal.forget(unit_id)
        progress.done += 1
        tell(progress)

    try:
        await asyncio.gather(*(one(essays) for essays in sets))
    finally:
        await models.aclose()
    return progress

"""Finding out whether the judges' models answer before debates are paid for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.resources import files

from arena.config.resolve import ResolvedConfig
from arena.errors import (
    BudgetReached,
    ContentFault,
    InfrastructureFault,
    ProviderRejected,
    WorkStopped,
)
from arena.llm.journal import Journal
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession
from arena.llm.unit_record import run_unit
from arena.plugins import judge_models, participant_models
from arena.prompts import Prompts
from arena.records import OFFLINE, Bench, Sampling, digest
from arena.tournament.models import Models
from arena.tournament.open_work import OpenWork
from arena.tournament.plan import Plan
from arena.tournament.spending import scout_prefix

_PROMPTS = Prompts(files("arena.llm") / "prompts")
_SAMPLING = Sampling(temperature=0.7, max_tokens=256)
#: Seconds for which the first debate waits for the scouts, at most.
_WAIT_SECONDS = 20.0


class BenchScouts:
    """Asks each judge's model for a greeting while nothing is known of it.

    A ballot is asked for when its debate has been paid for, so a judge's model that does not exist
    would be found out late. Models that debate, too, are found out by their debates. The call is
    made once in a tournament: its journal stays, and its cost counts.

    Args:
        plan: the tournament's.
        models: how the models are reached.
        journal: of the tournament's database.
    """

    def __init__(self, plan: Plan, models: Models, journal: Journal) -> None:
        self._models, self._journal = models, journal
        self._prefix = scout_prefix(plan.resolved.name)
        self._scouted = sorted(_judging(plan) - _debating(plan.resolved))
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Send the scouts, and wait a while for them."""
        self._tasks = [asyncio.create_task(self._call(model)) for model in self._scouted]
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_WAIT_SECONDS)

    async def stop(self) -> None:
        """Call back the scouts that have not returned."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def check(self, work: OpenWork) -> None:
        """Check that somebody can judge a debate before it is played.

        Raises:
            ProviderRejected: the models of all of its benches are stopped until a person mends
                something.
        """
        stopped = [self._stopped(call.bench) for call in work.ballots]
        if stopped and all(stopped):
            fault = stopped[0]
            assert fault is not None
            raise ProviderRejected(str(fault), remedy=fault.remedy)

    def _stopped(self, bench: Bench) -> ProviderRejected | None:
        gates = (self._models.gate(model) for model in sorted(_models_of(bench)))
        return next((gate.stopped for gate in gates if gate.stopped is not None), None)

    async def _call(self, model: str) -> None:
        unit_id = f"{self._prefix}{digest(model)}"

        async def greet(unit: CallSession) -> None:
            prompt = _PROMPTS.render("smoke", "en", {})
            await LanguageModel(unit=unit, model=model, sampling=_SAMPLING).write(
                prompt, path="greeting"
            )

        session = CallSession(
            unit_id=unit_id,
            entropy=unit_id,
            access=self._models,
            journal=self._journal.open(unit_id),
        )
        # The gate has learned what there is to learn; the ballots themselves fail or wait.
        with suppress(InfrastructureFault, ContentFault, BudgetReached, WorkStopped):
            await run_unit(session, self._journal, greet)


def _judging(plan: Plan) -> set[str]:
    """Return the real models that judge debates which are still to be played."""
    benches = {call.bench.name for work in plan.open if work.play for call in work.ballots}
    judges = (bench for bench in plan.resolved.benches if bench.name in benches)
    return {model for bench in judges for model in _models_of(bench)}


def _debating(resolved: ResolvedConfig) -> set[str]:
    return {model for person in resolved.participants for model in participant_models(person)}


def _models_of(bench: Bench) -> set[str]:
    return set(_real([bench.model, *judge_models(bench.judge, bench.options)]))


def _real(models: Iterable[str]) -> Iterator[str]:
    return (model for model in models if model and not model.startswith(OFFLINE))

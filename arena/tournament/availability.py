"""Whether the models of debaters and judges answer, found out before many debates are paid for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import TYPE_CHECKING

from arena.config.resolved import bench_models
from arena.errors import (
    BudgetReached,
    ContentFault,
    InfrastructureFault,
    ParticipantPaused,
    ProviderRejected,
    WorkStopped,
)
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession, run_unit
from arena.plugins import participant_models
from arena.prompts import Prompts
from arena.records import OFFLINE, Bench, Debate, Participant, Sampling, digest
from arena.store.spending import availability_prefix
from arena.text import counted
from arena.tournament.event_lines import normalise, own_reason

if TYPE_CHECKING:
    from arena.llm.journal import Journal
    from arena.store.lookups import DebateEnd
    from arena.tournament.models import Models
    from arena.tournament.open_work import OpenWork
    from arena.tournament.paid_work import WorkSlots
    from arena.tournament.plan import TournamentPlan

_PROMPTS = Prompts(files("arena.llm") / "prompts")
_SAMPLING = Sampling(temperature=0.7, max_tokens=256)
#: Seconds for which the first debate waits for these calls, at most.
_WAIT_SECONDS = 20.0


class DebaterAvailability:
    """Lets a few debates go ahead until every model has answered once.

    A model that does not exist, or whose key is refused, is found out by its first call. Until
    then one debate at a time calls it, best one in which it speaks first, and the debates that
    need it wait: nobody pays for the other side's speeches in all of them. So it is with a model
    whose address is away; the debates that wait lend their slots to those of other models.
    """

    def __init__(self, models: Models, participants: Mapping[str, Participant]) -> None:
        self._models = models
        self._needed = {
            participant_id: frozenset(
                model
                for model in participant_models(participant)
                if model and not model.startswith(OFFLINE)
            )
            for participant_id, participant in participants.items()
        }
        self._called_first: set[str] = set()
        self._called: set[str] = set()
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def lead(self, debate: Debate, slots: WorkSlots) -> AsyncIterator[None]:
        """Wait until a debate may start, and learn from how it goes.

        Raises:
            ProviderRejected: one of its models is stopped until a person mends something.
            WorkStopped: nothing begins any more.
        """
        first, second = self._needed[debate.pro], self._needed[debate.con]
        while unknown := self._unknown(first | second):
            if (unknown & first) - self._called_first or unknown - self._called:
                break
            async with slots.lent():
                await self._wait(unknown)
            self._models.admission.check()
        for model in sorted(first | second):
            if (stopped := self._models.gate(model).stopped) is not None:
                raise ProviderRejected(str(stopped), remedy=stopped.remedy)
        trying_first = (unknown & first) - self._called_first
        trying = unknown - self._called
        self._called_first |= trying_first
        self._called |= trying
        try:
            yield
        finally:
            self._called_first -= trying_first
            self._called -= trying
            if unknown:
                self._changed.set()
                self._changed = asyncio.Event()

    def _unknown(self, models: Collection[str]) -> frozenset[str]:
        return frozenset(model for model in models if not self._models.gate(model).is_answering)

    async def _wait(self, unknown: Collection[str]) -> None:
        """Wait until one of some models is known or there again, or who tried one is back."""
        gates = [self._models.gate(model) for model in unknown]
        changes = [
            *(gate.wait_for_answer() for gate in gates),
            self._changed.wait(),
            self._models.admission.wait_for_stop(),
        ]
        waiting = [asyncio.ensure_future(change) for change in changes]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()


#: The first debates after which a participant that forfeits all of them is paused.
PAUSE_AFTER = 8
#: Characters of a reason by which forfeits are told apart; what follows are words of a model.
_REASON = 60


class ForfeitPause:
    """Pauses participants that forfeit all of their first debates for one reason.

    A pause outlives the run: what stopped a participant in the last one is hardly gone in the next.

    Args:
        ends: of the debates that are stored, in the order in which they ended.
        names: of the participants, by their ids.
        most: so many forfeits pause a participant; 0 for never.
        note: is told of each that is paused, in a line.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        *,
        most: int,
        note: Callable[[str], None],
        ends: Iterable[DebateEnd] = (),
    ) -> None:
        self._names, self._most, self._note = names, most, note
        self._forfeits: dict[str, list[str]] = {}
        self._have_spoken: set[str] = set()
        for end in sorted(ends, key=lambda end: end.status != "finished"):
            self.add(end)

    def add(self, end: DebateEnd) -> None:
        """Count a debate for both of its participants."""
        sides = {"pro": end.pro, "con": end.con}
        if end.status == "finished":
            self._have_spoken |= {*sides.values()}
        elif end.status == "forfeit":
            for side, participant in sides.items():
                if participant in self._names and end.forfeited in (side, "both"):
                    self._add_forfeit(participant, own_reason(end.reason, side))

    def _add_forfeit(self, participant: str, reason: str) -> None:
        reasons = self._forfeits.setdefault(participant, [])
        reasons.append(reason)
        if self._is_paused(participant) and len(reasons) == self._most:
            self._note(self._format(participant))

    def check(self, debate: Debate) -> None:
        """Raise `ParticipantPaused` where one of a debate's participants is paused."""
        for participant in (debate.pro, debate.con):
            if self._is_paused(participant):
                name = self._names[participant]
                raise ParticipantPaused(self._format(participant), participant=name)

    def _is_paused(self, participant: str) -> bool:
        reasons = self._forfeits.get(participant, [])
        first = {normalise(reason)[:_REASON] for reason in reasons[: self._most]}
        is_enough = 0 < self._most <= len(reasons)
        return is_enough and len(first) == 1 and participant not in self._have_spoken

    def _format(self, participant: str) -> str:
        reason = self._forfeits[participant][0].rstrip(".")
        return (
            f"{self._names[participant]} is paused: it forfeited its first "
            f"{counted(self._most, 'debate')} for one reason, {reason}. Its other debates stay "
            "planned; correct what stops it, then run the command with --yes-anyway once."
        )


class JudgeAvailability:
    """Asks each judge's model for a greeting while nothing is known of it.

    A ballot is asked for when its debate has been paid for, so a judge's model that does not exist
    would be found out late. Models that debate, too, are found out by their debates. The call is
    made once in a tournament: its journal stays, and its cost counts.
    """

    def __init__(self, plan: TournamentPlan, models: Models, journal: Journal) -> None:
        self._models, self._journal = models, journal
        self._prefix = availability_prefix(plan.resolved.name)
        players, benches = plan.resolved.participants, plan.resolved.benches
        playing = {call.bench.name for work in plan.open if work.play for call in work.ballots}
        judging = {model for b in benches if b.name in playing for model in bench_models(b)}
        judging -= {model for player in players for model in participant_models(player)}
        self._called = sorted(model for model in judging if not model.startswith(OFFLINE))
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Make the calls, and wait a while for their answers."""
        self._tasks = [asyncio.create_task(self._call(model)) for model in self._called]
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_WAIT_SECONDS)

    async def stop(self) -> None:
        """Cancel the calls that have not been answered."""
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
        real = sorted(model for model in bench_models(bench) if not model.startswith(OFFLINE))
        gates = (self._models.gate(model) for model in real)
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

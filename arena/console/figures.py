"""The figures of progress: what is done, what is under way, how fast it goes, what is left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.console.pace import Pace
from arena.llm.budget import Budget
from arena.llm.traffic.state import TrafficState
from arena.tournament.workload import UnitCount, Workload

#: Seconds over which tokens are counted, and over which calls are.
_TOKEN_SECONDS = 60.0
_CALL_SECONDS = 1200.0

Traffic = Callable[[], Sequence[TrafficState]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How far a run is.

    Attributes:
        units: debates, ballots and others, done and in all.
        share: of the calls, from 0 to 1; 1 only where all units have come to an end.
        seconds: since it began.
        seconds_left: by the calls that are left; `None` where nobody can say.
        calls: answered in this run.
        failed: attempts without an answer.
        in_flight, waiting: calls that are under way, and that wait for their turn.
        oldest: age of the oldest call under way, in seconds; `None` without one.
        tokens: of all answers so far.
        tokens_per_second: over the last minute.
        spent, limit: USD so far, earlier runs included, and the cap.
        cost: USD of this run.
        unbilled, cost_unbilled: the parts of `spent` and `cost` that count for answers that were
            lost, whose bill is not known.
        troubles: the models whose calls are held up, and why.
        in_waves: whether further waves may follow: all else is of those that are planned.
    """

    units: tuple[UnitCount, ...]
    share: float
    seconds: float
    seconds_left: float | None
    calls: int
    failed: int
    in_flight: int
    waiting: int
    oldest: float | None
    tokens: int
    tokens_per_second: float
    spent: float
    limit: float
    cost: float
    troubles: tuple[str, ...]
    in_waves: bool = False
    unbilled: float = 0.0
    cost_unbilled: float = 0.0


class Meter:
    """Reads the figures of a run.

    Args:
        workload: its units.
        budget: its spending.
        traffic: returns the state of each model's calls.
        clock: in seconds, that of `Attempt`.
    """

    def __init__(
        self,
        workload: Workload,
        budget: Budget,
        traffic: Traffic,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workload, self._budget, self._traffic = workload, budget, traffic
        self._clock = clock
        self._started = clock()
        self._spent_before, self._unbilled_before = budget.spent, budget.unbilled
        self._tokens = Pace(_TOKEN_SECONDS, now=self._started)
        self._calls: dict[str, Pace] = {}

    def read(self) -> Figures:
        """Read all figures as they are now."""
        now, states = self._clock(), self._traffic()
        attempts = [attempt for state in states for attempt in state.attempts]
        tokens = sum(state.output_tokens for state in states)
        # Of answers under way, an event is about a token.
        self._tokens.add(tokens + sum(attempt.events for attempt in attempts), now=now)
        finished = _finished(states)
        made = self._workload.made(finished)
        left = self._left(states, made)
        units = tuple(self._workload.counts())
        return Figures(
            units=units,
            share=_share(units, made.total(), sum(left.values())),
            seconds=now - self._started,
            seconds_left=self._seconds_left(finished, left, now),
            calls=finished.total(),
            failed=sum(state.failed for state in states),
            in_flight=len(attempts),
            waiting=sum(state.waiting for state in states),
            oldest=max((now - attempt.started for attempt in attempts), default=None),
            tokens=tokens,
            tokens_per_second=self._tokens.per_second,
            spent=self._budget.spent,
            limit=self._budget.limit,
            cost=self._budget.spent - self._spent_before,
            troubles=tuple(_format_trouble(state) for state in states if state.trouble),
            in_waves=self._workload.in_waves,
            unbilled=self._budget.unbilled,
            cost_unbilled=self._budget.unbilled - self._unbilled_before,
        )

    def _left(self, states: Sequence[TrafficState], made: Counter[str]) -> dict[str, float]:
        """Return how many calls of each model are left: at least those that it waits for."""
        left = self._workload.left(made)
        known: Counter[str] = Counter()
        for state in states:
            known[state.model] += state.waiting + len(state.attempts)
        return {model: max(left.get(model, 0.0), known[model]) for model in {*left, *known}}

    def _seconds_left(
        self, finished: Counter[str], left: dict[str, float], now: float
    ) -> float | None:
        """Return how long the slowest model takes for the calls that are left."""
        seconds = 0.0
        for model in {*finished, *left}:
            pace = self._calls.setdefault(model, Pace(_CALL_SECONDS, now=self._started))
            pace.add(finished[model], now=now)
            if left.get(model, 0.0) <= 0.0:
                continue
            if not pace.per_second:
                return None
            seconds = max(seconds, left[model] / pace.per_second)
        return seconds


def _finished(states: Sequence[TrafficState]) -> Counter[str]:
    finished: Counter[str] = Counter()
    for state in states:
        finished[state.model] += state.finished
    return finished


def _share(units: Sequence[UnitCount], made: float, left: float) -> float:
    done = sum(count.done + count.failed for count in units)
    total = sum(count.total for count in units)
    if done == total:
        return 1.0
    share = made / (made + left) if made + left else done / total
    return min(0.99, share)


def _format_trouble(state: TrafficState) -> str:
    place = f" at {state.address}" if state.address else ""
    return f"{state.model}{place}: {state.trouble}"

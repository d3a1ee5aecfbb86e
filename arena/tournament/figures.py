"""The figures of progress: what is done, what is under way, how fast it goes, what is left."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from arena.text import counted, format_cap, format_percent, format_seconds, format_usd, plain

if TYPE_CHECKING:
    from arena.execution.worker_state import WorkerState
    from arena.llm.budget import Budget
    from arena.llm.traffic.rate_limiter import TrafficState
    from arena.tournament.workload import UnitCount, WaveProgress, Workload


class GrowthRate:
    """The growth per second of a number that is looked at now and then.

    Args:
        seconds: how far it looks back.
        now: when the number was 0.
    """

    def __init__(self, seconds: float, *, now: float) -> None:
        self._seconds = seconds
        self._samples = deque([(now, 0.0)])

    def add(self, number: float, *, now: float) -> None:
        """Add a sample; forget those that are too old, but for the youngest of them."""
        self._samples.append((now, number))
        while len(self._samples) > 2 and self._samples[1][0] <= now - self._seconds:
            self._samples.popleft()

    @property
    def per_second(self) -> float:
        """The growth per second; 0 where the number has not grown."""
        (start, before), (end, after) = self._samples[0], self._samples[-1]
        return max(0.0, after - before) / (end - start) if end > start else 0.0


#: Seconds over which tokens are counted, and over which calls are.
_TOKEN_SECONDS = 60.0
_CALL_SECONDS = 1200.0

#: How far the pace of calls may be off, and how far more where few units have ended, as shares
#: (python benchmarks/progress_forecasts.py --part time).
_PACE_ERROR, _UNIT_ERROR = 0.15, 0.9

Traffic: TypeAlias = "Callable[[], Sequence[TrafficState]]"
Workers: TypeAlias = "Callable[[], Sequence[WorkerState]]"
#: A worker that was not heard of for so many seconds is named.
_SILENT = 30.0
#: Workers that are listed, at most.
_MOST_WORKERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How far a run is.

    Attributes:
        units: debates, ballots and others, done and in all.
        share: from 0 to 1, 1 only where all units have come to an end: of the calls; in waves, of
            the matchups that are probably played in all.
        seconds: since it began.
        seconds_left: expected, by the calls that are left, in waves by the matchups; `None` where
            nobody can say.
        seconds_low, seconds_high: the range in which it probably is.
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
        estimated: calls of this run whose tokens the provider did not count.
        troubles: the models whose calls are held up, and why.
        in_waves: whether further waves may follow: the units are of those that are planned.
        waves: how far the waves are; `None` where that is not known, or there are none.
        ended: matchups of the tournament that are played and judged, where it is in waves.
        most: matchups that the schedule and the cap allow in all.
        workers: those that play; none where the run does so itself.
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
    estimated: int = 0
    seconds_low: float | None = None
    seconds_high: float | None = None
    waves: WaveProgress | None = None
    ended: float = 0.0
    most: float = 0.0
    workers: tuple[WorkerState, ...] = ()

    @property
    def wanted(self) -> tuple[float, float] | None:
        """How many further matchups the target probably takes, low and high; `None` unknown."""
        if self.waves is None or self.waves.wanted is None:
            return None
        # Before the newest wave has ended, nobody looks.
        low, high = (max(matchups, self.waves.dealt) for matchups in self.waves.wanted)
        return low - self.ended, high - self.ended


class Meter:
    """Reads the figures of a run.

    Args:
        workload: its units.
        traffic: returns the state of each model's calls.
        workers: returns those that play.
        clock: in seconds, that of `Attempt`.
    """

    def __init__(
        self,
        workload: Workload,
        budget: Budget,
        traffic: Traffic,
        *,
        workers: Workers = tuple,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workload, self._budget, self._traffic = workload, budget, traffic
        self._workers = workers
        self._clock = clock
        self._started = clock()
        self._spent_before, self._unbilled_before = budget.spent, budget.unbilled
        self._tokens = GrowthRate(_TOKEN_SECONDS, now=self._started)
        self._calls: dict[str, GrowthRate] = {}
        self._ended, self._flights, self._all_calls = (
            GrowthRate(_CALL_SECONDS, now=self._started) for _ in range(3)
        )
        self._read, self._flown = self._started, 0.0  # when, and seconds of calls until then

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
        units, waves = tuple(self._workload.counts()), self._workload.waves
        figures = Figures(
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
            in_waves=self._workload.in_waves and not (waves and waves.is_over),
            unbilled=self._budget.unbilled,
            cost_unbilled=self._budget.unbilled - self._unbilled_before,
            estimated=sum(state.estimated for state in states),
            workers=tuple(self._workers()),
        )
        self._note_flights(figures, now)
        if waves is not None and not waves.is_over:
            return self._in_waves(figures, waves, now)
        return self._add_range(figures)

    def _note_flights(self, figures: Figures, now: float) -> None:
        self._flown += figures.in_flight * (now - self._read)
        self._read = now
        self._flights.add(self._flown, now=now)
        self._all_calls.add(figures.calls, now=now)

    def _add_range(self, figures: Figures) -> Figures:
        """Add the range of the time left: the less is done, the wider.

        At the end fewer calls are under way than before, and whoever is last makes its calls one
        after the other. How long a call takes follows from how many were under way on average
        (Little 1961, doi:10.1287/opre.9.3.383).
        """
        if not figures.seconds_left:
            return figures
        usual, pace = self._flights.per_second, self._all_calls.per_second
        running_out = figures.waiting == 0 and 0 < figures.in_flight < usual
        expected = figures.seconds_left * (usual / figures.in_flight if running_out else 1.0)
        last = self._workload.calls_of_one() * usual / pace if pace else 0.0
        ended = sum(count.done + count.failed for count in figures.units)
        error = _PACE_ERROR + _UNIT_ERROR / math.sqrt(1 + ended)
        return replace(
            figures,
            seconds_left=expected,
            seconds_low=figures.seconds_left / (1 + error),
            seconds_high=expected * (1 + error) + last,
        )

    def _in_waves(self, figures: Figures, waves: WaveProgress, now: float) -> Figures:
        """Return the figures of a run in waves: share and time of all that will probably follow."""
        dealt = sum(count.total for count in figures.units if count.noun == "debate") / 2
        # A matchup has ended when its ballots are taken.
        left = max((count.left / count.total for count in figures.units if count.total), default=0)
        ended = waves.dealt - dealt * left
        self._ended.add(dealt * (1 - left), now=now)
        most = float(waves.allowed)
        if waves.usd > 0 and not math.isinf(figures.limit):
            most = min(most, ended + max(0.0, figures.limit - figures.spent) / waves.usd)
        low, high = waves.wanted or (most, most)
        low, high = (min(most, max(waves.dealt, matchups)) for matchups in (low, high))
        pace = self._ended.per_second
        seconds = [(matchups - ended) / pace if pace else None for matchups in (low, high)]
        return replace(
            figures,
            share=min(0.99, ended / high if high else 0.0),
            waves=waves,
            ended=ended,
            most=most,
            seconds_left=None if pace == 0 else ((low + high) / 2 - ended) / pace,
            seconds_low=seconds[0] and seconds[0] * (1 - _PACE_ERROR),
            seconds_high=seconds[1] and seconds[1] * (1 + _PACE_ERROR),
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
            pace = self._calls.setdefault(model, GrowthRate(_CALL_SECONDS, now=self._started))
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


#: Models of which it is said what holds up their calls.
_MOST_TROUBLES = 4


def format_line(figures: Figures) -> str:
    """Format all figures as one line, without the models whose calls are held up."""
    parts = [
        format_units(figures),
        format_traffic(figures),
        format_spending(figures),
        format_left(figures),
    ]
    return f"{format_share(figures)}  {' · '.join(filter(None, parts))}"


def format_share(figures: Figures) -> str:
    """Format how much is done, in per cent, and of what where waves may follow."""
    share, waves = f"{math.floor(100 * figures.share + 1e-9):3d} %", figures.waves
    if waves is None:
        return f"{share}{' of the waves so far' if figures.in_waves else ''}"
    whole = figures.most if waves.wanted is None else min(figures.most, waves.wanted[1])
    target = f" · target: {waves.settled} of {waves.total} settled" if waves.total else ""
    return f"{share} of up to {counted(round(whole), 'matchup')}{target}"


def format_units(figures: Figures) -> str:
    """Format how many debates and ballots are done, and how many of the others failed."""
    return ", ".join(map(_format_count, figures.units))


def _format_count(count: UnitCount) -> str:
    failed = f" ({count.failed} failed)" if count.failed else ""
    return f"{count.done} of {counted(count.total, count.noun)}{failed}"


def format_traffic(figures: Figures) -> str:
    """Format how many calls are done and under way, and how fast answers come."""
    calls = [f"{counted(figures.calls, 'call')} done"]
    if figures.in_flight:
        age = format_seconds(figures.oldest or 0.0)
        calls.append(f"{figures.in_flight} in flight (oldest {age})")
    if figures.waiting:
        calls.append(f"{figures.waiting} waiting")
    if figures.failed:
        calls.append(f"{counted(figures.failed, 'attempt')} failed")
    speed = figures.tokens_per_second
    parts = [", ".join(calls), f"{speed:,.{0 if speed >= 100 else 1}f} tokens/s"]
    if figures.workers:
        parts.append(counted(len(figures.workers), "worker"))
    return " · ".join(parts)


def format_spending(figures: Figures) -> str:
    """Format what was spent, of which cap, and up to how much where bills are not known."""
    cap = "" if math.isinf(figures.limit) else f" of {format_cap(figures.limit)}"
    share = ""
    if figures.waves is not None and 0 < figures.limit < math.inf:
        share = f", {format_percent(figures.spent / figures.limit)} of the cap"
    return f"{format_usd(figures.spent - figures.unbilled, figures.spent, cap=cap)}{share}"


def format_left(figures: Figures) -> str:
    """Format how long it will still take; empty where it is almost or wholly done."""
    if figures.share == 1.0 or (figures.seconds_left is not None and figures.seconds_left < 1):
        return ""
    low, high = figures.seconds_low, figures.seconds_high
    if low is None or high is None:
        left = "time left not known" + ("" if figures.calls else " yet")
    else:
        left = f"{format_time_range(low, high)} left"
    return "; ".join(filter(None, (left, _format_wanted(figures))))


def _format_wanted(figures: Figures) -> str:
    """Format after how many further matchups the target is probably reached; '' without one."""
    if figures.wanted is None:
        return ""
    low, high = map(math.ceil, figures.wanted)
    allowed = max(0, math.floor(figures.most - figures.ended))
    if low > allowed:
        more = counted(allowed, "matchup")
        return f"the target will probably not be reached with the {more} still allowed"
    if high > allowed:
        return (
            f"target probably after {counted(low, 'more matchup')} or later, perhaps not with the "
            f"{allowed} still allowed"
        )
    least = "about" if low == high else f"{low} to"
    return f"target probably after {least} {counted(high, 'more matchup')}"


def format_troubles(figures: Figures) -> Iterator[str]:
    """Yield a line for each model whose calls are held up; of many, for the first few.

    And one for each worker that is silent.
    """
    for trouble in figures.troubles[:_MOST_TROUBLES]:
        yield plain(trouble)
    if (more := len(figures.troubles) - _MOST_TROUBLES) > 0:
        yield f"and {counted(more, 'model')} more"
    for worker in figures.workers:
        if worker.units and worker.silent_seconds >= _SILENT:
            silence = format_seconds(worker.silent_seconds)
            yield f"{plain(worker.name)} was not heard of for {silence}"


def format_workers(figures: Figures) -> Iterator[str]:
    """Yield a line for each worker; of many, for the first few."""
    for worker in figures.workers[:_MOST_WORKERS]:
        units = counted(worker.units, "debate or ballot", "debates and ballots")
        calls = counted(worker.calls, "call", style=",")
        yield f"{plain(worker.name)}: {units}, {calls} done, {worker.calls_per_second:.1f} calls/s"
    if (more := len(figures.workers) - _MOST_WORKERS) > 0:
        yield f"and {counted(more, 'worker')} more"


def format_result(figures: Figures) -> str:
    """Format how long a run took and what it cost."""
    calls = counted(figures.calls, "call", style=",")
    tokens = counted(figures.tokens, "token", style=",")
    cost = format_usd(figures.cost - figures.cost_unbilled, figures.cost)
    if figures.spent > figures.cost:
        cost += f"; with earlier runs, {format_spending(figures)}"
    elif not math.isinf(figures.limit):
        cost = format_spending(figures)
    return (
        f"It took {format_seconds(figures.seconds)}, {calls} with {tokens} in "
        f"their answers, and {cost}.{format_estimated(figures.estimated)}"
    )


def format_estimated(calls: int) -> str:
    """Format how many calls were priced by an estimate, a sentence after others; '' for none."""
    if not calls:
        return ""
    return f" {counted(calls, 'call')} priced by an estimate: the provider sent no count of tokens."


#: The units of a range of time: their seconds, and up to how many seconds they are used.
_UNITS = (("s", 1, 90), ("min", 60, 5400), ("h", 3600, 172_800), ("d", 86_400, math.inf))


def format_time_range(low: float, high: float) -> str:
    """Format a range of durations in one unit.

    >>> format_time_range(250, 520), format_time_range(3000, 9000), format_time_range(21, 21.3)
    ('4 to 9 min', '0.8 to 2.5 h', 'about 21 s')

    Args:
        low, high: seconds.
    """
    unit, size = next((unit, size) for unit, size, most in _UNITS if high <= most)
    style = ".0f" if size < 3600 or high >= 10 * size else ".1f"
    least, most = format(low / size, style), format(high / size, style)
    return f"about {most} {unit}" if least == most else f"{least} to {most} {unit}"

"""The units of paid work (debates, ballots, sets of essays), and the calls that they take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class UnitCount(NamedTuple):
    """How many units of a kind are done, of how many.

    Of the others, some wait for a person, and some have failed in this run. `noun` names the kind.
    """

    noun: str
    done: int
    total: int
    waiting: int = 0
    failed: int = 0

    @property
    def left(self) -> int:
        """How many have not come to an end, and do not wait for a person."""
        return self.total - self.done - self.waiting - self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveProgress:
    """How far a tournament in waves is when its newest wave is dealt.

    Attributes:
        settled, total: how many of the target's questions are settled; 0 without a target.
        dealt: matchups so far, those of the newest wave included.
        allowed: matchups that the schedule has in all, at most.
        usd: the expected cost of a matchup with its ballots.
        wanted: after how many matchups the target is probably reached, low and high; `None` where
            that is not known.
        is_over: whether no further wave follows.
    """

    settled: int
    total: int
    dealt: int
    allowed: int
    usd: float
    wanted: tuple[float, float] | None
    is_over: bool


def _sums() -> defaultdict[str, float]:
    return defaultdict(float)


@dataclass(slots=True)
class _OpenUnits:
    """The units of one kind.

    Attributes:
        open: the forecasts of the open units, by id.
        waiting: the ids of those that wait for a person.
        failed: the ids of those that have come to an end, but failed.
        done: how many have come to an end.
        open_calls: the sum of the open units' forecasts, by model.
        forecast, actual: calls of the units that were done in this run, by model.
    """

    open: dict[str, Mapping[str, float]] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    done: int = 0
    open_calls: defaultdict[str, float] = field(default_factory=_sums)
    forecast: defaultdict[str, float] = field(default_factory=_sums)
    actual: Counter[str] = field(default_factory=Counter)

    def close(self, unit_id: str) -> Mapping[str, float]:
        """Take a unit from the open ones, and return the forecast of its calls."""
        self.waiting.discard(unit_id)
        calls = self.open.pop(unit_id, {})
        for model, number in calls.items():
            self.open_calls[model] -= number
        return calls

    def expected(self, model: str) -> float:
        """Return how many calls of a model the open units take, judging by those that are done."""
        if self.forecast[model] > 0:
            return self.open_calls[model] * self.actual[model] / self.forecast[model]
        unforeseen = len(self.open) * self.actual[model] / self.done if self.done else 0.0
        return self.open_calls[model] + unforeseen


class Workload:
    """The units of a run.

    How many calls an open unit takes is forecast by the plan; as soon as units of its kind are done
    in this run, the forecast is scaled by the ratio of their calls to their forecasts.

    Args:
        in_waves: whether units may be added later, when these are done.

    Attributes:
        waves: how far the waves are; `None` where that is not known, or there are none.
    """

    def __init__(self, *, in_waves: bool = False) -> None:
        self.in_waves = in_waves
        self.waves: WaveProgress | None = None
        self._kinds: defaultdict[str, _OpenUnits] = defaultdict(_OpenUnits)
        self._after: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)

    def add(self, noun: str, unit_id: str, calls: Mapping[str, float], *, after: str = "") -> None:
        """Add an open unit.

        Args:
            noun: its kind, `debate` or `ballot` for example.
            after: the id of the unit that must be done before, if there is one.
        """
        units = self._kinds[noun]
        units.open[unit_id] = calls
        for model, number in calls.items():
            units.open_calls[model] += number
        if after:
            self._after[after].append((noun, unit_id))

    def finish(
        self, noun: str, unit_id: str, calls: Iterable[str], *, failed: bool = False
    ) -> None:
        """Count a unit that has come to an end.

        Args:
            failed: whether it is not done all the same: it is asked for again later.
        """
        units = self._kinds[noun]
        if failed:
            units.failed.add(unit_id)
        for model, number in units.close(unit_id).items():
            units.forecast[model] += number
        units.actual.update(calls)
        units.done += 1

    def drop_after(self, unit_id: str) -> None:
        """Leave out what cannot be done after a unit, as the ballots on a forfeit."""
        for noun, later_id in self._after.pop(unit_id, ()):
            self._kinds[noun].close(later_id)

    def suspend(self, noun: str, unit_id: str) -> None:
        """Expect no calls of a unit that waits for a person, and of what comes after it."""
        for kind, waiting_id in [(noun, unit_id), *self._after.get(unit_id, ())]:
            self._kinds[kind].close(waiting_id)
            self._kinds[kind].waiting.add(waiting_id)

    def counts(self) -> list[UnitCount]:
        """Return how many units there are of each kind, and how many are done, wait or failed."""
        return [
            UnitCount(
                noun,
                done=units.done - len(units.failed),
                total=units.done + len(units.open) + len(units.waiting),
                waiting=len(units.waiting),
                failed=len(units.failed),
            )
            for noun, units in self._kinds.items()
        ]

    def made(self, counted: Mapping[str, int]) -> Counter[str]:
        """Return how many calls were made by model: those counted, or those of the units done.

        Args:
            counted: how many were made in this run, by model, as far as they are counted. The units
                that are done may have more: calls of an earlier run, from their journals.
        """
        return self._actual() | Counter(counted)

    def left(self, made: Mapping[str, int]) -> dict[str, float]:
        """Return how many calls are still to be made, by model.

        Args:
            made: as `made` returns it. Those that do not belong to units that are done belong to
                units under way.
        """
        left, actual = _sums(), self._actual()
        for units in self._kinds.values():
            for model in {*units.open_calls, *units.actual}:
                left[model] += units.expected(model)
        return {
            model: max(0.0, calls - max(0, made.get(model, 0) - actual[model]))
            for model, calls in left.items()
        }

    def calls_of_one(self) -> float:
        """Return how many calls one unit of each kind takes together, on average."""
        calls = 0.0
        for units in self._kinds.values():
            if units.done:
                calls += units.actual.total() / units.done
            elif units.open:
                calls += sum(units.open_calls.values()) / len(units.open)
        return calls

    def _actual(self) -> Counter[str]:
        actual: Counter[str] = Counter()
        for units in self._kinds.values():
            actual.update(units.actual)
        return actual

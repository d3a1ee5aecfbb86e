"""Which units may begin: in their order, within the cap, and until somebody wants to stop."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from arena.errors import BudgetReached, WorkStopped
from arena.llm.budget import Budget
from arena.llm.purse import Cost, Purse
from arena.tournament.admission import Admission
from arena.tournament.forecast import Draws, ExpectedCost
from arena.tournament.paid_work import WorkTally, work_through
from arena.tournament.seats import Seats
from tests.every import for_every

#: Calls of a unit, and how much more than it costs each of them reserves.
_CALLS, _RESERVED = 5, 3.0


def costing(low: float, expected: float, high: float) -> dict[Draws, ExpectedCost]:
    """The forecast of a unit in USD."""
    return {("", "usd"): ExpectedCost(low=low, expected=expected, high=high)}


class Field:
    """Units that make five calls each, of which every one costs a fifth of what the unit costs."""

    def __init__(self, limit: float, costs: Sequence[float], *, forecast: float) -> None:
        self.budget = Budget(limit)
        self.admission = Admission(self.budget)
        self.costs = list(costs)
        self.forecast = forecast
        self.begun: list[int] = []
        self.done: list[int] = []

    async def play(
        self, *, at_once: int, next_day: Callable[[], Awaitable[bool]] | None = None
    ) -> WorkTally:
        tally, seats = WorkTally(), Seats(at_once)

        async def make(number: int) -> None:
            cost = self.costs[number]
            foreseen = self.forecast if cost else 0.0
            forecast = costing(foreseen / 3, foreseen, 3 * foreseen)
            async with self.admission.unit(forecast) as admitted:
                self.begun.append(number)
                for _ in range(_CALLS):
                    await call(self.budget, cost / _CALLS)
                admitted.is_done = True
                self.done.append(number)

        await work_through(range(len(self.costs)), make, tally, seats=seats, next_day=next_day)
        return tally


async def call(budget: Budget, usd: float, *, reserved: float = _RESERVED) -> None:
    """A call that reserves some times what it costs."""
    budget.check(Cost(reserved * usd))
    await budget.reserve(Cost(reserved * usd))
    await asyncio.sleep(0)
    await budget.settle(Cost(reserved * usd), actual=Cost(usd))


async def lose(budget: Budget, usd: float) -> None:
    """A call whose answer never arrives."""
    await budget.reserve(Cost(usd))
    await budget.settle(Cost(usd), actual=Cost(usd), is_known=False)


@for_every(range(40), (1, 8, 64))
def test_the_cap_holds_and_what_begins_is_finished(seed: int, at_once: int) -> None:
    """Nearly all money buys finished units, at any concurrency and with wrong forecasts."""
    rng = random.Random(seed)
    costs = [rng.uniform(0.5, 1.5) for _ in range(rng.randint(50, 80))]
    limit = rng.uniform(0.2, 0.6) * sum(costs)
    field = Field(limit, costs, forecast=rng.choice([0.5, 1.0, 5.0]))
    tally = asyncio.run(field.play(at_once=at_once))
    assert field.budget.spent <= field.budget.limit
    assert "the spending cap" in tally.stopped
    bought = sum(field.costs[number] for number in field.done)
    assert bought >= 0.8 * field.budget.spent
    assert field.budget.spent >= 0.75 * limit
    assert field.begun == sorted(field.begun)


def test_without_a_cap_all_places_are_used_at_once() -> None:
    async def play() -> int:
        admission = Admission(Budget(math.inf))
        most, under_way = 0, 0

        async def make(_: int) -> None:
            nonlocal most, under_way
            async with admission.unit(costing(0.5, 1.0, 3.0)):
                under_way += 1
                most = max(most, under_way)
                await asyncio.sleep(0)
                under_way -= 1

        await work_through(range(40), make, WorkTally(), seats=Seats(16))
        return most

    assert asyncio.run(play()) == 16


def test_units_that_cost_nothing_go_on_when_the_money_is_spent() -> None:
    costs = [0.0 if number % 2 else 1.0 for number in range(40)]
    field = Field(5.0, costs, forecast=1.0)
    tally = asyncio.run(field.play(at_once=4))
    assert [number for number in range(40) if number % 2] == sorted(
        number for number in field.done if number % 2
    )
    assert 3 <= sum(number % 2 == 0 for number in field.done) <= 5
    assert tally.stopped


def test_a_cap_below_the_cheapest_unit_says_what_it_needs() -> None:
    field = Field(0.3, [1.0, 1.0], forecast=1.0)
    tally = asyncio.run(field.play(at_once=2))
    assert field.budget.spent == 0.0 and field.begun == []
    assert "next debate with its ballots needs about 0.3333 USD" in tally.stopped


async def test_what_earlier_runs_paid_for_a_unit_need_not_fit_again() -> None:
    budget = Budget(1.0, spent=0.8)  # of which 0.6 are for this unit
    admission = Admission(budget)
    forecast = costing(0.7, 0.7, 0.7)
    with pytest.raises(BudgetReached):
        async with Admission(Budget(1.0, spent=0.8)).unit(forecast):
            raise AssertionError("it began")
    async with admission.unit(forecast, paid={("", "usd"): 0.6}) as admitted:
        await call(budget, 0.1, reserved=1.0)
        admitted.is_done = True
    assert admitted.draws[budget.usd].cost == pytest.approx(0.7)
    async with admission.unit(costing(0.05, 0.05, 0.05)):
        pass
    with pytest.raises(BudgetReached, match="needs about"):
        async with admission.unit(costing(0.1, 0.1, 0.1)):
            raise AssertionError("it began")


async def test_a_lost_answer_does_not_decide_what_others_cost() -> None:
    budget = Budget(1.0)
    admission = Admission(budget)
    forecast = costing(0.05, 0.05, 0.05)
    async with admission.unit(forecast) as admitted:
        await call(budget, 0.05, reserved=1.0)
        for _ in range(8):
            await lose(budget, 0.05)
        admitted.is_done = True
    async with admission.unit(forecast):  # 0.55 are left: 0.074 with 0.1 for losses fit
        pass
    with pytest.raises(BudgetReached, match=r"needs about 0\.1740 USD"):
        budget.usd.spent = 0.9
        async with admission.unit(forecast):
            raise AssertionError("it began")


async def test_after_a_stop_nothing_begins_and_who_waits_is_told() -> None:
    admission = Admission(Budget(1.0))
    forecast = costing(0.9, 0.9, 0.9)

    async def begin() -> None:
        async with admission.unit(forecast):
            raise AssertionError("it began")

    async with admission.unit(forecast):
        waiting = asyncio.create_task(begin())
        await asyncio.sleep(0)
        admission.stop("Because.")
        admission.stop("A later reason does not count.")
        with pytest.raises(WorkStopped, match="^Because.$"):
            await waiting
    with pytest.raises(WorkStopped):
        await begin()


async def test_a_call_that_the_cap_refuses_ends_all_that_costs_something() -> None:
    budget = Budget(1.0)
    admission = Admission(budget)
    with pytest.raises(BudgetReached):
        async with admission.unit():
            budget.check(Cost(2.0))
    with pytest.raises(BudgetReached, match="the next call could cost up to 2.0000 USD"):
        async with admission.unit(costing(0.1, 0.1, 0.1)):
            raise AssertionError("it began")
    async with admission.unit({}) as free:
        free.is_done = True


class _Clocks:
    """A wall clock and a monotonic one that only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)
        monkeypatch.setattr("arena.tournament.admission._now", lambda: self.now)
        monkeypatch.setattr("arena.tournament.admission._monotonic", self._monotonic)

    def _monotonic(self) -> float:
        return self.now.timestamp()

    async def take(self, admission: Admission, minutes: float) -> None:
        async with admission.unit():
            self.now += timedelta(minutes=minutes)


async def test_nothing_begins_that_would_hardly_end_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks, admission = _Clocks(monkeypatch), Admission(Budget())
    admission.closes = clocks.now + timedelta(minutes=60)
    for minutes in (4, 5, 6, 5, 20):  # 40 minutes; the slowest takes 20
        await clocks.take(admission, minutes)
    with pytest.raises(WorkStopped, match="a debate takes 20 min"):
        await clocks.take(admission, 5)
    assert admission.stopped


async def test_the_absence_of_a_provider_is_no_part_of_what_a_unit_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks, admission = _Clocks(monkeypatch), Admission(Budget())
    admission.closes = clocks.now + timedelta(minutes=120)
    absent = iter([0.0, 85 * 60.0, 85 * 60.0, 85 * 60.0])
    admission.absent_seconds = lambda: next(absent)
    await clocks.take(admission, 90)
    await clocks.take(admission, 20)
    assert clocks.now < admission.closes


async def test_before_one_has_ended_units_begin_until_the_time_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks, admission = _Clocks(monkeypatch), Admission(Budget())
    admission.closes = clocks.now
    with pytest.raises(WorkStopped, match="the time to stop, "):
        await clocks.take(admission, 5)


class _Contest:
    """Debates of participants with purses of their own, as the calls of both sides."""

    def __init__(self, limits: dict[str, float], *, limit: float = math.inf) -> None:
        self.own = {
            name: Purse(most, measure="tokens", participant=name) for name, most in limits.items()
        }
        self.budget = Budget(limit, participants={name: [own] for name, own in self.own.items()})
        self.admission = Admission(self.budget)
        self.done: list[tuple[str, str]] = []
        self.tally = WorkTally()

    async def play(self, pairs: Sequence[tuple[str, str]], costs: Sequence[float], n: int) -> None:
        async def make(number: int) -> None:
            cost, pair = costs[number], pairs[number]
            each = ExpectedCost(low=cost / 4, expected=cost / 2, high=2 * cost)
            forecast: dict[Draws, ExpectedCost] = {(side, "tokens"): each for side in pair}
            async with self.admission.unit(forecast) as admitted:
                for _ in range(_CALLS):
                    for side in pair:
                        await self.call(cost / _CALLS, side)
                admitted.is_done = True
            self.done.append(pair)

        await work_through(range(len(pairs)), make, self.tally, seats=Seats(n))

    async def call(self, tokens: float, payer: str) -> None:
        worst, actual = Cost(tokens=_RESERVED * tokens), Cost(tokens=tokens)
        self.budget.check(worst, payer=payer)
        await self.budget.reserve(worst, payer=payer)
        await asyncio.sleep(0)
        await self.budget.settle(worst, actual=actual, payer=payer)


@for_every(range(20), (1, 8, 64))
def test_who_has_used_up_its_cap_plays_no_more_and_all_others_go_on(
    seed: int, at_once: int
) -> None:
    rng = random.Random(seed)
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")] * 15
    costs = [rng.uniform(50, 150) for _ in pairs]
    contest = _Contest({"a": 1000.0, "b": 1e9})
    asyncio.run(contest.play(pairs, costs, at_once))
    assert 700 <= contest.own["a"].spent <= 1000
    assert list(contest.tally.capped) == ["a"] and not contest.tally.stopped
    free = [pair for pair in pairs if "a" not in pair]
    assert sorted(pair for pair in contest.done if "a" not in pair) == sorted(free)
    assert contest.tally.is_incomplete


class _Calendar:
    """Days that begin when the test says so."""

    def __init__(self) -> None:
        self.has_turned = True
        self.mark = Cost()

    def turn(self, spent: Cost) -> Cost | None:
        if not self.has_turned:
            return None
        self.has_turned, self.mark = False, spent
        return self.mark

    def next(self) -> datetime:
        return datetime(2026, 11, 24, tzinfo=UTC)


@for_every(range(20), (1, 8, 64))
def test_what_does_not_fit_today_is_done_on_the_next_days(seed: int, at_once: int) -> None:
    """Of a call, a debate or a ballot that the day's cap refuses, nothing is lost."""
    rng = random.Random(seed)
    calendar, days = _Calendar(), list[float]()
    daily = Purse(5.0, is_daily=True, title="the day's spending cap of {}")
    budget = Budget(12.0, daily=[daily], days=calendar)
    costs = [rng.uniform(0.15, 0.45) for _ in range(90)]
    field = Field(1.0, costs, forecast=rng.choice([0.2, 0.3]))
    field.budget, field.admission = budget, Admission(budget)

    async def next_day() -> bool:
        assert 3.5 <= daily.spent <= 5.0
        days.append(daily.spent)
        calendar.has_turned = True
        return True

    tally = asyncio.run(field.play(at_once=at_once, next_day=next_day))
    assert len(days) >= 2
    assert 9.0 <= budget.spent <= 12.0
    assert "the spending cap of 12.00 USD is reached" in tally.stopped
    bought = sum(field.costs[number] for number in field.done)
    assert bought >= 0.8 * budget.spent


@pytest.mark.parametrize("at_once", [1, 8])
def test_the_cap_of_a_day_ends_the_work_that_does_not_wait(at_once: int) -> None:
    daily = Purse(5.0, is_daily=True, title="the day's spending cap of {}")
    field = Field(1.0, [1.0, 0.0] * 15, forecast=1.0)
    field.budget = Budget(daily=[daily], days=_Calendar())
    field.admission = Admission(field.budget)
    waits = [0]

    async def too_late() -> bool:
        waits[0] += 1
        return False

    tally = asyncio.run(field.play(at_once=at_once, next_day=too_late))
    assert "the day's spending cap of 5.00 USD is reached" in tally.stopped
    assert waits == [1] and 3.0 <= field.budget.spent <= 5.0
    assert sum(not field.costs[number] for number in field.done) == 15  # what costs nothing goes on


def test_a_cap_of_a_day_below_the_cheapest_unit_is_not_waited_for() -> None:
    daily = Purse(0.2, is_daily=True, title="the day's spending cap of {}")
    field = Field(1.0, [1.0], forecast=1.0)
    field.budget = Budget(daily=[daily], days=_Calendar())
    field.admission = Admission(field.budget)
    tally = asyncio.run(field.play(at_once=1, next_day=_never))
    assert "needs about 0.3333 USD" in tally.stopped


async def _never() -> bool:
    raise AssertionError("it waits")


async def test_the_next_day_is_awaited_within_the_window_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks, calendar = _Clocks(monkeypatch), _Calendar()
    admission, told = Admission(Budget(daily=[Purse(1.0)], days=calendar)), list[str]()
    assert not await Admission(Budget()).wait_for_next_day(told.append)
    admission.closes = calendar.next()
    assert not await admission.wait_for_next_day(told.append) and not told
    admission.closes = calendar.next() + timedelta(seconds=1)
    clocks.now = calendar.next()
    assert await admission.wait_for_next_day(told.append) and "goes on then" in told[0]
    clocks.now -= timedelta(hours=1)
    waiting = asyncio.create_task(admission.wait_for_next_day(told.append))
    await asyncio.sleep(0)
    admission.stop("Because.")
    assert not await waiting

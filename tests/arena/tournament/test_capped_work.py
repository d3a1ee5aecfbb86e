"""Caps of participants and of days: who goes on, what is put off, and what the next day brings."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from arena.llm.budget import Budget, Cost, Draws, Purse
from arena.tournament.admission import Admission
from arena.tournament.forecast import ExpectedCost
from arena.tournament.paid_work import WorkSlots, WorkTally, work_through
from tests.support.case_lists import for_every
from tests.support.sleeping_units import CALLS, RESERVED, Clocks, Field


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
                for _ in range(CALLS):
                    for side in pair:
                        await self.call(cost / CALLS, side)
                admitted.is_done = True
            self.done.append(pair)

        await work_through(range(len(pairs)), make, self.tally, slots=WorkSlots(n))

    async def call(self, tokens: float, payer: str) -> None:
        worst, actual = Cost(tokens=RESERVED * tokens), Cost(tokens=tokens)
        self.budget.check(worst, payer=payer)
        await self.budget.reserve(worst, payer=payer)
        await asyncio.sleep(0)
        self.budget.settle(worst, actual=actual, payer=payer)


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
    clocks, calendar = Clocks(monkeypatch), _Calendar()
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

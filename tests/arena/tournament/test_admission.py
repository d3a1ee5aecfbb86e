"""Which units may begin: in their order, within the cap, and until somebody wants to stop."""

from __future__ import annotations

import asyncio
import math
import random
from datetime import timedelta

import pytest

from arena.errors import BudgetReached, WorkStopped
from arena.llm.budget import Budget, Cost
from arena.tournament.admission import Admission
from arena.tournament.paid_work import WorkSlots, WorkTally, work_through
from tests.support.case_lists import for_every
from tests.support.sleeping_units import Clocks, Field, call, costing, lose


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


@for_every(range(40), (1, 8, 64))
def test_lost_answers_do_not_cut_off_what_has_begun(seed: int, at_once: int) -> None:
    """Of small units whose answers are lost now and then, the first lets in no more than fit."""
    rng = random.Random(seed)
    costs = [rng.uniform(0.02, 0.04) for _ in range(180)]
    field = Field(1.0, costs, forecast=0.09, losses=lambda: rng.random() < 0.12)
    asyncio.run(field.play(at_once=at_once))
    bought = sum(field.costs[number] for number in field.done)
    begun = sum(field.costs[number] for number in field.begun)
    assert bought >= 0.85 * begun and field.budget.spent <= 1.0
    assert field.budget.spent >= 0.75


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

        await work_through(range(40), make, WorkTally(), slots=WorkSlots(16))
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
    async with admission.unit(forecast):  # 0.55 are left: 0.084 with 0.1 for losses fit
        pass
    with pytest.raises(BudgetReached, match=r"needs about 0\.1839 USD"):
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


async def test_nothing_begins_that_would_hardly_end_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks, admission = Clocks(monkeypatch), Admission(Budget())
    admission.closes = clocks.now + timedelta(minutes=60)
    for minutes in (4, 5, 6, 5, 20):  # 40 minutes; the slowest takes 20
        await clocks.take(admission, minutes)
    with pytest.raises(WorkStopped, match="a debate takes 20 min"):
        await clocks.take(admission, 5)
    assert admission.stopped


async def test_the_absence_of_a_provider_is_no_part_of_what_a_unit_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks, admission = Clocks(monkeypatch), Admission(Budget())
    admission.closes = clocks.now + timedelta(minutes=120)
    absent = iter([0.0, 85 * 60.0, 85 * 60.0, 85 * 60.0])
    admission.absent_seconds = lambda: next(absent)
    await clocks.take(admission, 90)
    await clocks.take(admission, 20)
    assert clocks.now < admission.closes


async def test_before_one_has_ended_units_begin_until_the_time_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks, admission = Clocks(monkeypatch), Admission(Budget())
    admission.closes = clocks.now
    with pytest.raises(WorkStopped, match="the time to stop, "):
        await clocks.take(admission, 5)

"""The figures of progress, from hand-made traffic and a hand-made clock."""

from __future__ import annotations

import math

import pytest

from arena.console.figures import Meter
from arena.llm.attempt import Attempt
from arena.llm.budget import Budget
from arena.llm.purse import Cost
from arena.llm.traffic.state import TrafficState
from arena.tournament.workload import Workload


class Scene:
    """Two debates of ten calls each, their traffic, and the time."""

    def __init__(self, **calls: float) -> None:
        self.now = 1000.0
        self.states: list[TrafficState] = []
        self.workload = Workload()
        for debate in ("d1", "d2"):
            self.workload.add("debate", debate, calls or {"m": 10.0})
        self.budget = Budget(5.0, spent=1.0, unbilled=0.125)
        self.meter = Meter(self.workload, self.budget, lambda: self.states, clock=lambda: self.now)


def test_nothing_is_known_before_the_first_answer() -> None:
    scene = Scene()
    scene.now += 42
    scene.states = [TrafficState(model="m", waiting=7, attempts=(Attempt(started=1001.0),))]
    figures = scene.meter.read()
    assert (figures.share, figures.seconds_left, figures.calls) == (0.0, None, 0)
    assert (figures.in_flight, figures.waiting, figures.oldest) == (1, 7, 41.0)
    assert (figures.spent, figures.limit, figures.cost) == (1.0, 5.0, 0.0)


async def test_costs_whose_bill_is_not_known_are_told_apart() -> None:
    scene = Scene()
    for cost, is_known in ((0.5, True), (0.25, False)):
        await scene.budget.reserve(Cost(cost))
        await scene.budget.settle(Cost(cost), actual=Cost(cost), is_known=is_known)
    figures = scene.meter.read()
    assert (figures.spent, figures.unbilled) == (1.75, 0.375)
    assert (figures.cost, figures.cost_unbilled) == (0.75, 0.25)


def test_the_time_left_follows_from_calls_though_no_debate_is_done() -> None:
    scene = Scene()
    scene.now += 50
    scene.states = [TrafficState(model="m", finished=5, failed=2, output_tokens=500)]
    figures = scene.meter.read()
    assert figures.share == pytest.approx(0.25)
    assert figures.seconds_left == pytest.approx(150.0)
    assert (figures.calls, figures.failed) == (5, 2)
    assert figures.tokens_per_second == pytest.approx(10.0)


def test_the_slowest_model_decides() -> None:
    scene = Scene(fast=10.0, slow=2.0)
    scene.now += 100
    scene.states = [
        TrafficState(model="fast", finished=10),
        TrafficState(model="slow", address="http://a/v1", finished=1),
        TrafficState(model="slow", address="http://b/v1", finished=1),
    ]
    assert scene.meter.read().seconds_left == pytest.approx(100.0)
    scene.states = [TrafficState(model="fast", finished=20)]
    assert scene.meter.read().seconds_left is None, "nothing is known of the slow one"


def test_tokens_of_answers_under_way_count_and_only_those_of_the_last_minute() -> None:
    scene = Scene()
    attempt = Attempt(started=1000.0)
    for second in range(1, 121):
        scene.now = 1000.0 + second
        attempt.events = 20 * min(second, 60)
        scene.states = [TrafficState(model="m", attempts=(attempt,))]
        figures = scene.meter.read()
        if second == 60:
            assert figures.tokens_per_second == pytest.approx(20.0)
    assert figures.tokens_per_second == 0.0


def test_calls_from_journals_are_progress_and_nothing_else() -> None:
    scene = Scene()
    scene.now += 30
    scene.workload.finish("debate", "d1", ["m"] * 12)  # replayed: nothing was sent
    figures = scene.meter.read()
    assert (figures.calls, figures.tokens, figures.seconds_left) == (0, 0, None)
    assert figures.share == pytest.approx(0.5)


def test_it_is_complete_only_when_all_units_are() -> None:
    scene = Scene()
    scene.states = [TrafficState(model="m", finished=2000)]
    scene.now += 1
    assert scene.meter.read().share == 0.99
    scene.workload.finish("debate", "d1", ["m"] * 10)
    scene.workload.finish("debate", "d2", ["m"] * 10)
    figures = scene.meter.read()
    assert (figures.share, figures.seconds_left) == (1.0, 0.0)


def test_work_without_calls_goes_by_units() -> None:
    workload = Workload()
    for unit in ("a", "b", "c", "d"):
        workload.add("debate", unit, {})
    workload.finish("debate", "a", [])
    figures = Meter(workload, Budget(), list, clock=lambda: 0.0).read()
    assert figures.share == 0.25 and math.isinf(figures.limit)


def test_only_models_in_trouble_are_named() -> None:
    scene = Scene()
    scene.states = [
        TrafficState(model="m", finished=3),
        TrafficState(model="n", address="http://h/v1", trouble="away since 02:14"),
        TrafficState(model="o", trouble="stopped: its key is refused"),
    ]
    assert scene.meter.read().troubles == (
        "n at http://h/v1: away since 02:14",
        "o: stopped: its key is refused",
    )

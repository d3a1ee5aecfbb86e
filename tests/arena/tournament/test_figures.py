"""The figures of progress, from hand-made traffic and a hand-made clock."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from arena.llm.budget import Budget, Cost
from arena.llm.traffic.rate_limiter import TrafficState
from arena.llm.wire.route import Attempt
from arena.text import format_seconds
from arena.tournament.figures import (
    Figures,
    GrowthRate,
    Meter,
    format_line,
    format_result,
    format_time_range,
    format_traffic,
    format_troubles,
)
from arena.tournament.workload import UnitCount, WaveProgress, Workload


def test_it_is_counted_from_the_start_until_the_window_is_full() -> None:
    pace = GrowthRate(60, now=100.0)
    assert pace.per_second == 0.0
    pace.add(30, now=110.0)
    assert pace.per_second == 3.0


def test_what_is_older_than_the_window_does_not_count() -> None:
    pace = GrowthRate(60, now=0.0)
    for second in range(1, 301):
        pace.add(min(10 * second, 2400), now=float(second))
    assert pace.per_second == 0.0, "nothing was added since second 240"
    for second in range(301, 331):
        pace.add(2400 + (second - 300), now=float(second))
    assert pace.per_second == pytest.approx(0.5)


def test_a_number_that_falls_has_not_grown() -> None:
    pace = GrowthRate(60, now=0.0)
    pace.add(10, now=1.0)
    pace.add(0, now=2.0)
    pace.add(-5, now=3.0)
    assert pace.per_second == 0.0


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
        scene.budget.settle(Cost(cost), actual=Cost(cost), is_known=is_known)
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


FIGURES = Figures(
    units=(UnitCount("debate", 2, 16), UnitCount("ballot", 0, 1)),
    share=0.128,
    seconds=187.0,
    seconds_left=1500.0,
    calls=61,
    failed=1,
    in_flight=2,
    waiting=9,
    oldest=41.2,
    tokens=12345,
    tokens_per_second=9.84,
    spent=0.1234,
    limit=5.0,
    cost=0.1234,
    troubles=(),
    seconds_low=1260.0,
    seconds_high=1820.0,
)


def test_a_line_says_it_all() -> None:
    assert format_line(FIGURES) == (
        " 12 %  2 of 16 debates, 0 of 1 ballot · 61 calls done, 2 in flight (oldest 41 s), 9 "
        "waiting, 1 attempt failed · 9.8 tokens/s · 0.1234 of 5.00 USD · 21 to 30 min left"
    )


def test_what_is_not_there_is_not_said() -> None:
    calm = replace(
        FIGURES, in_flight=0, waiting=0, failed=0, tokens_per_second=14850.0, limit=math.inf
    )
    assert format_traffic(calm) == "61 calls done · 14,850 tokens/s"
    assert format_line(calm).endswith("· 0.1234 USD · 21 to 30 min left")
    assert format_line(replace(calm, share=1.0)).startswith("100 %")
    assert "left" not in format_line(replace(calm, share=1.0))
    assert "left" not in format_line(replace(calm, seconds_left=0.4))
    assert format_line(replace(calm, seconds_low=None)).endswith("time left not known")
    assert format_line(replace(calm, share=0.9999)).startswith(" 99 %")


def test_what_is_reserved_for_lost_answers_is_no_measured_cost() -> None:
    figures = replace(FIGURES, spent=1.5, unbilled=0.5, cost_unbilled=0.0234)
    assert "· 1.0000 of 5.00 USD (up to 1.5000) ·" in format_line(figures)
    assert format_result(figures).endswith(
        "and 0.1000 USD (up to 0.1234); with earlier runs, 1.0000 of 5.00 USD (up to 1.5000)."
    )


def test_only_a_few_troubles_are_listed() -> None:
    many = replace(FIGURES, troubles=tuple(f"model {n}: away" for n in range(7)))
    assert list(format_troubles(many)) == [
        *(f"model {n}: away" for n in range(4)),
        "and 3 models more",
    ]


def test_the_result_says_what_this_run_cost_and_what_was_spent_before() -> None:
    took = "It took 3 min 7 s, 61 calls with 12,345 tokens in their answers, and "
    assert format_result(FIGURES) == f"{took}0.1234 of 5.00 USD."
    assert format_result(replace(FIGURES, spent=1.5)) == (
        f"{took}0.1234 USD; with earlier runs, 1.5000 of 5.00 USD."
    )
    assert format_result(replace(FIGURES, limit=math.inf)) == f"{took}0.1234 USD."


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (41.2, "41 s"),
        (59.7, "1 min"),
        (187, "3 min 7 s"),
        (3599.9, "1 h"),
        (7500, "2 h 5 min"),
        (86399.9, "1 d"),
        (200000, "2 d 7 h"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


#: Two debates of a wave after nine matchups, of at most 40.
WAVES = WaveProgress(
    settled=2, total=6, dealt=10, allowed=40, usd=0.5, wanted=(18.0, 30.0), is_over=False
)


def _in_waves(scene: Scene, waves: WaveProgress = WAVES) -> Figures:
    """Read a scene in waves when one of its debates has ended."""
    scene.workload.waves = waves
    scene.now += 100
    scene.states = [TrafficState(model="m", finished=10)]
    scene.workload.finish("debate", "d1", ["m"] * 10)
    return scene.meter.read()


def test_in_waves_share_and_time_are_of_all_that_will_probably_be_played() -> None:
    figures = _in_waves(Scene())  # half a matchup in 100 seconds, and 4 USD for 8 more
    assert (figures.ended, figures.most) == (9.5, 17.5)
    assert figures.share == pytest.approx(9.5 / 17.5)
    low, high = figures.seconds_low, figures.seconds_high
    assert low is not None and high is not None
    assert low < 8 * 200 < high
    assert format_line(figures) == (
        " 54 % of up to 18 matchups · target: 2 of 6 settled  1 of 2 debates · 10 calls done · "
        "0.0 tokens/s · 0.8750 of 5.00 USD (up to 1.0000), 20 % of the cap · 23 to 31 min left; "
        "the target will probably not be reached with the 8 matchups still allowed"
    )


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ((12.0, 16.4), "target probably after 3 to 7 more matchups"),
        ((12.0, 90.0), "target probably after 3 more matchups or later, perhaps not with the 8"),
        ((0.0, 0.0), "target probably after about 1 more matchup"),
        (None, ""),
    ],
)
def test_it_is_said_when_the_target_will_probably_be_reached(
    wanted: tuple[float, float] | None, said: str
) -> None:
    figures = _in_waves(Scene(), replace(WAVES, wanted=wanted))
    line = format_line(figures)
    assert said in line if said else "target probably" not in line


def test_without_a_target_and_at_the_end_nothing_is_said_of_one() -> None:
    figures = _in_waves(Scene(), replace(WAVES, wanted=None, total=0))
    assert format_line(figures).startswith(" 54 % of up to 18 matchups  1 of 2 debates")
    over = _in_waves(Scene(), replace(WAVES, is_over=True))
    assert format_line(over).startswith(" 50 %  1 of 2 debates")


def test_the_range_of_the_time_left_narrows_and_allows_for_the_last_one() -> None:
    scene, widths = Scene(), []
    for finished in (5, 15):
        scene.now += 50
        attempts = (Attempt(started=scene.now), Attempt(started=scene.now))
        scene.states = [TrafficState(model="m", finished=finished, attempts=attempts)]
        if finished == 15:
            scene.workload.finish("debate", "d1", ["m"] * 10)
        figures = scene.meter.read()
        assert figures.seconds_low and figures.seconds_high and figures.seconds_left
        assert figures.seconds_low < figures.seconds_left < figures.seconds_high
        widths.append(figures.seconds_high - figures.seconds_low)
    assert widths[1] < widths[0]


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.2, 0.4, "about 0 s"),
        (20, 89, "20 to 89 s"),
        (61, 125, "1 to 2 min"),
        (5401, 9000, "1.5 to 2.5 h"),
        (100_000, 1_000_000, "1 to 12 d"),
    ],
)
def test_a_range_of_time_has_one_unit(low: float, high: float, shown: str) -> None:
    assert format_time_range(low, high) == shown

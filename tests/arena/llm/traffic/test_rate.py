"""The allowance of a minute."""

from __future__ import annotations

import pytest

from arena.llm.traffic.rate import Rate


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def starts(rate: Rate, clock: Clock, amount: float, seconds: float) -> int:
    """How many calls start within some seconds, each as soon as it may."""
    count = 0
    while (wait := rate.wait_seconds()) + clock.now < seconds:
        clock.now += wait
        rate.take(amount)
        count += 1
    return count


@pytest.mark.parametrize("per_minute", [6, 60, 600])
def test_a_minute_has_as_many_requests_as_are_allowed(per_minute: int) -> None:
    clock = Clock()
    count = starts(Rate(per_minute, clock=clock), clock, 1.0, 60.0)
    assert per_minute <= count <= per_minute * 61 / 60 + 1


def test_no_more_than_a_second_gathers() -> None:
    clock = Clock()
    rate = Rate(600, clock=clock)
    clock.now = 3600.0
    count = 0
    while not rate.wait_seconds():
        rate.take(1.0)
        count += 1
    assert count == 10


def test_a_call_may_take_more_than_there_is_and_is_waited_for() -> None:
    clock = Clock()
    rate = Rate(6000, clock=clock)
    assert rate.wait_seconds() == 0
    rate.take(3000)
    assert rate.wait_seconds() == pytest.approx(29.0, abs=0.1)
    rate.take(-3000)  # it took nothing in the end
    assert rate.wait_seconds() == 0


def test_tokens_of_a_minute_are_kept_whatever_calls_take() -> None:
    clock = Clock()
    count = starts(Rate(60_000, clock=clock), clock, 4000, 600.0)
    assert 150 <= count <= 152

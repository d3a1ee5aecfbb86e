"""Calls per minute and at once, and what providers say of their limits."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.llm.traffic.rate_limits import START, AdaptiveLimit, AnsweredCall, TokenBucket


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def starts(rate: TokenBucket, clock: Clock, amount: float, seconds: float) -> int:
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
    count = starts(TokenBucket(per_minute, clock=clock), clock, 1.0, 60.0)
    assert per_minute <= count <= per_minute * 61 / 60 + 1


def test_no_more_than_a_second_gathers() -> None:
    clock = Clock()
    rate = TokenBucket(600, clock=clock)
    clock.now = 3600.0
    count = 0
    while not rate.wait_seconds():
        rate.take(1.0)
        count += 1
    assert count == 10


def test_a_call_may_take_more_than_there_is_and_is_waited_for() -> None:
    clock = Clock()
    rate = TokenBucket(6000, clock=clock)
    assert rate.wait_seconds() == 0
    rate.take(3000)
    assert rate.wait_seconds() == pytest.approx(29.0, abs=0.1)
    rate.take(-3000)  # it took nothing in the end
    assert rate.wait_seconds() == 0


def test_tokens_of_a_minute_are_kept_whatever_calls_take() -> None:
    clock = Clock()
    count = starts(TokenBucket(60_000, clock=clock), clock, 4000, 600.0)
    assert 150 <= count <= 152


@dataclass(slots=True, kw_only=True)
class SimulatedServer:
    """A server of some slots that works at its calls in the order of their arrival.

    Attributes:
        slots: how many calls it works at, as the time goes.
        token_seconds: for one token of an answer.
    """

    slots: Callable[[float], int]
    token_seconds: float
    _free_at: list[float] = field(default_factory=list)

    def finish(self, now: float, tokens: int) -> float:
        """When a call that arrives now is answered."""
        slots = self.slots(now)
        while len(self._free_at) < slots:
            heapq.heappush(self._free_at, now)
        while len(self._free_at) > slots:
            heapq.heappop(self._free_at)
        begun = max(now, heapq.heappop(self._free_at))
        heapq.heappush(self._free_at, begun + tokens * self.token_seconds)
        return begun + tokens * self.token_seconds


def drive(limit: AdaptiveLimit, server: SimulatedServer, *, until: float) -> Iterator[float]:
    """Call a server as often as the limit allows; yields the time of each answer."""
    under_way: list[tuple[float, int, float, int]] = []
    now, number = 0.0, 0
    while now < until:
        while len(under_way) < limit.limit:
            tokens = 100 + 37 * (number % 11)
            in_flight = len(under_way) + 1
            heapq.heappush(under_way, (server.finish(now, tokens), tokens, now, in_flight))
            number += 1
        now, tokens, started, in_flight = heapq.heappop(under_way)
        limit.answered(
            AnsweredCall(
                started=started,
                seconds=now - started,
                input_tokens=500,
                output_tokens=tokens,
                in_flight=in_flight,
            )
        )
        yield now


def settle(limit: AdaptiveLimit, server: SimulatedServer, *, until: float) -> int:
    for _ in drive(limit, server, until=until):
        pass
    return limit.limit


def answered(seconds: float, *, in_flight: int = START) -> AnsweredCall:
    return AnsweredCall(
        started=0.0, seconds=seconds, input_tokens=100, output_tokens=100, in_flight=in_flight
    )


def test_one_quick_answer_opens_the_limit() -> None:
    limit = AdaptiveLimit(128)
    assert limit.limit == START
    limit.answered(answered(0.5))
    assert limit.limit == 128


def test_what_the_file_says_is_never_passed() -> None:
    for most in (1, 2, 3, 7):
        limit = AdaptiveLimit(most)
        limit.answered(answered(0.001, in_flight=limit.limit))
        assert limit.limit == most


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_a_slow_server_gets_a_short_queue(slots: int) -> None:
    server = SimulatedServer(slots=lambda _: slots, token_seconds=0.5)
    limit = settle(AdaptiveLimit(64), server, until=12 * 3600)
    assert slots <= limit <= 2 * START


@pytest.mark.parametrize("slots", [8, 32, 64])
def test_a_slow_server_with_many_slots_is_filled(slots: int) -> None:
    server = SimulatedServer(slots=lambda _: slots, token_seconds=0.5)
    assert slots <= settle(AdaptiveLimit(64), server, until=12 * 3600) <= 64


def test_a_server_that_grows_is_filled_again() -> None:
    server = SimulatedServer(slots=lambda now: 4 if now < 20_000 else 16, token_seconds=0.5)
    limit = AdaptiveLimit(64)
    settled = settle(limit, server, until=20_000)
    assert settled < 16
    assert settle(limit, server, until=80_000) >= 16


def test_it_halves_once_for_all_calls_that_failed_together() -> None:
    limit = AdaptiveLimit(64, start=64)
    for started in (1.0, 2.0, 3.0):
        limit.overloaded(started, 10.0, in_flight=64)
    assert limit.limit == 32
    limit.overloaded(10.5, 11.0, in_flight=32)
    assert limit.limit == 16


def test_it_never_falls_below_one() -> None:
    limit = AdaptiveLimit(4)
    for moment in range(10):
        limit.overloaded(float(moment), moment + 0.5, in_flight=4)
    assert limit.limit == 1


def test_after_an_overload_it_soon_returns_to_where_it_was_not_full() -> None:
    limit = AdaptiveLimit(64, start=32)
    limit.overloaded(1.0, 2.0, in_flight=21)
    assert limit.limit == 16
    sizes = answer(limit, 16 + 20 * 12)
    assert sizes[15] == 20, "one round"
    assert sizes[16 + 20 * 7] == 20
    assert sizes[-1] == 21, "tried higher after eight rounds"


def test_calls_that_failed_together_show_where_it_is_full() -> None:
    limit = AdaptiveLimit(64, start=64)
    for in_flight in (40, 12, 9, 25):
        limit.overloaded(1.0, 2.0, in_flight=in_flight)
    assert limit.limit == 32
    assert max(answer(limit, 32 * 7)) == 32, "half is what was asked for"


def answer(limit: AdaptiveLimit, count: int) -> list[int]:
    """The limit after each of some quick answers."""
    sizes = []
    for moment in range(3, 3 + count):
        quick = AnsweredCall(
            started=float(moment),
            seconds=0.5,
            input_tokens=1,
            output_tokens=10,
            in_flight=limit.limit,
        )
        limit.answered(quick)
        sizes.append(limit.limit)
    return sizes


def test_answers_while_there_was_room_say_nothing() -> None:
    limit = AdaptiveLimit(64, start=8)
    for _ in range(100):
        limit.answered(answered(0.1, in_flight=3))
    assert limit.limit == 8


@given(
    st.lists(
        st.tuples(st.booleans(), st.floats(0, 5000), st.floats(0, 500), st.integers(1, 64)),
        max_size=60,
    )
)
def test_it_stays_within_its_bounds(
    events: list[tuple[bool, float, float, int]],
) -> None:
    limit = AdaptiveLimit(24)
    for failed, started, seconds, in_flight in events:
        if failed:
            limit.overloaded(started, started + seconds, in_flight=in_flight)
        else:
            limit.answered(
                AnsweredCall(
                    started=started,
                    seconds=seconds,
                    input_tokens=0,
                    output_tokens=0,
                    in_flight=in_flight,
                )
            )
        assert 1 <= limit.limit <= 24

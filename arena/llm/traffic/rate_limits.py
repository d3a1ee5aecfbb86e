"""The limits of calls to one model: at once, per minute, and what its provider says of them."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from arena.errors import GivenUp
from arena.llm.traffic.circuit_breaker import GIVE_UP_SECONDS, format_time


class TokenBucket:
    """An allowance that refills all the time, and may be overdrawn once.

    What a call takes is known only when it is answered. So a call may start while anything is left
    of the allowance, takes an estimate of it, and is corrected afterwards; what is overdrawn is
    waited for. No more than a second's worth gathers: there is no burst of a whole minute's.
    """

    def __init__(self, per_minute: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60.0
        self._most = max(1.0, self._per_second)
        self._left, self._clock, self._at = self._most, clock, clock()

    def take(self, amount: float) -> None:
        """Take an amount, which may overdraw the allowance; a negative amount is given back."""
        self._refill()
        self._left = min(self._most, self._left - amount)

    def wait_seconds(self) -> float:
        """Return the seconds until a call may start; 0 where it may now."""
        self._refill()
        needed = min(1.0, self._most)
        return max(0.0, (needed - self._left) / self._per_second)

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._per_second)
        self._at = now


#: Seconds to pause after a refusal (429) that gives no hint, and the longest such pause.
REFUSAL_SECONDS = (1.0, 120.0)
#: A pause is not doubled more often: no pause is so long, and larger powers are no floats.
_MOST_DOUBLINGS = 60
#: A pause of so many seconds is worth a line.
_LONG = 60.0


class Backoff:
    """When no call of a model may start.

    Args:
        give_up_seconds: after so long with nothing but refusals, calls fail.
    """

    def __init__(
        self,
        model: str,
        *,
        note: Callable[[str], None],
        give_up_seconds: float = GIVE_UP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model, self._note = model or "The provider", note
        self._give_up, self._clock = give_up_seconds, clock
        self._closed_until = self._refused_since = 0.0
        self._refusals = 0

    @property
    def seconds_left(self) -> float:
        """How long the pause lasts yet; not positive where there is none."""
        return self._closed_until - self._clock()

    @property
    def patience(self) -> float:
        """How long refusals are waited for yet, in seconds."""
        return self._refused_since + self._give_up - self._clock() if self._refusals else math.inf

    def hold(self, seconds: float) -> None:
        """Let no call start for some seconds, because the provider asked for it.

        It is believed no longer than calls are waited for at all.
        """
        seconds = min(seconds, self._give_up)
        until = self._clock() + seconds
        if seconds >= _LONG and until > self._closed_until + 1:
            self._note(
                f"{self._model} asks for no calls until {format_time(seconds)}; its calls wait."
            )
        self._closed_until = max(self._closed_until, until)

    def refuse(self, hint: float | None) -> None:
        """Note that the provider refused a call; without a hint, each pause is twice the last."""
        now = self._clock()
        if not self._refusals:
            self._refused_since = now
        is_first = now >= self._closed_until  # of several at once, the first one sets the pause
        if hint:
            self.hold(hint)
        elif is_first:  # "wait 0 s" is no hint
            first, longest = REFUSAL_SECONDS
            self.hold(min(first * 2.0 ** min(self._refusals, _MOST_DOUBLINGS), longest))
        self._refusals += is_first or hint is not None

    def answered(self) -> None:
        """Note that the provider takes calls."""
        self._refusals = 0

    def check(self) -> None:
        """Raise `GivenUp` where there has been nothing but refusals for too long."""
        if self.patience <= 0:
            since = format_time(self._refused_since - self._clock())
            raise GivenUp(
                f"{self._model} has refused all calls since {since}, which is longer than "
                "`give_up_after`."
            )


#: Calls at once before anything is known of an address.
START = 4
#: Seconds that calls may wait at the server without harm: as long as answers come sooner, the
#: limit grows without further proof, because a queue at the server then costs nothing.
PATIENCE = 30.0
#: The pace may get so much slower before growth counts as having brought nothing.
_FLAT = 1.5
#: Rounds of answers after which a limit that growth did not help is tried higher again.
_ROUNDS_TO_RETRY = 8
#: Work of a call besides its output: the way there and back, and reading the prompt.
_OVERHEAD_TOKENS = 20.0
_PROMPT_SHARE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """A call that was answered.

    Attributes:
        started: when it was sent; seconds of any clock.
        in_flight: how many calls were under way when it was sent, itself included.
    """

    started: float
    seconds: float
    input_tokens: int
    output_tokens: int
    in_flight: int

    @property
    def pace(self) -> float:
        """Seconds per token of work, so that long and short answers can be compared."""
        work = self.output_tokens + _PROMPT_SHARE * self.input_tokens + _OVERHEAD_TOKENS
        return self.seconds / work


class AdaptiveLimit:
    """A limit that doubles while answers come as fast as before, and halves when a server is full.

    While answers come within `PATIENCE` seconds, the limit follows from their time alone. Slower
    ones are compared in rounds, one round being as many answers as calls are let through: the
    limit doubles as long as the seconds per token stay flat, and goes back where they do not.
    When the server is overloaded, the limit halves, soon returns to just below where that
    happened, and from there is tried higher by one now and then (as congestion control does; Ha,
    Rhee and Xu 2008, doi:10.1145/1400097.1400105).
    """

    def __init__(self, most: int, *, start: int = START) -> None:
        self.most = most
        self.limit = max(1, min(start, most))
        self._since = -math.inf
        self._paces: list[float] = []
        self._flat: float | None = None
        self._proven = self.limit
        self._rounds_left = 0
        self._full_at: int | None = None

    def answered(self, call: AnsweredCall) -> None:
        """Learn from a call that was answered."""
        if call.started < self._since or call.in_flight < self.limit:
            return  # it says nothing about as many calls at once as there may be now
        if self._full_at is None:
            harmless = int(call.in_flight * PATIENCE / max(call.seconds, 0.001))
            if harmless > self.limit:
                self._set(min(harmless, self.most), call)
                return
        self._paces.append(call.pace)
        if len(self._paces) >= self.limit:
            self._end_round(call)

    def overloaded(self, started: float, now: float, *, in_flight: int) -> None:
        """Halve the limit because a call failed; once for all that were under way together."""
        if started < self._since:
            self._full_at = min(self._full_at or in_flight, max(in_flight, self.limit + 1))
            return
        self._full_at = in_flight
        self.limit = max(1, self.limit // 2)
        self._rounds_left = _ROUNDS_TO_RETRY
        self._since, self._paces, self._flat = now, [], None

    def _end_round(self, call: AnsweredCall) -> None:
        pace = sum(self._paces) / len(self._paces)
        self._paces = []
        if self._full_at is not None:
            self._return(self._full_at, call)
        elif self._flat is None or pace <= _FLAT * self._flat:
            self._flat = pace if self._flat is None else min(self._flat, pace)
            self._proven = self.limit
            self._rounds_left = max(0, self._rounds_left - 1)
            if not self._rounds_left:
                self._set(min(2 * self.limit, self.most), call)
        elif self.limit > self._proven:
            self._rounds_left = _ROUNDS_TO_RETRY
            self._set(self._proven, call)
        else:
            self._flat = pace  # slower although nothing was changed: others use the server, too

    def _return(self, full_at: int, call: AnsweredCall) -> None:
        """Grow again after an overload."""
        if self.limit < full_at - 1:
            self._set(min(2 * self.limit, full_at - 1, self.most), call)
            return
        self._rounds_left -= 1
        if self._rounds_left <= 0 and self.limit < self.most:
            self._rounds_left = _ROUNDS_TO_RETRY
            self._full_at = self.limit + 2
            self._set(self.limit + 1, call)

    def _set(self, limit: int, call: AnsweredCall) -> None:
        if limit != self.limit:
            self.limit, self._since, self._paces = limit, call.started + call.seconds, []


class CallSlots:
    """As many places as there may be calls at once, now.

    Args:
        limit: returns how many there are.
    """

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._queue: deque[asyncio.Future[None]] = deque()
        self.held = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a place."""
        return len(self._queue)

    async def take(self) -> None:
        """Wait for a place, and take it."""
        if self.held < self._limit() and not self._queue:
            self.held += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.give_back()
            elif place in self._queue:  # unless `fill` has passed over it meanwhile
                self._queue.remove(place)
            raise

    def give_back(self) -> None:
        """Give a place back."""
        self.held -= 1
        self.fill()

    def fill(self) -> None:
        """Give free places to those who wait; also when there are more places than before."""
        while self._queue and self.held < self._limit():
            place = self._queue.popleft()
            if not place.done():
                self.held += 1
                place.set_result(None)


class SharedLimits:
    """The limits that several models keep together; each is made when it is first needed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._slots: CallSlots | None = None
        self._buckets: dict[str, TokenBucket] = {}

    def slots(self, most: int) -> CallSlots:
        """Return the places for calls at once."""
        self._slots = self._slots or CallSlots(lambda: most)
        return self._slots

    def bucket(self, name: str, per_minute: float | None) -> TokenBucket | None:
        """Return an allowance per minute; `None` where there is no limit."""
        if per_minute is None:
            return None
        return self._buckets.setdefault(name, TokenBucket(per_minute, clock=self._clock))

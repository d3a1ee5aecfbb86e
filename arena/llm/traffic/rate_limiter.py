"""The rate limiter through which all calls of one model at one address go."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Literal

from arena.errors import ContentFault, GivenUp, InfrastructureFault, ProviderRejected
from arena.llm.request import Usage
from arena.llm.traffic.circuit_breaker import (
    GIVE_UP_SECONDS,
    CircuitBreaker,
    ModelStop,
    format_time,
)
from arena.llm.traffic.leases import current_lease
from arena.llm.traffic.rate_limits import (
    AdaptiveLimit,
    AnsweredCall,
    Backoff,
    CallSlots,
    SharedLimits,
)
from arena.llm.wait_hints import pause_of
from arena.llm.wire.route import Attempt, current_attempt


@dataclass(slots=True, kw_only=True)
class Permit:
    """Leave for one call to go out.

    Attributes:
        in_flight: how many calls of the model were under way when it went out, itself included.
        tried: whether it tries an address that is away.
    """

    attempt: Attempt
    in_flight: int
    tokens: float
    tried: bool
    usage: Usage | None = None


Halt = Literal["", "asked", "away", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficState:
    """How the calls of one model go in this run.

    Attributes:
        address: where it is; empty for the provider's own address.
        failed: how many attempts brought no answer.
        estimated: how many answers came without a count of tokens, which was estimated.
        waiting: how many calls wait for their turn.
        limit: how many calls may be under way at once, now.
        trouble: why calls wait, in a few words ("away since 02:14, next try 02:19", "asked to wait
            until 02:20", "stopped: its key is refused"); empty where all is well.
        halt: the kind of trouble: `stopped` until a person mends something, its address `away`, or
            `asked` to wait; '' for none.
    """

    model: str
    address: str = ""
    finished: int = 0
    failed: int = 0
    waiting: int = 0
    attempts: tuple[Attempt, ...] = ()
    output_tokens: int = 0
    estimated: int = 0
    limit: int = 0
    trouble: str = ""
    halt: Halt = ""


#: Calls of a model at once, at most, without a setting.
DEFAULT_CONCURRENCY = 64
#: The shortest wait in seconds: what is left of a sum of floats must not be waited for again.
_TICK = 0.001


def ignore(_text: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimiterSettings:
    """What limits the calls of a model.

    Attributes:
        start: calls at once to begin with; `most` where it is `None`.
        requests_per_minute, tokens_per_minute: limits of the provider; `None` for none.
        shared: those of these limits that other models keep, too, by their names in a file.
        give_up_seconds: after so long with nothing but refusals, calls fail.
    """

    most: int = DEFAULT_CONCURRENCY
    start: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    shared: Mapping[str, SharedLimits] = field(default_factory=dict)
    give_up_seconds: float = GIVE_UP_SECONDS


class RateLimiter:
    """Lets the calls of one model through: as many at once and per minute as it can take.

    Args:
        model, address: what it is called in messages.
        circuit: of the address; by default one that never opens: no call waits for its server.
    """

    def __init__(
        self,
        settings: RateLimiterSettings | None = None,
        *,
        model: str = "",
        address: str = "",
        circuit: CircuitBreaker | None = None,
        note: Callable[[str], None] = ignore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        own = settings or RateLimiterSettings()
        self.model, self.address, self._clock = model, address, clock
        self._circuit = circuit or CircuitBreaker(model, note=note, failures=math.inf, clock=clock)
        self.draining = self._circuit.draining
        self._stop = ModelStop(note=note)
        self._pauses = Backoff(model, note=note, give_up_seconds=own.give_up_seconds, clock=clock)
        self._limit = AdaptiveLimit(own.most, start=own.start or own.most)
        self._places = CallSlots(lambda: self.limit)
        common = own.shared.get("concurrency")
        self._common_places = common.slots(own.most) if common else None
        self._requests, self._tokens = (
            own.shared.get(name, SharedLimits(clock)).bucket(name, rate)
            for name, rate in (
                ("requests_per_minute", own.requests_per_minute),
                ("tokens_per_minute", own.tokens_per_minute),
            )
        )
        self._attempts: list[Attempt] = []
        self._clearing = self._finished = self._failed = self._output = self._estimated = 0

    @property
    def limit(self) -> int:
        """How many calls may be under way at once, now."""
        return self._limit.limit

    @property
    def stopped(self) -> ProviderRejected | None:
        """Why no call goes out until a person mends something; `None` while they do."""
        return self._stop.fault

    @property
    def known(self) -> asyncio.Event:
        """Set when the model has answered, or is stopped."""
        return self._stop.known

    @property
    def is_answering(self) -> bool:
        """Whether the model is stopped, or has answered and its address is not away."""
        is_known = self.known.is_set() and not self._circuit.is_waited_for
        return is_known or self.stopped is not None

    async def wait_for_answer(self) -> None:
        """Wait until the model has answered or is stopped, and its address is not away."""
        await self.known.wait()
        await self._circuit.back.wait()

    def state(self) -> TrafficState:
        """Return how the calls go."""
        wait = self._pauses.seconds_left
        troubles: dict[Halt, str] = {
            "stopped": self._stop.format_state(),
            "away": self._circuit.format_state(),
            "asked": f"asked to wait until {format_time(wait)}" if wait >= 1 else "",
        }
        halt: Halt = next((halt for halt, trouble in troubles.items() if trouble), "")
        return TrafficState(
            model=self.model,
            address=self.address,
            finished=self._finished,
            failed=self._failed,
            waiting=self._places.waiting + self._clearing,
            attempts=tuple(self._attempts),
            output_tokens=self._output,
            estimated=self._estimated,
            limit=self.limit,
            trouble=troubles.get(halt, ""),
            halt=halt,
        )

    @asynccontextmanager
    async def open(
        self, tokens: float = 0.0, *, caller: object | None = None
    ) -> AsyncIterator[Permit]:
        """Wait until a call may go out, and hold its place until it has ended.

        Args:
            tokens: what the call is expected to take.
            caller: the same for all attempts at one call; `None` where that is not known.

        Raises:
            ProviderRejected: the model is stopped until a person mends something.
            GivenUp: the provider has been away for too long.
            CallAbandoned: the run is to end before the call may go out.
        """
        lease = current_lease.get()
        async with lease.call() if lease else nullcontext():
            await self._places.take()
            try:
                permit = await self._clear(tokens)
                bound = self._circuit.bounding(tried=permit.tried)
                try:
                    with self._following(permit, caller):
                        async with bound:
                            yield permit
                finally:
                    if self._common_places:
                        self._common_places.give_back()
            finally:
                self._places.give_back()

    @contextmanager
    def _following(self, permit: Permit, caller: object | None) -> Iterator[None]:
        """Follow a call until it has ended, and learn from how it goes."""
        self._attempts.append(permit.attempt)
        token = current_attempt.set(permit.attempt)
        try:
            yield
        except BaseException as error:
            self._learn_from_failure(permit, error, caller)
            raise
        else:
            self._learn_from_answer(permit)
        finally:
            current_attempt.reset(token)
            self._attempts.remove(permit.attempt)

    def restart(self, permit: Permit) -> None:
        """Take the present as the time when a call goes out: its caller had to wait once more."""
        permit.attempt.started = self._clock()

    def pause(self, seconds: float) -> None:
        """Let no call start for some seconds, because the provider asked for it."""
        self._pauses.hold(seconds)

    def blames_call(self, fault: InfrastructureFault, started: float) -> bool:
        """Tell whether a failure counts against the retries of its call.

        It does not where the provider is away or asks for fewer calls: then all calls wait. A
        provider that answered other calls since this one started is not away.
        """
        if self._circuit.is_open or fault.kind in ("rate_limit", "unreachable"):
            return False
        last = self._circuit.last_answer
        return fault.kind != "unavailable" or (last is not None and last > started)

    async def _clear(self, tokens: float) -> Permit:
        """Wait for the rate limits, for a pause to end, and for an address that is away."""
        self._clearing += 1
        try:
            while True:
                self._check_stopped()
                tried = await self._admit()
                wait = self._wait_seconds()
                if (tried or wait <= 0) and await self._take_common_place(tried=tried):
                    break
                await self.draining.sleep(max(wait, _TICK))
        except GivenUp:
            self.known.set()
            raise
        finally:
            self._clearing -= 1
        for rate, amount in ((self._requests, 1.0), (self._tokens, tokens)):
            if rate is not None:
                rate.take(amount)
        attempt = Attempt(started=self._clock())
        return Permit(attempt=attempt, in_flight=self._places.held, tokens=tokens, tried=tried)

    def _wait_seconds(self) -> float:
        rates = [rate for rate in (self._requests, self._tokens) if rate]
        waits = [self._pauses.seconds_left, *(rate.wait_seconds() for rate in rates)]
        return min(max(waits), self._pauses.patience)

    async def _take_common_place(self, *, tried: bool) -> bool:
        """Wait for one of the places that the models share; returns whether a call may still go.

        A call that tries whether the address is back does not wait: all others do, for it.
        """
        if self._common_places is None:
            return True
        if tried:
            self._common_places.held += 1
            return True
        await self._common_places.take()
        may_go = self._wait_seconds() <= 0 and not self._circuit.is_open and not self.stopped
        if not may_go:
            self._common_places.give_back()
        return may_go

    async def _admit(self) -> bool:
        """Wait for an address that is away; return whether this call tries it."""
        tried, lease = False, current_lease.get()
        if self._circuit.is_open:
            async with lease.waiting() if lease else nullcontext():
                tried = await self._circuit.admit()
        try:
            self._check_stopped()
        except InfrastructureFault:
            self._circuit.released(tried=tried)
            raise
        return tried

    def _check_stopped(self) -> None:
        self._stop.check()
        self._pauses.check()

    def _learn_from_answer(self, permit: Permit) -> None:
        usage, now = permit.usage, self._clock()
        self._note_answer(permit)
        self._finished += 1
        self._stop.answered()
        if usage is None:
            return
        taken = usage.input_tokens + usage.output_tokens
        self._output += usage.output_tokens
        self._estimated += usage.estimated
        if self._tokens is not None:
            self._tokens.take(taken - permit.tokens)
        if seconds := pause_of(permit.attempt.headers, tokens=taken):
            self.pause(seconds)
        self._limit.answered(
            AnsweredCall(
                started=permit.attempt.started,
                seconds=now - permit.attempt.started,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                in_flight=permit.in_flight,
            )
        )
        self._places.fill()

    def _learn_from_failure(
        self, permit: Permit, error: BaseException, caller: object | None
    ) -> None:
        if not isinstance(error, InfrastructureFault | ContentFault):
            self._circuit.released(tried=permit.tried)
            return
        if isinstance(error, ContentFault | ProviderRejected):
            self._note_answer(permit)
            if isinstance(error, ProviderRejected) and error.remedy:
                self._stop.rejected(error)
                return
            if isinstance(error, ProviderRejected):
                self._stop.refused(error)
            self.known.set()
            return
        self._failed += 1
        if error.kind == "rate_limit":  # the provider is there, and takes no calls for now
            self._pauses.refuse(error.retry_after)
            self._circuit.answered(permit.attempt.started)
        else:
            if error.unusable:
                self._stop.unusable(error)
            self._circuit.failed(error, tried=permit.tried, caller=caller)
            if error.retry_after is not None:
                self.pause(error.retry_after)
        if error.kind in ("rate_limit", "unavailable", "timeout"):
            self._limit.overloaded(
                permit.attempt.started, self._clock(), in_flight=permit.in_flight
            )

    def _note_answer(self, permit: Permit) -> None:
        """Note that the provider is there and takes calls."""
        self._pauses.answered()
        self._circuit.answered(permit.attempt.started)

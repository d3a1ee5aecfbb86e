"""The gate through which all calls of one model at one address go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass

from arena.errors import ContentFault, GivenUp, InfrastructureFault, ProviderRejected
from arena.llm.attempt import Attempt, current_attempt
from arena.llm.traffic.adaptive_limit import AdaptiveLimit, Answered
from arena.llm.traffic.circuit import GIVE_UP_SECONDS, Circuit, format_time
from arena.llm.traffic.draining import Draining
from arena.llm.traffic.headers import pause_of
from arena.llm.traffic.pauses import Pauses
from arena.llm.traffic.permit import Pass
from arena.llm.traffic.places import Places
from arena.llm.traffic.rate import make_rate
from arena.llm.traffic.seat import hold_seat, wait_for_address
from arena.llm.traffic.state import TrafficState
from arena.llm.traffic.stopping import Stop

#: Calls of a model at once, at most, without a setting.
DEFAULT_CONCURRENCY = 64
#: The shortest wait in seconds: what is left of a sum of floats must not be waited for again.
_TICK = 0.001


def ignore(_text: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """What limits the calls of a model.

    Attributes:
        most: calls at once, at most.
        start: calls at once to begin with; `most` where it is `None`.
        requests_per_minute, tokens_per_minute: limits of the provider; `None` for none.
        give_up_seconds: after so long with nothing but refusals, calls fail.
    """

    most: int = DEFAULT_CONCURRENCY
    start: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    give_up_seconds: float = GIVE_UP_SECONDS


class Gate:
    """Lets the calls of one model through: as many at once and per minute as it can take.

    Args:
        settings: its limits.
        model, address: what it is called in messages.
        circuit: of the address; `None` for calls that shall not wait for an absent server.
        note: is told of what people should know, one line each.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        settings: GateSettings | None = None,
        *,
        model: str = "",
        address: str = "",
        circuit: Circuit | None = None,
        note: Callable[[str], None] = ignore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        own = settings or GateSettings()
        self.model, self.address = model, address
        self._circuit, self._clock = circuit, clock
        self.draining = circuit.draining if circuit else Draining()
        self._stop = Stop(note=note)
        self._pauses = Pauses(model, note=note, give_up_seconds=own.give_up_seconds, clock=clock)
        self._limit = AdaptiveLimit(own.most, start=own.start or own.most)
        self._places = Places(lambda: self.limit)
        self._requests = make_rate(own.requests_per_minute, clock)
        self._tokens = make_rate(own.tokens_per_minute, clock)
        self._attempts: list[Attempt] = []
        self._clearing = self._finished = self._failed = self._output = 0

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
        if self.stopped is not None:
            return True
        return self.known.is_set() and not (self._circuit and self._circuit.is_waited_for)

    async def wait_for_answer(self) -> None:
        """Wait until the model has answered or is stopped, and its address is not away."""
        await self.known.wait()
        if self._circuit is not None:
            await self._circuit.back.wait()

    def state(self) -> TrafficState:
        """Return how the calls go."""
        return TrafficState(
            model=self.model,
            address=self.address,
            finished=self._finished,
            failed=self._failed,
            waiting=self._places.waiting + self._clearing,
            attempts=tuple(self._attempts),
            output_tokens=self._output,
            limit=self.limit,
            trouble=self._trouble(),
        )

    @asynccontextmanager
    async def open(
        self, tokens: float = 0.0, *, caller: object | None = None
    ) -> AsyncIterator[Pass]:
        """Wait until a call may go out, and hold its place until it has ended.

        Args:
            tokens: what the call is expected to take.
            caller: the same for all attempts at one call; `None` where that is not known.

        Raises:
            ProviderRejected: the model is stopped until a person mends something.
            GivenUp: the provider has been away for too long.
            CallAbandoned: the run is to end before the call may go out.
        """
        async with hold_seat():
            await self._places.take()
            try:
                permit = await self._clear(tokens)
                async with self._following(permit, caller), self._bounding(permit):
                    yield permit
            finally:
                self._places.give_back()

    @asynccontextmanager
    async def _following(self, permit: Pass, caller: object | None) -> AsyncIterator[None]:
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

    def _bounding(self, permit: Pass) -> AbstractAsyncContextManager[None]:
        return self._circuit.bounding(tried=permit.tried) if self._circuit else nullcontext()

    def restart(self, permit: Pass) -> None:
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
        if self._circuit is None:
            return True
        if self._circuit.is_open or fault.kind in ("rate_limit", "unreachable"):
            return False
        last = self._circuit.last_answer
        return fault.kind != "unavailable" or (last is not None and last > started)

    async def _clear(self, tokens: float) -> Pass:
        """Wait for the rate limits, for a pause to end, and for an address that is away."""
        self._clearing += 1
        try:
            while True:
                self._check_stopped()
                tried = await self._admit()
                if (wait := 0.0 if tried else self._wait_seconds()) <= 0:
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
        return Pass(attempt=attempt, in_flight=self._places.held, tokens=tokens, tried=tried)

    async def _admit(self) -> bool:
        """Wait for an address that is away; return whether this call tries it."""
        tried = False
        if self._circuit is not None and self._circuit.is_open:
            async with wait_for_address():
                tried = await self._circuit.admit()
        try:
            self._check_stopped()
        except InfrastructureFault:
            if self._circuit is not None:
                self._circuit.released(tried=tried)
            raise
        return tried

    def _wait_seconds(self) -> float:
        waits = [self._pauses.seconds_left]
        waits += [rate.wait_seconds() for rate in (self._requests, self._tokens) if rate]
        return min(max(waits), self._pauses.patience)

    def _check_stopped(self) -> None:
        self._stop.check()
        self._pauses.check()

    def _learn_from_answer(self, permit: Pass) -> None:
        usage, now = permit.usage, self._clock()
        self._note_answer(permit)
        self._finished += 1
        self._stop.answered()
        if usage is None:
            return
        taken = usage.input_tokens + usage.output_tokens
        self._output += usage.output_tokens
        if self._tokens is not None:
            self._tokens.take(taken - permit.tokens)
        if seconds := pause_of(permit.attempt.headers, tokens=taken):
            self.pause(seconds)
        self._limit.answered(
            Answered(
                started=permit.attempt.started,
                seconds=now - permit.attempt.started,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                in_flight=permit.in_flight,
            )
        )
        self._places.fill()

    def _learn_from_failure(
        self, permit: Pass, error: BaseException, caller: object | None
    ) -> None:
        if not isinstance(error, InfrastructureFault | ContentFault):
            if self._circuit is not None:
                self._circuit.released(tried=permit.tried)
            return
        if isinstance(error, ContentFault | ProviderRejected):
            self._note_answer(permit)
            if isinstance(error, ProviderRejected) and error.remedy:
                self._stop.rejected(error)
            else:
                self.known.set()
            return
        self._failed += 1
        if error.kind == "rate_limit":  # the provider is there, and takes no calls for now
            self._pauses.refuse(error.retry_after)
            self._close_circuit(permit)
        elif self._circuit is not None:
            self._circuit.failed(error, tried=permit.tried, caller=caller)
        if error.kind != "rate_limit" and error.retry_after is not None:
            self.pause(error.retry_after)
        if error.kind in ("rate_limit", "unavailable", "timeout"):
            self._limit.overloaded(
                permit.attempt.started, self._clock(), in_flight=permit.in_flight
            )

    def _note_answer(self, permit: Pass) -> None:
        """Note that the provider is there and takes calls."""
        self._pauses.answered()
        self._close_circuit(permit)

    def _close_circuit(self, permit: Pass) -> None:
        if self._circuit is not None:
            self._circuit.answered(permit.attempt.started)

    def _trouble(self) -> str:
        if stopped := self._stop.format_state():
            return stopped
        if self._circuit is not None and self._circuit.is_open:
            return self._circuit.format_state()
        wait = self._pauses.seconds_left
        return f"asked to wait until {format_time(wait)}" if wait >= 1 else ""

"""The gate through which all calls of one model at one address go."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from arena.errors import ContentFault, GivenUp, InfrastructureFault, ProviderRejected
from arena.llm.attempt import Attempt, current_attempt
from arena.llm.request import Usage
from arena.llm.traffic.adaptive_limit import AdaptiveLimit, Answered
from arena.llm.traffic.circuit import GIVE_UP_SECONDS, Circuit, format_time
from arena.llm.traffic.headers import pause_of
from arena.llm.traffic.rate import Rate
from arena.llm.traffic.state import TrafficState

#: Calls of a model at once, at most, without a setting.
DEFAULT_CONCURRENCY = 64
#: Seconds to pause after a refusal (429) that gives no hint, and the longest such pause.
REFUSAL_SECONDS = (1.0, 120.0)
#: A pause is not doubled more often: no pause is so long, and larger powers are no floats.
_MOST_DOUBLINGS = 60
#: The shortest wait in seconds: what is left of a sum of floats must not be waited for again.
_TICK = 0.001
#: Rejections in a row after which a model that has answered before is stopped.
_REJECTIONS = 3
#: A pause of so many seconds is worth a line.
_LONG_PAUSE = 60.0


def ignore(_text: str) -> None:
    """Tell nobody."""


@dataclass(slots=True, kw_only=True)
class Pass:
    """Leave for one call to go out.

    Attributes:
        attempt: what the transport sees of it.
        in_flight: how many calls of the model were under way when it went out, itself included.
        tokens: what it was expected to take.
        tried: whether it tries an address that is away.
        usage: what it took; set when it is answered.
    """

    attempt: Attempt
    in_flight: int
    tokens: float
    tried: bool
    usage: Usage | None = None


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

    Attributes:
        stopped: why no call goes out until a person mends something; `None` while they do.
        known: set when the model has answered, or is stopped.
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
        self.stopped: ProviderRejected | None = None
        self.known = asyncio.Event()
        self._circuit = circuit
        self._note, self._clock, self._give_up = note, clock, own.give_up_seconds
        self._limit = AdaptiveLimit(own.most, start=own.start or own.most)
        self._requests = _rate(own.requests_per_minute, clock)
        self._tokens = _rate(own.tokens_per_minute, clock)
        self._queue: deque[asyncio.Future[None]] = deque()
        self._attempts: list[Attempt] = []
        self._held = self._clearing = 0
        self._closed_until = self._refused_since = 0.0
        self._refusals = self._rejections = 0
        self._finished = self._failed = self._output = 0

    @property
    def limit(self) -> int:
        """How many calls may be under way at once, now."""
        return self._limit.limit

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
            waiting=len(self._queue) + self._clearing,
            attempts=tuple(self._attempts),
            output_tokens=self._output,
            limit=self.limit,
            trouble=self._trouble(),
        )

    @asynccontextmanager
    async def open(self, tokens: float = 0.0) -> AsyncIterator[Pass]:
        """Wait until a call may go out, and hold its place until it has ended.

        Args:
            tokens: what the call is expected to take.

        Raises:
            ProviderRejected: the model is stopped until a person mends something.
            GivenUp: the provider has been away for too long.
        """
        await self._take_place()
        try:
            permit = await self._clear(tokens)
            self._attempts.append(permit.attempt)
            token = current_attempt.set(permit.attempt)
            try:
                yield permit
            except BaseException as error:
                self._learn_from_failure(permit, error)
                raise
            else:
                self._learn_from_answer(permit)
            finally:
                current_attempt.reset(token)
                self._attempts.remove(permit.attempt)
        finally:
            self._give_place()

    def restart(self, permit: Pass) -> None:
        """Take the present as the time when a call goes out: its caller had to wait once more."""
        permit.attempt.started = self._clock()

    def pause(self, seconds: float) -> None:
        """Let no call start for some seconds, because the provider asked for it.

        It is believed no longer than calls are waited for at all.
        """
        seconds = min(seconds, self._give_up)
        until = self._clock() + seconds
        if seconds >= _LONG_PAUSE and until > self._closed_until + 1:
            self._note(
                f"{self.model or 'The provider'} asks for no calls until {format_time(seconds)}; "
                "its calls wait."
            )
        self._closed_until = max(self._closed_until, until)

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

    async def _take_place(self) -> None:
        """Wait for a place among the calls under way; first come, first served."""
        if self._held < self.limit and not self._queue:
            self._held += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._give_place()
            elif place in self._queue:  # unless `_fill` has passed over it meanwhile
                self._queue.remove(place)
            raise

    def _give_place(self) -> None:
        self._held -= 1
        self._fill()

    def _fill(self) -> None:
        while self._queue and self._held < self.limit:
            place = self._queue.popleft()
            if not place.done():
                self._held += 1
                place.set_result(None)

    async def _clear(self, tokens: float) -> Pass:
        """Wait for the rate limits, for a pause to end, and for an address that is away."""
        self._clearing += 1
        try:
            while True:
                self._check_stopped()
                tried = await self._admit()
                if (wait := 0.0 if tried else self._wait_seconds()) <= 0:
                    break
                await asyncio.sleep(max(wait, _TICK))
        except GivenUp:
            self.known.set()
            raise
        finally:
            self._clearing -= 1
        for rate, amount in ((self._requests, 1.0), (self._tokens, tokens)):
            if rate is not None:
                rate.take(amount)
        attempt = Attempt(started=self._clock())
        return Pass(attempt=attempt, in_flight=self._held, tokens=tokens, tried=tried)

    async def _admit(self) -> bool:
        """Wait for an address that is away; return whether this call tries it."""
        tried = await self._circuit.admit() if self._circuit else False
        try:
            self._check_stopped()
        except InfrastructureFault:
            if self._circuit is not None:
                self._circuit.released(tried=tried)
            raise
        return tried

    def _wait_seconds(self) -> float:
        waits = [self._closed_until - self._clock()]
        waits += [rate.wait_seconds() for rate in (self._requests, self._tokens) if rate]
        return min(max(waits), self._patience())

    def _patience(self) -> float:
        """Return the seconds until calls are given up because of refusals."""
        return self._refused_since + self._give_up - self._clock() if self._refusals else math.inf

    def _check_stopped(self) -> None:
        if self.stopped is not None:
            raise ProviderRejected(str(self.stopped), remedy=self.stopped.remedy)
        if self._patience() <= 0:
            since = format_time(self._refused_since - self._clock())
            raise GivenUp(
                f"{self.model} has refused all calls since {since}, which is longer than "
                "`give_up_after`."
            )

    def _learn_from_answer(self, permit: Pass) -> None:
        usage, now = permit.usage, self._clock()
        self._note_answer(permit)
        self._finished += 1
        self._rejections = 0
        self.known.set()
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
        self._fill()

    def _learn_from_failure(self, permit: Pass, error: BaseException) -> None:
        if not isinstance(error, InfrastructureFault | ContentFault):
            if self._circuit is not None:
                self._circuit.released(tried=permit.tried)
            return
        if isinstance(error, ContentFault | ProviderRejected):
            self._note_answer(permit)
            if isinstance(error, ProviderRejected) and error.remedy:
                self._note_rejection(error)
            else:
                self.known.set()
            return
        self._failed += 1
        if error.kind == "rate_limit":
            self._note_refusal(error, permit)
        elif self._circuit is not None:
            self._circuit.failed(error, tried=permit.tried)
        if error.retry_after is not None:
            self.pause(error.retry_after)
        if error.kind in ("rate_limit", "unavailable", "timeout"):
            self._limit.overloaded(
                permit.attempt.started, self._clock(), in_flight=permit.in_flight
            )

    def _note_answer(self, permit: Pass) -> None:
        """Note that the provider is there and takes calls."""
        self._refusals = 0
        if self._circuit is not None:
            self._circuit.answered(permit.attempt.started)

    def _note_refusal(self, fault: InfrastructureFault, permit: Pass) -> None:
        """Note that the provider is there and takes no calls for now."""
        now, refusals = self._clock(), self._refusals
        self._note_answer(permit)
        self._refusals = refusals
        if not refusals:
            self._refused_since = now
        if fault.retry_after is not None or now >= self._closed_until:
            self._refusals += 1
        if not fault.retry_after and now >= self._closed_until:  # "wait 0 s" is no hint
            first, longest = REFUSAL_SECONDS  # of several at once, the first one sets the pause
            self.pause(min(first * 2.0 ** min(refusals, _MOST_DOUBLINGS), longest))

    def _note_rejection(self, fault: ProviderRejected) -> None:
        """Stop the model; once it has answered, only when it is refused again and again.

        A firewall may refuse one prompt, and a gateway lose a model for a moment. Credit that is
        used up does not come back.
        """
        self._rejections += 1
        if not self._finished or fault.remedy == "quota" or self._rejections >= _REJECTIONS:
            self._stop(fault)

    def _stop(self, fault: ProviderRejected) -> None:
        if self.stopped is None:
            self.stopped = fault
            self.known.set()
            self._note(f"{fault} {_REMEDIES[fault.remedy or 'model']}")

    def _trouble(self) -> str:
        if self.stopped is not None:
            return f"stopped: {_STOPPED[self.stopped.remedy or 'model']}"
        if self._circuit is not None and self._circuit.is_open:
            return self._circuit.format_state()
        wait = self._closed_until - self._clock()
        return f"asked to wait until {format_time(wait)}" if wait >= 1 else ""


def _rate(per_minute: float | None, clock: Callable[[], float]) -> Rate | None:
    return None if per_minute is None else Rate(per_minute, clock=clock)


_REMEDIES = {
    "key": "What needs this model stays planned. Set a valid key (`arena check` names its "
    "variable), then run the same command again.",
    "model": "What needs this model stays planned. Correct its name or its `api_base` (`arena "
    "check` lists what a server has), then run the same command again.",
    "quota": "What needs this model stays planned. Add credit at the provider, then run the same "
    "command again.",
}
_STOPPED = {
    "key": "its key is refused",
    "model": "the provider does not have it",
    "quota": "there is no credit left",
}

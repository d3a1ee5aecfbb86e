"""Circuit breakers: calls wait while an address is away, a model is stopped, or a run ends."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from arena.errors import (
    CallAbandoned,
    FaultKind,
    GivenUp,
    InfrastructureFault,
    ProviderRejected,
    Remedy,
)
from arena.text import as_sentence

#: Seconds that a call may still have to wait for its turn when a run is to end.
WAIT_SECONDS = 10.0


class Draining:
    """Whether a run is to end; shared by all rate limiters and circuit breakers.

    Calls in flight come to their own end, and units whose providers answer go on. A call that
    would have to wait longer than `WAIT_SECONDS` is abandoned: its unit stays open.
    """

    def __init__(self) -> None:
        self._reason = ""
        self._begun = asyncio.Event()

    def begin(self, reason: str) -> None:
        """Let no call wait for long from now on; of the reasons, sentences, the first counts."""
        self._reason = self._reason or reason
        self._begun.set()

    def check(self, seconds: float = math.inf) -> None:
        """Raise `CallAbandoned` where the run is to end before a call has waited so long."""
        if self._reason and seconds > WAIT_SECONDS:
            raise CallAbandoned(self._reason)

    async def sleep(self, seconds: float) -> None:
        """Sleep until the time is over; where it is long, only until the run is to end.

        Raises:
            CallAbandoned: the run is to end, and the time is too long.
        """
        self.check(seconds)
        if seconds > WAIT_SECONDS:
            await self._sleep_at_most(seconds)
        else:
            await asyncio.sleep(seconds)

    async def back_off(self, seconds: float) -> None:
        """Sleep before a call that failed is made again; none is once the run is to end.

        Raises:
            CallAbandoned: the run is to end.
        """
        self.check()
        await self._sleep_at_most(seconds)
        self.check()

    async def _sleep_at_most(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._begun.wait(), seconds)


#: Failures in a row after which an address counts as away.
FAILURES = 5
#: Seconds until the first try, and the longest between two; each wait is twice the one before.
TRY_SECONDS = (5.0, 300.0)
#: Seconds for which an address may be away before its calls are given up.
GIVE_UP_SECONDS = 12 * 3600.0
#: Seconds that the last try may take once the address has been away for too long.
LAST_TRY_SECONDS = 60.0
#: Failures that one prompt may cause by itself: the server fails on it, or never ends.
_AMBIGUOUS: frozenset[FaultKind] = frozenset({"failed", "timeout"})
_WORDS: dict[FaultKind, str] = {
    "unreachable": "cannot be reached",
    "timeout": "does not answer in time",
    "unavailable": "is overloaded or down",
    "failed": "fails",
}


class CircuitBreaker:
    """The circuit breaker of one address, for the calls of all models there.

    It opens after some failures in a row, unless all of them are of one call and its prompt may be
    the cause. Then calls wait; one of them goes out as a try each time the wait is over,
    and the first answer lets all of them through again. After `give_up_seconds`, calls fail, the
    try included, but not before a try that is due: a computer may have slept through the time.

    Args:
        place: what it is called in messages: the provider, and the address if it is configured.
        note: is told when it opens and when it closes, one line each.
        give_up_seconds: after so long without an answer, waiting calls fail.
        failures: so many in a row open it.

    Attributes:
        last_answer: when the address last answered, by the clock; `None` before that.
        back: set while the address is not away.
        absent_seconds: for how long it was away in all, an absence that goes on left out.
    """

    def __init__(
        self,
        place: str,
        *,
        note: Callable[[str], None],
        give_up_seconds: float = GIVE_UP_SECONDS,
        failures: float = FAILURES,
        draining: Draining | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.draining = draining or Draining()
        self.place, self._note, self._clock = place, note, clock
        self._give_up, self._most_failures = give_up_seconds, failures
        self.last_answer: float | None = None
        self.absent_seconds = 0.0
        self._failures = 0
        self._failing: object | None = None
        self._several_fail = False
        self._away_since: float | None = None
        self._first_failure = self._opened = 0.0
        self._next_try = 0.0
        self._wait = TRY_SECONDS[0]
        self._trying = False
        self._tried_at = 0.0
        self._reason = ""
        self._changed = asyncio.Event()
        self.back = asyncio.Event()
        self.back.set()

    @property
    def is_open(self) -> bool:
        """Whether the address counts as away."""
        return self._away_since is not None

    @property
    def seconds_away(self) -> float:
        """For how long the address has been away; 0 where it is not."""
        return 0.0 if self._away_since is None else self._clock() - self._away_since

    @property
    def is_waited_for(self) -> bool:
        """Whether the address counts as away, but not for so long that its calls are given up."""
        return self.is_open and self.seconds_away < self._give_up

    def format_state(self) -> str:
        """Format since when the address is away; empty where it is not."""
        if self._away_since is None:
            return ""
        return f"away since {self._time(self._away_since)}, next try {self._time(self._next_try)}"

    async def admit(self) -> bool:
        """Return when a call may go out, and whether it is the one that tries an absent address.

        Raises:
            GivenUp: the address has been away for too long.
            CallAbandoned: the run is to end.
        """
        while self._away_since is not None:
            self.draining.check()
            now = self._clock()
            if now >= self._next_try and not self._trying:
                self._trying, self._tried_at = True, now
                return True
            if now >= (end := self._end()):
                raise self._given_up()
            change = end if self._trying else min(self._next_try, end)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), max(0.0, change - now))
        return False

    @asynccontextmanager
    async def bounding(self, *, tried: bool) -> AsyncIterator[None]:
        """End a call that tries the address (`tried`, by `admit`) when the address is given up.

        Raises:
            GivenUp: its time is over; it may still be answered, so it is billed at its worst case.
        """
        if not tried:
            yield
            return
        try:
            async with asyncio.timeout(max(0.0, self._end() - self._clock())) as limit:
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            fault = self._given_up()
            fault.billed_usd = None
            raise fault from None

    def _given_up(self) -> GivenUp:
        since = self._time(self._clock() if self._away_since is None else self._away_since)
        return GivenUp(
            f"{self.place} has been away since {since}, which is longer than `give_up_after`. "
            f"{as_sentence(self._reason)}"
        )

    def answered(self, started: float | None = None) -> None:
        """Note that the address answered, if only to ask for fewer calls.

        Args:
            started: when the call was sent. An answer to an earlier one, which was on its way when
                the address went away, does not show that it is back.
        """
        if self._away_since is not None and started is not None and started < self._opened:
            return
        self.last_answer = self._clock()
        self._failures, self._failing, self._several_fail = 0, None, False
        if self._away_since is not None:
            away = timedelta(seconds=round(self.seconds_away))
            self.absent_seconds += self.seconds_away
            self._away_since, self._trying, self._wait = None, False, TRY_SECONDS[0]
            self.back.set()
            self._note(f"{self.place} answers again, after {away}.")
            self.wake()

    def failed(
        self, fault: InfrastructureFault, *, tried: bool = False, caller: object | None = None
    ) -> None:
        """Note that a call failed.

        Args:
            tried: what `admit` returned for the call.
            caller: the same for all attempts at one call; `None` where that is not known.
        """
        now = self._clock()
        self._failing = self._failing or caller
        if fault.kind not in _AMBIGUOUS or caller is None or caller is not self._failing:
            self._several_fail = True
        self._first_failure = self._first_failure if self._failures else now
        self._failures += 1
        self._reason = str(fault)
        if self._away_since is not None:
            if tried:
                self._wait = min(2 * self._wait, TRY_SECONDS[1])
                self._next_try, self._trying = now + self._wait, False
                self.wake()
        elif self._failures >= self._most_failures and self._several_fail:
            self._away_since, self._opened = self._first_failure, now
            self.back.clear()
            self._next_try = now + self._wait
            self._note(
                f"{self.place} {_WORDS.get(fault.kind, _WORDS['failed'])} since "
                f"{self._time(self._away_since)}: its calls wait, next try "
                f"{self._time(self._next_try)}. {fault}"
            )

    def released(self, *, tried: bool) -> None:
        """Note that a call was cancelled; `tried` is what `admit` returned for it."""
        if tried:
            self._trying = False
            self.wake()

    def _end(self) -> float:
        """Return when waiting calls are given up."""
        away = self._clock() if self._away_since is None else self._away_since
        end = away + self._give_up
        return max(end, self._tried_at + LAST_TRY_SECONDS) if self._trying else end

    def wake(self) -> None:
        """Let the calls that wait look again whether they may go out."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _time(self, moment: float) -> str:
        return format_time(moment - self._clock())


def format_time(seconds: float) -> str:
    """Format the time of day that is some seconds from now, in the local time zone."""
    moment = datetime.now().astimezone() + timedelta(seconds=seconds)
    return moment.strftime("%H:%M" if abs(seconds) >= 60 else "%H:%M:%S")


#: The end of each remedy; whoever knows the command that goes on may name it in its place.
GO_ON = "then continue with the command that the end of this run prints."
REMEDIES: Mapping[Remedy, str] = {
    "key": "What needs this model stays planned. Set a valid key (`arena check` names its "
    f"variable), {GO_ON}",
    "model": "What needs this model stays planned. Correct its name or its `api_base` (`arena "
    f"check` lists what a server has), {GO_ON}",
    "quota": f"What needs this model stays planned. Add credit at the provider, {GO_ON}",
    "request": "What needs this model stays planned. Its server refuses each request for this "
    "reason: change what it names in the model's settings (docs/models.md) or use another model, "
    f"{GO_ON}",
}
STOPPED: Mapping[Remedy, str] = {
    "key": "its key is refused",
    "model": "the provider does not have it",
    "quota": "there is no credit left",
    "request": "its server refuses each request for the same reason",
}


#: Rejections in a row after which a model that has answered before is stopped.
_REJECTIONS = 3
#: Requests in a row that a server refuses in the same words, after which a model is stopped: where
#: it has never answered, and where it has.
_REFUSALS, _LATER_REFUSALS = 3, 10
#: Equal answers that are none, after which a model is stopped that has never given another.
_UNUSABLE = 5
_NUMBER = re.compile(r"\d+")


class ModelStop:
    """Whether the calls of one model go on.

    Attributes:
        fault: why no call goes out until a person mends something; `None` while they do.
        known: set when the model has answered, or is stopped.
    """

    def __init__(self, *, note: Callable[[str], None]) -> None:
        self.fault: ProviderRejected | None = None
        self.known = asyncio.Event()
        self._note = note
        self._rejections = 0
        self._refusals, self._refused_in = 0, ""
        self._has_answered = False

    def check(self) -> None:
        """Raise the fault where no call goes out."""
        if self.fault is not None:
            raise ProviderRejected(str(self.fault), remedy=self.fault.remedy)

    def answered(self) -> None:
        """Note an answer."""
        self._rejections, self._refusals, self._has_answered = 0, 0, True
        self.known.set()

    def rejected(self, fault: ProviderRejected) -> None:
        """Stop the model; once it has answered, only when it is refused again and again.

        A firewall may refuse one prompt, and a gateway lose a model for a moment. Credit that is
        used up does not come back.
        """
        self._rejections += 1
        is_sure = not self._has_answered or fault.remedy == "quota"
        if self.fault is None and (is_sure or self._rejections >= _REJECTIONS):
            self.fault = fault
            self.known.set()
            self._note(f"{as_sentence(str(fault))} {REMEDIES[fault.remedy or 'model']}")

    def refused(self, fault: ProviderRejected) -> None:
        """Note that a request was refused, and stop the model where each one is, in equal words."""
        most = _LATER_REFUSALS if self._has_answered else _REFUSALS
        self._note_equal(fault, most=most, remedy="request")

    def unusable(self, fault: InfrastructureFault) -> None:
        """Note an answer that is none; stop a model that has only ever given such, all alike.

        Its address is another server's, or this one speaks another language. A model that has
        answered before is waited for: the page of a gateway goes away.
        """
        if not self._has_answered:
            self._note_equal(fault, most=_UNUSABLE, remedy="model")

    def _note_equal(self, fault: InfrastructureFault, *, most: int, remedy: Remedy) -> None:
        words = _NUMBER.sub("0", str(fault))
        self._refusals = self._refusals + 1 if words == self._refused_in else 1
        self._refused_in = words
        if self._refusals >= most:
            self._rejections = _REJECTIONS
            self.rejected(ProviderRejected(str(fault), remedy=remedy))

    def format_state(self) -> str:
        """Format what is to be mended; empty where nothing is."""
        return "" if self.fault is None else f"stopped: {STOPPED[self.fault.remedy or 'model']}"

"""Pauses that a provider asks for, and those after refusals without a hint."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from arena.errors import GivenUp
from arena.llm.traffic.circuit import GIVE_UP_SECONDS, format_time

#: Seconds to pause after a refusal (429) that gives no hint, and the longest such pause.
REFUSAL_SECONDS = (1.0, 120.0)
#: A pause is not doubled more often: no pause is so long, and larger powers are no floats.
_MOST_DOUBLINGS = 60
#: A pause of so many seconds is worth a line.
_LONG = 60.0


class Pauses:
    """When no call of a model may start.

    Args:
        model: what it is called in messages.
        note: is told of long pauses, one line each.
        give_up_seconds: after so long with nothing but refusals, calls fail.
        clock: seconds that only grow.
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
        """Check that refusals may be waited for.

        Raises:
            GivenUp: there has been nothing but refusals for too long.
        """
        if self.patience <= 0:
            since = format_time(self._refused_since - self._clock())
            raise GivenUp(
                f"{self._model} has refused all calls since {since}, which is longer than "
                "`give_up_after`."
            )

"""A limit per minute, of requests or of tokens."""

from __future__ import annotations

import time
from collections.abc import Callable


class Rate:
    """An allowance that refills all the time, and may be overdrawn once.

    What a call takes is known only when it is answered. So a call may start while anything is left
    of the allowance, takes an estimate of it, and is corrected afterwards; what is overdrawn is
    waited for. No more than a second's worth gathers: there is no burst of a whole minute's.

    Args:
        per_minute: how much is refilled in a minute.
        clock: seconds that only grow.
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


def make_rate(per_minute: float | None, clock: Callable[[], float]) -> Rate | None:
    """Return a rate; `None` where there is no limit."""
    return None if per_minute is None else Rate(per_minute, clock=clock)

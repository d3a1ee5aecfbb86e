"""How fast something grows, from samples of the last minutes."""

from __future__ import annotations

from collections import deque


class Pace:
    """The growth per second of a number that is looked at now and then.

    Args:
        seconds: how far it looks back.
        now: when the number was 0.
    """

    def __init__(self, seconds: float, *, now: float) -> None:
        self._seconds = seconds
        self._samples = deque([(now, 0.0)])

    def add(self, number: float, *, now: float) -> None:
        """Add a sample; forget those that are too old, but for the youngest of them."""
        self._samples.append((now, number))
        while len(self._samples) > 2 and self._samples[1][0] <= now - self._seconds:
            self._samples.popleft()

    @property
    def per_second(self) -> float:
        """The growth per second; 0 where the number has not grown."""
        (start, before), (end, after) = self._samples[0], self._samples[-1]
        return max(0.0, after - before) / (end - start) if end > start else 0.0

"""How many calls of one model may be under way at once, found out from how they are answered."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
class Answered:
    """A call that was answered.

    Attributes:
        started: when it was sent; seconds of any clock.
        seconds: until its answer was there.
        input_tokens, output_tokens: of it.
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
    After the server was overloaded once, the limit grows by one per round (additive increase,
    multiplicative decrease: Chiu and Jain 1989, doi:10.1016/0169-7552(89)90019-6).

    Args:
        most: calls at once, at most.
        start: calls at once to begin with.
    """

    def __init__(self, most: int, *, start: int = START) -> None:
        self.most = most
        self.limit = max(1, min(start, most))
        self._since = -math.inf
        self._paces: list[float] = []
        self._flat: float | None = None
        self._proven = self.limit
        self._rounds_left = 0
        self._careful = False

    def answered(self, call: Answered) -> None:
        """Learn from a call that was answered."""
        if call.started < self._since or call.in_flight < self.limit:
            return  # it says nothing about as many calls at once as there may be now
        if not self._careful:
            harmless = int(call.in_flight * PATIENCE / max(call.seconds, 0.001))
            if harmless > self.limit:
                self._set(min(harmless, self.most), call)
                return
        self._paces.append(call.pace)
        if len(self._paces) >= self.limit:
            self._end_round(call)

    def overloaded(self, started: float, now: float) -> None:
        """Halve the limit because a call failed; calls sent before the last change count not.

        Args:
            started: when the call was sent.
            now: the time now, by the same clock.
        """
        if started < self._since:
            return
        self.limit = max(1, self.limit // 2)
        self._proven, self._careful = self.limit, True
        self._since, self._paces, self._flat = now, [], None

    def _end_round(self, call: Answered) -> None:
        pace = sum(self._paces) / len(self._paces)
        self._paces = []
        if self._careful:
            self._set(min(self.limit + 1, self.most), call)
        elif self._flat is None or pace <= _FLAT * self._flat:
            self._grow(pace, call)
        elif self.limit > self._proven:
            self._rounds_left = _ROUNDS_TO_RETRY
            self._set(self._proven, call)
        else:
            self._flat = pace  # slower although nothing was changed: others use the server, too

    def _grow(self, pace: float, call: Answered) -> None:
        self._flat = pace if self._flat is None else min(self._flat, pace)
        self._proven = self.limit
        self._rounds_left = max(0, self._rounds_left - 1)
        if not self._rounds_left:
            self._set(min(2 * self.limit, self.most), call)

    def _set(self, limit: int, call: Answered) -> None:
        if limit != self.limit:
            self.limit, self._since, self._paces = limit, call.started + call.seconds, []

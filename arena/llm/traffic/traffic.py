"""The traffic to all models of a run: their rate limiters, their circuit breakers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.llm.traffic.circuit_breaker import GIVE_UP_SECONDS, CircuitBreaker, Draining
from arena.llm.traffic.rate_limiter import RateLimiter, RateLimiterSettings, TrafficState, ignore


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledLimit:
    """How many calls at once a model at an address was found to take.

    Attributes:
        address: as configured; empty for the provider's own.
    """

    model: str
    address: str
    calls: int


class Traffic:
    """The gates of a run.

    Args:
        give_up_seconds: after so long without an answer from an address, its calls fail.

    Attributes:
        note: is told of what people should know, one line each.
    """

    def __init__(
        self,
        *,
        give_up_seconds: float = GIVE_UP_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.note: Callable[[str], None] = ignore
        self._give_up, self._clock = give_up_seconds, clock
        self._draining = Draining()
        self._gates: dict[str, RateLimiter] = {}
        self._circuits: dict[tuple[str, str], CircuitBreaker] = {}

    def gate(
        self, model: str, find_address: Callable[[], str], make: Callable[[], RateLimiterSettings]
    ) -> RateLimiter:
        """Return the gate of a model, which is made from its settings when it is first needed."""
        if model not in self._gates:
            provider, address = model.partition("/")[0], find_address()
            if (provider, address) not in self._circuits:
                self._circuits[provider, address] = CircuitBreaker(
                    f"{provider} at {address}" if address else provider,
                    note=self._tell,
                    give_up_seconds=self._give_up,
                    draining=self._draining,
                    clock=self._clock,
                )
            self._gates[model] = RateLimiter(
                make(),
                model=model,
                address=address,
                circuit=self._circuits[provider, address],
                note=self._tell,
                clock=self._clock,
            )
        return self._gates[model]

    def drain(self, reason: str) -> None:
        """Abandon the calls that wait for a provider; those in flight come to their own end.

        The reason is a sentence for the user.
        """
        self._draining.begin(reason)
        for circuit in self._circuits.values():
            circuit.wake()

    def states(self) -> list[TrafficState]:
        """Return how the calls of each model go, in the order of their first calls."""
        return [gate.state() for gate in self._gates.values()]

    def away(self) -> dict[str, float]:
        """Return the addresses that are away, as messages call them, and for how many seconds."""
        return {
            circuit.place: circuit.seconds_away
            for circuit in self._circuits.values()
            if circuit.is_open
        }

    def absent_seconds(self) -> float:
        """Return for how long providers have been away, of several that were: the longest."""
        return max((circuit.absent_seconds for circuit in self._circuits.values()), default=0.0)

    def stopped(self) -> Mapping[str, RateLimiter]:
        """Return the models whose calls wait until a person mends something, with their gates."""
        return {model: gate for model, gate in self._gates.items() if gate.stopped is not None}

    def settled(self) -> list[SettledLimit]:
        """Return how many calls at once each model that answered was found to take."""
        return [
            SettledLimit(model=model, address=gate.address, calls=gate.limit)
            for model, gate in self._gates.items()
            if gate.state().finished
        ]

    def _tell(self, text: str) -> None:
        self.note(text)

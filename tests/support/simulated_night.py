"""A night on a clock that nobody waits for: sleeps are over at once, and so is work of threads."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import selectors
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta, tzinfo
from types import ModuleType
from typing import Any

import pytest

from arena.console import paid, waiting
from arena.console.progress import Watch
from arena.llm.traffic import circuit_breaker
from arena.llm.traffic.circuit_breaker import CircuitBreaker
from arena.llm.traffic.rate_limiter import RateLimiter
from arena.llm.traffic.rate_limits import Backoff, TokenBucket
from arena.llm.traffic.traffic import Traffic
from arena.tournament import admission, caps, job, run_record
from arena.tournament.figures import Meter


class Night:
    """A wall clock and a monotonic one, moved by whoever sleeps.

    Args:
        begins: the time at first, with a zone.
        set_back: when the wall clock is set back, by how much.

    Attributes:
        seconds: the monotonic clock.
    """

    def __init__(self, begins: datetime, *, set_back: tuple[datetime, timedelta]) -> None:
        self._begins, (self._set_at, self._back) = begins, set_back
        self.seconds = 0.0

    def now(self) -> datetime:
        """The time of the wall clock, in UTC."""
        moment = self.true_now()
        return moment - self._back if moment >= self._set_at else moment

    def true_now(self) -> datetime:
        """The time of a clock that nobody sets, in UTC."""
        return self._begins + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return self.seconds

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put these clocks in place of the machine's, where a run looks at them."""
        night = self

        class Clock(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
                moment = night.now()
                return moment.astimezone(tz) if tz else moment.astimezone().replace(tzinfo=None)

        modules: tuple[ModuleType, ...] = (
            admission,
            circuit_breaker,
            paid,
            job,
            run_record,
        )
        for module in (*modules, waiting, caps):
            monkeypatch.setattr(module, "datetime", Clock)
        monkeypatch.setattr(waiting, "_sleep", self.sleep)
        monkeypatch.setattr(time, "monotonic", self.monotonic)
        for timed in (Traffic, CircuitBreaker, TokenBucket, RateLimiter, Backoff, Watch, Meter):
            defaults = timed.__init__.__kwdefaults__
            assert defaults is not None
            monkeypatch.setitem(defaults, "clock", self.monotonic)
        monkeypatch.setattr(asyncio, "run", self._run)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 - as asyncio.run
        with asyncio.Runner(loop_factory=lambda: _Loop(self)) as runner:
            return runner.run(work)


class _Selector(selectors.DefaultSelector):
    def __init__(self, night: Night) -> None:
        super().__init__()
        self._night = night

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout:
            self._night.sleep(timeout)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    """A loop on the clock of a night, in which what is for a thread is done at once."""

    def __init__(self, night: Night) -> None:
        self._night = night
        super().__init__(_Selector(night))

    def time(self) -> float:
        return self._night.seconds

    def run_in_executor(
        self, executor: object, work: Callable[..., Any], *arguments: object
    ) -> asyncio.Future[Any]:
        future = self.create_future()
        try:
            context = contextvars.copy_context()
            future.set_result(context.run(functools.partial(work, *arguments)))
        except Exception as error:  # noqa: BLE001 - as a thread hands it on
            future.set_exception(error)
        return future


def utc(text: str) -> datetime:
    """A moment of the night, `22 02:14` (day of November 2026 and time), in UTC."""
    return datetime.strptime(f"2026-11-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC)

"""An event loop whose time is not waited for: what sleeps for hours is awake at once.

Only for what waits for timers alone; a socket or a thread is waited for as ever.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")


class _Selector(selectors.DefaultSelector):
    """A selector that passes on the time that it should have waited.

    As long as threads are at work, time stands still.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.threads = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        if self.threads:
            return super().select(0.02 if timeout is None else min(timeout, 0.02))
        if timeout is not None and timeout > 0:
            self.now += timeout
            timeout = 0
        return super().select(timeout)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now

    def run_in_executor(self, *arguments: Any) -> asyncio.Future[Any]:  # type: ignore[override]  # noqa: ANN401
        self._virtual.threads += 1
        future = super().run_in_executor(*arguments)
        future.add_done_callback(self._thread_ended)
        return future

    def _thread_ended(self, _: object) -> None:
        self._virtual.threads -= 1


def now() -> float:
    """The time of the running loop; a clock for what is tested."""
    return asyncio.get_running_loop().time()


def run_at_once(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run some work, its pauses at no cost."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


def at_once(
    test: Callable[_Parameters, Coroutine[Any, Any, _Result]],
) -> Callable[_Parameters, _Result]:
    """Return a test that is run by `run_at_once`."""

    @wraps(test)
    def run(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        return run_at_once(test(*args, **kwargs))

    return run

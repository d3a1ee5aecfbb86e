"""Tournaments played from Python: the path of `arena run`, without its questions."""

from __future__ import annotations

import asyncio
import io
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, redirect_stdout
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import TextIO

from arena.config.load import config_text
from arena.config.resolve import resolve_to_play
from arena.config.resolved import ResolvedConfig
from arena.console.paid import STOPPED, run_paid
from arena.console.play_tournament import PrintedTournament, store_played
from arena.console.stored_tournament import open_to_work
from arena.errors import ConfigError
from arena.notebook.tournament import Tournament
from arena.records import OFFLINE
from arena.store.database import Store
from arena.tournament.job import RunOptions
from arena.tournament.results import RunObserver, RunTally
from motions import MotionError

_IS_QUIET: ContextVar[bool] = ContextVar("is_quiet", default=False)


def run(
    file: str | Path,
    *,
    db: str | Path = "results.duckdb",
    usd: float | None = None,
    concurrency: int | None = None,
    quiet: bool = False,
) -> Tournament:
    """Play what is open of a tournament, in a script or in a cell of a notebook.

    It prints the plan, how far it is, and what came of it. An interruption (Ctrl-C, the kernel's
    interrupt) lets nothing further begin; the next run goes on there.

    Args:
        file: a TOML file, or the name of a shipped example.
        usd: the spending cap, in place of the file's.
        concurrency: simultaneous debates, in place of the file's.
        quiet: whether nothing is printed.

    Raises:
        ConfigError: the file is wrong, or names no cap where models cost money and `usd` is None.
        StoreError: the database cannot be used, or another run works on it.
    """
    game = _Game(file, Path(db), usd=usd, concurrency=concurrency, quiet=quiet)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return game.play()
    # A loop runs in this thread, as in a notebook: the work gets a thread, and a loop, of its own.
    with ThreadPoolExecutor(1) as pool:
        played = pool.submit(copy_context().run, game.play)
        try:
            return played.result()
        except KeyboardInterrupt:
            game.stop()
            raise


async def run_async(
    file: str | Path,
    *,
    db: str | Path = "results.duckdb",
    usd: float | None = None,
    concurrency: int | None = None,
    quiet: bool = False,
) -> Tournament:
    """Play as `run` does, beside what else the loop does; cancelled, it lets nothing begin."""
    game = _Game(file, Path(db), usd=usd, concurrency=concurrency, quiet=quiet)
    played = asyncio.ensure_future(asyncio.to_thread(game.play))
    try:
        return await asyncio.shield(played)
    except asyncio.CancelledError:
        game.stop()
        await played
        raise


class _Job(PrintedTournament):
    """The open work, which another thread can ask to stop."""

    _loop: asyncio.AbstractEventLoop | None = None

    async def work(self, observer: RunObserver) -> RunTally:
        """Do what is open."""
        self._loop = asyncio.get_running_loop()
        return await super().work(observer)

    def stop(self) -> None:
        """Let nothing further begin."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.models.admission.stop, STOPPED)
            self._loop.call_soon_threadsafe(self.models.traffic.drain, STOPPED)


class _Game:
    """A tournament that is to be played."""

    def __init__(
        self, file: str | Path, db: Path, *, usd: float | None, concurrency: int | None, quiet: bool
    ) -> None:
        if usd is not None and not 0 < usd < math.inf:
            raise ConfigError(
                f"usd={usd} is no amount of money. Give a number above 0, such as 25."
            )
        self._store, self._quiet = open_to_work(db), quiet
        with _motion_errors():
            text = config_text(str(file))
            resolved = resolve_to_play(text, self._store, where=str(file)).with_cap(usd)
            _check_cap(resolved)
            self._options = RunOptions(yes=True, usd=usd, concurrency=concurrency)
            self._job = _Job(resolved, self._store, options=self._options)

    def play(self) -> Tournament:
        """Play what is open."""
        token = _IS_QUIET.set(self._quiet)
        try:
            with redirect_stdout(_Mutable()) if self._quiet else nullcontext(), _motion_errors():
                if run_paid(self._job, self._store, self._options) is None:
                    store_played(self._store, self._job.plan)
        except SystemExit:  # with which a command ends after Ctrl-C
            raise KeyboardInterrupt from None
        finally:
            _IS_QUIET.reset(token)
        return Tournament(Store(self._store.path), self._job.tournament)

    def stop(self) -> None:
        """Let nothing further begin."""
        self._job.stop()


def _check_cap(resolved: ResolvedConfig) -> None:
    """Check that a cap holds where a model may cost money.

    Raises:
        ConfigError: none does.
    """
    named = {participant.model for participant in resolved.participants}
    named |= {bench.model for bench in resolved.benches}
    paid = sorted(model for model in named if model and not model.startswith(OFFLINE))
    if resolved.config.limits.usd is None and paid:
        raise ConfigError(
            f"{resolved.where}: no spending cap, and nobody is asked here before money is spent "
            f"({', '.join(paid)}). Name one with usd=…, in USD, or in the file as `[limits] usd`."
        )


@contextmanager
def _motion_errors() -> Iterator[None]:
    """Raise what is wrong with motions as `ConfigError`, which is the base of what users catch."""
    try:
        yield
    except MotionError as error:
        raise ConfigError(str(error)) from None


class _Mutable(io.TextIOBase):
    """Standard output, on which a quiet run prints nothing while others still do."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self._stream: TextIO = sys.stdout

    def write(self, text: str) -> int:
        """Print what somebody else prints."""
        return len(text) if _IS_QUIET.get() else self._stream.write(text)

    def flush(self) -> None:
        """Print what is waiting."""
        self._stream.flush()

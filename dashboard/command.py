"""`arena serve`: the pages, served by Streamlit in a subprocess to this machine alone."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from arena.boards.stored_boards import store_missing_boards
from arena.console.options import database, examples, tournament
from arena.errors import ArenaError, ConfigError
from arena.store.database import Store
from dashboard import queries
from dashboard.settings import DATABASE, ONLY, RANK, SPEAK, TOURNAMENT, VOTE

_ADDRESS = "127.0.0.1"
_SERVER = Path(__file__).with_name("server.py")
_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
#: Flags take precedence over a user's own Streamlit configuration.
_FLAGS = (
    f"--server.address={_ADDRESS}",
    f"--server.allowedHosts={_ADDRESS}",
    "--server.allowedHosts=localhost",
    "--server.headless=true",
    "--server.fileWatcherType=none",
    "--server.enableStaticServing=false",
    "--browser.gatherUsageStats=false",
    "--client.showErrorDetails=none",
    "--client.showErrorLinks=false",
    "--client.toolbarMode=viewer",
    "--runner.magicEnabled=false",
    "--logger.hideWelcomeMessage=true",
    "--logger.level=warning",
    "--theme.light.primaryColor=#0072B2",
    "--theme.dark.primaryColor=#56B4E9",
)


@click.command(
    epilog=examples(
        "arena serve",
        "arena serve --db weekend.duckdb --port 8600",
        "arena serve --voting --tournament weekend",
        "arena serve --ranking --tournament essays",
        "arena serve --speaking --port 8601",
    )
)
@database
@tournament
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8501,
    show_default=True,
    help="Port on this machine.",
)
@click.option(
    "--voting",
    is_flag=True,
    help="Serve only a page on which people vote on debates, without names (see arena vote).",
)
@click.option(
    "--ranking",
    is_flag=True,
    help="Serve only a page on which people rank essays, without names (see arena rank).",
)
@click.option(
    "--speaking",
    is_flag=True,
    help="Serve only a page on which people write the speeches that are due (see arena speak).",
)
def serve(  # noqa: PLR0913, PLR0917 - the options of a command
    db: Path,
    tournament: str | None,
    port: int,
    voting: bool,  # noqa: FBT001 - a flag
    ranking: bool,  # noqa: FBT001 - a flag
    speaking: bool,  # noqa: FBT001 - a flag
) -> None:
    """Show leaderboards and debates in a browser.

    The pages update during a run. Only this machine can open the pages, and they change nothing.
    With --voting or --ranking, the only page takes people's votes or rankings and shows no names;
    with --speaking, it takes people's speeches and shows only what the speaker may see. Press
    Ctrl-C to stop.
    """
    alone = {"--voting": VOTE * voting, "--ranking": RANK * ranking, "--speaking": SPEAK * speaking}
    requested = [option for option, page in alone.items() if page]
    if len(requested) > 1:
        raise ConfigError(
            f"{' and '.join(requested)} cannot be combined. Keep one of them, and serve the others "
            "with commands of their own on another --port."
        )
    _check_database(Store(db), tournament)
    _check_port(port)
    with _interrupted_by(signal.SIGTERM):
        try:
            _serve(db, tournament, port, only="".join(alone.values()))
        except KeyboardInterrupt:
            click.echo("\nThe dashboard has ended.")


def _serve(db: Path, tournament: str | None, port: int, *, only: str) -> None:
    command = [sys.executable, "-P", "-m", "streamlit", "run", str(_SERVER), *_FLAGS]
    child = subprocess.Popen(
        [*command, f"--server.port={port}"],
        env={
            **os.environ,
            DATABASE: str(db.resolve()),
            TOURNAMENT: tournament or "",
            ONLY: only,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for_start(child, port)
        click.echo(f"Dashboard of {db}: http://{_ADDRESS}:{port}  (press Ctrl-C to stop)")
        raise ArenaError(f"the dashboard stopped unexpectedly (exit code {child.wait()}).")
    finally:
        _stop(child)


def _check_database(store: Store, tournament: str | None) -> None:
    store.check()
    if stored := store_missing_boards(store):
        click.echo(f"Stored the boards of an older version anew: {', '.join(stored)}.")
    names = list(queries.tournaments(store)["tournament"])
    if tournament is not None and tournament not in names:
        listed = ", ".join(names) or "none yet"
        raise ConfigError(f"{store.path}: no tournament {tournament!r}. Stored: {listed}.")


def _check_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_ADDRESS, port))
        except OSError as error:
            raise ConfigError(
                f"port {port} of {_ADDRESS} cannot be used ({error.strerror}). "
                "Choose another with --port."
            ) from None


def _wait_for_start(child: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the pages can be opened."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if (code := child.poll()) is not None:
            raise ArenaError(f"the dashboard did not start (exit code {code}).")
        try:
            socket.create_connection((_ADDRESS, port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise ArenaError(f"the dashboard did not start within {_START_SECONDS:.0f} seconds.")


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


@contextmanager
def _interrupted_by(number: signal.Signals) -> Iterator[None]:
    """Turn a signal into `KeyboardInterrupt` in the block, so that the subprocess ends with it."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, interrupt)
    try:
        yield
    finally:
        signal.signal(number, before)

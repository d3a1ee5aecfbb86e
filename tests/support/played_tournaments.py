"""Tournaments that are played once for all workers of a test run, to be read or copied."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.console_script import arena

DATABASE = "results.duckdb"


def played_once(factory: pytest.TempPathFactory, name: str, play: Callable[[Path], object]) -> Path:
    """The folder in which something was played, by this worker or by another one.

    Args:
        name: tells it from all else that is played; a folder's name.
        play: plays it into an empty folder.
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "played" / name
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)  # of a play that failed
            making.mkdir()
            play(making)
            making.rename(folder)
    return folder


def played_tournament(factory: pytest.TempPathFactory, name: str, configuration: str) -> Path:
    """The database of a tournament that was played from a configuration; for reading only."""

    def play(folder: Path) -> None:
        file = folder / f"{name}.toml"
        file.write_text(configuration, encoding="utf-8")
        words = ("run", file, "--yes", "--db", folder / DATABASE)
        # By a process of its own: where a browser is open, no event loop can be run here.
        code, printed = arena(*words, folder=folder)
        assert code == 0, printed

    return played_once(factory, name, play) / DATABASE


def copied(database: Path, folder: Path) -> Path:
    """A copy of a database that a test may change, in its own folder."""
    return Path(shutil.copy(database, folder / "own.duckdb"))

"""Tournaments that a form begins: files of one folder, played by `arena run` in the background."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from arena.errors import ConfigError, StoreError
from arena.read.tournaments import find_tournament
from arena.store.database import Store
from arena.tournament.run_record import read_state
from dashboard.settings import ACCESS, FOLDER, ONLY, SECRETS, TOURNAMENT
from motions.text_files import decode_text, parse_toml, read_file

_ARENA = "from arena.cli import main; main()"
_FILE_NAME = re.compile(r"[\w][\w .+@-]{0,80}\.toml")
#: Seconds within which a run takes the lock of its database, or ends because it cannot.
_BEGIN_SECONDS = 30.0
_LOOK_SECONDS = 0.2
#: What `arena run` says when it ends at once, in characters at most.
_MOST_SAID = 1500
#: Runs that this server has begun; whoever ends is asked for its exit code, so that none lingers.
_BEGUN: list[subprocess.Popen[bytes]] = []


def tournament_files(folder: Path) -> list[str]:
    """Return the names of the tournaments' files in a folder, by name."""
    return sorted(path.name for path in folder.glob("*.toml") if _is_tournament(path))


def check_file_name(name: str, folder: Path) -> Path:
    """Return the path of a new file in a folder.

    Raises:
        ConfigError: the name leads elsewhere, is none of a TOML file, or is taken.
    """
    if not _FILE_NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} is no name of a file here. Use letters, digits, spaces, dots and dashes, "
            "with .toml at the end, for example weekend.toml"
        )
    path = folder / name
    if path.exists():
        raise ConfigError(f"{name} exists already and was not changed. Choose another name.")
    return path


def write_new(path: Path, text: str) -> None:
    """Write a new file; one that somebody else has written meanwhile stays.

    Raises:
        ConfigError: it exists, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except FileExistsError:
        raise ConfigError(
            f"{path.name} exists already and was not changed. Choose another name."
        ) from None
    except OSError as error:
        raise ConfigError(f"{path.name}: cannot be written: {error.strerror}.") from None


def output_file(database: Path) -> Path:
    """Return the file beside a database that takes what runs in the background print."""
    return database.with_name(database.name + ".out")


def begin_run(file: Path, database: Path, tournament: str) -> str:
    """Begin to play a file in the background, and return the process that does.

    It goes on when the dashboard ends. What it prints is appended to a file beside the database.

    Args:
        tournament: its name; this returns when others can see it, or after half a minute.

    Raises:
        ConfigError: somebody works on the database already, or the run ended at once.
    """
    store = Store(database)
    _BEGUN[:] = [run for run in _BEGUN if run.poll() is None]
    if store.runner():
        raise ConfigError(
            "A run works on this database already, so nothing was started. How far it is stands on "
            "the page Tournament; start this one when it has ended."
        )
    said = output_file(database)
    start = said.stat().st_size if said.exists() else 0
    with said.open("ab") as output:
        run = subprocess.Popen(
            [sys.executable, "-P", "-c", _ARENA, "run", str(file), "--yes", "--db", str(database)],
            cwd=file.parent,
            env=_own_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C that ends the dashboard does not reach it
        )
    _BEGUN.append(run)
    _wait_for_begin(run, store, tournament, said, start)
    return str(run.pid)


def _wait_for_begin(
    run: subprocess.Popen[bytes], store: Store, tournament: str, said: Path, start: int
) -> None:
    """Wait until others can see a run and its tournament, or it has ended without a complaint.

    A page that is loaded before its tournament is stored would show another one.
    """
    deadline = time.monotonic() + _BEGIN_SECONDS
    while time.monotonic() < deadline:
        if run.poll() is not None:
            if run.returncode == 0:
                return
            text = said.read_bytes()[start:].decode("utf-8", "replace").strip()
            raise ConfigError(f"the run ended at once:\n{text[-_MOST_SAID:]}")
        state = read_state(store.path)
        if state is not None and state.process == run.pid and _is_stored(store, tournament):
            return  # from now on its page says that it runs
        time.sleep(_LOOK_SECONDS)


def _is_stored(store: Store, tournament: str) -> bool:
    try:
        return find_tournament(store, tournament) is not None
    except StoreError:  # a new database may not have its tables yet
        return False


def _own_environment() -> dict[str, str]:
    """Return the environment without what only the dashboard needs."""
    own = (ACCESS, SECRETS, FOLDER, ONLY, TOURNAMENT)
    return {
        name: value
        for name, value in os.environ.items()
        if name not in own and not name.startswith("STREAMLIT_")
    }


def _is_tournament(path: Path) -> bool:
    """Return whether a file looks like a tournament's; what is wrong with it is said later."""
    try:
        content = parse_toml(decode_text(read_file(path)))
    except (OSError, ValueError):
        return False
    return isinstance(content.get("tournament"), dict) and "participants" in content

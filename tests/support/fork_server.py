"""The process that forks commands for `forked_commands`; reads and writes JSON lines."""

from __future__ import annotations

import importlib
import json
import os
import random
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb

from arena.cli import main
from arena.llm.litellm_client import load_litellm
from arena.llm.traffic import circuit_breaker, rate_limits
from arena.registered import read_all, registered

#: Where commands can kill themselves: the functions that come there.
PLACES: Mapping[str, str] = {
    "anywhere": "arena.tournament.run:Run.play",
    "a commit": "arena.store.database:Store.write",
    "judging": "arena.tournament.run:take_ballot",
    "a board": "arena.tournament.run:store_boards",
    "the last checkpoint": "arena.store.database:Store.checkpoint",
    "a report": "arena.report.overview.files:write_report_after_run",
}
#: Seconds between two stored boards, so that runs of seconds have some.
_BOARD_SECONDS = 0.3


def places() -> list[str]:
    """Return the places that this version has."""
    return [place for place, name in PLACES.items() if _resolve(name) is not None]


def _resolve(name: str) -> tuple[Any, str] | None:
    module, _, path = name.partition(":")
    *holders, attribute = path.split(".")
    try:
        holder: Any = importlib.import_module(module)
        for part in holders:
            holder = getattr(holder, part)
        getattr(holder, attribute)
    except (ImportError, AttributeError):
        return None
    return holder, attribute


def _serve() -> None:
    for point in registered("arena.commands").values():
        with suppress(ImportError):
            point.load()
    load_litellm()
    for line in sys.stdin:
        message = json.loads(line)
        answer = _poll(message["poll"]) if "poll" in message else _fork(message)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    os._exit(0)  # tidying up all that is imported takes seconds, too


def _poll(process: int) -> int | None:
    ended, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _fork(command: dict[str, Any]) -> int:
    process = os.fork()
    if not process:
        code = 70
        try:
            code = _run(command)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return process


def _run(command: dict[str, Any]) -> int:
    """Run a command in this process, and return its exit code."""
    output = os.open(command["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    empty = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((empty, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    random.seed()
    if command["env"]:
        os.environ.clear()
        os.environ.update(command["env"])
    os.chdir(command["folder"])
    if further := [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]:
        sys.path[1:1] = further
        read_all.cache_clear()  # packages there register, too
    if command["largest_file"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (command["largest_file"],) * 2)
    if command["words"][0] == "hold":
        return _hold(Path(command["words"][1]), float(command["words"][2]))
    sys.argv = ["arena", *command["words"]]
    with ExitStack() as stack:
        _hasten(stack, command["faster"])
        if command["kill"]:
            _arm(stack, **command["kill"])
        try:
            main()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException:  # noqa: BLE001 - as the interpreter would
            traceback.print_exc()
            return 1
    return 0


def _hold(file: Path, seconds: float) -> int:
    """Hold a database open for reading, as a forgotten notebook does."""
    while True:
        try:
            with duckdb.connect(str(file), read_only=True):
                time.sleep(seconds)
                return 0
        except duckdb.Error:
            time.sleep(0.001)


def _hasten(stack: ExitStack, factor: float) -> None:
    """Make the pauses of a command shorter."""
    for module, name in ((circuit_breaker, "TRY_SECONDS"), (rate_limits, "REFUSAL_SECONDS")):
        shorter = tuple(seconds / factor for seconds in getattr(module, name))
        stack.enter_context(patch.object(module, name, shorter))
    shorter_patience = rate_limits.PATIENCE / factor
    stack.enter_context(patch.object(rate_limits, "PATIENCE", shorter_patience))
    stack.enter_context(patch("arena.llm.calls._PAUSE", (0.5 / factor, 30.0 / factor)))
    if factor > 1.0:
        stack.enter_context(patch("arena.tournament.run.BOARD_SECONDS", _BOARD_SECONDS))


def _arm(stack: ExitStack, *, place: str, number: int, seconds: float) -> None:
    """Let this process kill itself some seconds after it has come to a place for the n-th time."""
    target = _resolve(PLACES[place])
    assert target is not None, f"nothing here is called {PLACES[place]}"
    holder, attribute = target
    original: Callable[..., Any] = getattr(holder, attribute)
    visits = 0

    def visit(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the original
        nonlocal visits
        visits += 1
        if visits == number:
            timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL))
            timer.daemon = True
            timer.start()
        return original(*args, **kwargs)

    stack.enter_context(patch.object(holder, attribute, visit))


if __name__ == "__main__":
    _serve()

"""The connection to a Ray cluster; Ray is imported here alone, and late, for its cost."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from textwrap import shorten
from types import ModuleType
from typing import Final, TypeVar
from urllib.parse import urlsplit

from arena.errors import ConfigError
from arena.execution import equipment
from arena.llm.keys import REDIRECTS, hide_redirects

_Result = TypeVar("_Result")

#: Seconds within which a port must answer.
_REACHING: Final = 5.0
#: Characters of what Ray says that a message shows.
_SHOWN: Final = 300


async def connect(address: str) -> ModuleType:
    """Connect to a cluster, and return the module `ray`.

    Args:
        address: `HOST:PORT` of its Ray Client; '' for the cluster that this machine belongs to, or
            else for a Ray that is started on this machine alone and ends with this process.

    Raises:
        ConfigError: Ray is not installed, nobody answers, or not as a Ray of this version.
    """
    where: str | None = None
    if address:
        try:
            await _reach(address)
        except OSError as error:
            raise ConfigError(
                f"No Ray cluster answers at {address}: {error}. Ray Client listens at port 10001 "
                "of the machine where `ray start --head` was called, unless a firewall is between."
            ) from error
        where = f"ray://{address}"
    elif not await _is_node():
        _protect()
        where = "local"

    def begin() -> ModuleType:
        ray = _load_ray()
        os.environ.update(REDIRECTS)  # hidden from LiteLLM here, for workers to find
        ray.init(
            where, include_dashboard=False, log_to_driver=False, logging_level=logging.CRITICAL
        )
        hide_redirects()
        return ray

    try:
        # In the main thread, Ray would take over what SIGTERM does here.
        return await in_thread(begin, stays=True)
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(
            f"There is no connection to the Ray cluster: {format_cause(error)}. It must have the "
            "versions of Ray and Python of this machine. If it asks for a token, set "
            "RAY_AUTH_MODE=token here and put the token into ~/.ray/auth_token."
        ) from error


async def in_thread(function: Callable[[], _Result], *, stays: bool = False) -> _Result:
    """Call a function that may never return in a thread that the end of the process does not await.

    What it raises is raised.

    Args:
        stays: whether the thread goes on doing nothing, for processes that would end with it.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Result] = loop.create_future()

    def settle(result: _Result | None, error: BaseException | None) -> None:
        if error is not None and not future.done():
            future.set_exception(error)
        elif not future.done():
            future.set_result(result)  # type: ignore[arg-type] # the function's own

    def work() -> None:
        outcome: tuple[_Result | None, BaseException | None]
        try:
            outcome = function(), None
        except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
            outcome = None, error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, *outcome)
        if stays:
            threading.Event().wait()

    threading.Thread(target=work, daemon=True).start()
    return await future


def format_cause(error: BaseException) -> str:
    """Format why something of Ray's has failed, in one line."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, BaseException):  # raised by a worker's code
        error = cause
    kind = type(error).__name__
    if isinstance(error, TimeoutError):
        return "nothing was heard in time"
    if kind == "ActorUnavailableError":
        return "it cannot be reached any more"
    # Ray's first line says what it was doing; identifiers stand behind tabs, and then the reason.
    lines = [line for line in str(error).splitlines() if line and not line.startswith("\t")]
    if kind == "ActorDiedError":
        reason = " ".join(lines[1:] or lines).partition(". ")[0]
        return reason.removeprefix("The actor is dead because ")
    text = " ".join(lines).partition(" traceback: ")[0]
    return f"{kind}: {shorten(text, _SHOWN, placeholder=' …').rstrip('.')}"


async def _reach(address: str) -> None:
    """Check that somebody listens at an address: Ray itself would wait for half a minute.

    Raises:
        OSError: nobody does.
    """
    parts = urlsplit(f"//{address}")
    try:
        async with asyncio.timeout(_REACHING):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except TimeoutError:
        raise OSError(f"no answer within {_REACHING:g} s") from None
    writer.close()


async def _is_node() -> bool:
    """Tell whether this machine belongs to a cluster: to a named one, or by `ray start`."""
    if named := os.environ.get("RAY_ADDRESS", ""):
        return named != "local"
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    try:
        await _reach(Path(folder, "ray", "ray_current_cluster").read_text().strip())
    except OSError:  # it has been stopped, or has crashed
        return False
    return True


def _protect() -> None:
    """Have the Ray that this process starts ask for a token: the user's, or a new one."""
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    stored = Path("~/.ray/auth_token").expanduser().exists()
    if not stored and not {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & os.environ.keys():
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)


def _load_ray() -> ModuleType:
    """Import Ray; what it finds in the environment then decides on authentication.

    Raises:
        ConfigError: it is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Under `uv run`, Ray would send this folder to the cluster, with whatever lies in it.
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    # Ray would end this process when the cluster's head has been away for a minute.
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "86400")
    try:
        import ray  # noqa: PLC0415 - see above
    except ImportError as missing:
        raise ConfigError(
            "the executor ray needs the package Ray. Install it with:\n"
            "  pip install 'debate-arena[ray]'"
        ) from missing
    # It would print to standard output what becomes of workers; the run says that itself.
    setattr(ray._private.worker, "print_to_stdstream", lambda *_, **__: None)  # noqa: B010
    # So that a machine which lacks this program can say so.
    ray.cloudpickle.register_pickle_by_value(equipment)
    module: ModuleType = ray
    return module

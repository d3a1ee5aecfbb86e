"""Machines of a Ray cluster, each in processes of its own on this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2]
#: The token of all clusters of the tests.
TOKEN: Final = "a-token-of-the-tests"
#: Seconds that a machine may take to start.
_STARTING: Final = 60.0


def ray_environment(folder: Path) -> dict[str, str]:
    """Return what is set for all processes of a cluster that works in a folder."""
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": TOKEN,
        "RAY_TMPDIR": str(folder),
        "PYTHONPATH": str(_ROOT),
        "RAY_USAGE_STATS_ENABLED": "0",
    }


@contextmanager
def ray_head(*options: str, folder: Path, client_port: int) -> Iterator[str]:
    """Start the first machine of a cluster; yield the address at which further ones join it.

    Args:
        folder: of its processes; with a short name, since those of sockets have 107 characters.
        client_port: where Ray Client listens.
    """
    file = folder / "ray" / "ray_current_cluster"
    with ray_node(
        *("--head", "--port=0", "--include-dashboard=false", *options),
        f"--ray-client-server-port={client_port}",
        environment={"RAY_TMPDIR": str(folder)},
    ):
        until = time.monotonic() + _STARTING
        while not (file.exists() and _listens(client_port)):
            assert time.monotonic() < until, "the head has not started"
            time.sleep(0.1)
        yield file.read_text().strip()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def ray_node(
    *options: str, environment: Mapping[str, str] | None = None, before: Sequence[str] = ()
) -> Iterator[subprocess.Popen[str]]:
    """Start a machine by `ray start`, and stop it at the end.

    Args:
        environment: replaces variables of this process; an empty value removes one.
        before: words before the command, such as those of `ip netns exec`.
    """
    merged = {**os.environ, **(environment or {})}
    command = [
        *(*before, sys.executable, "-m", "ray.scripts.scripts", "start", *options),
        *("--disable-usage-stats", "--block"),
    ]
    node = subprocess.Popen(
        command,
        env={name: value for name, value in merged.items() if value},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        _wait_for_start(node)
        yield node
    finally:
        node.send_signal(signal.SIGTERM)
        try:
            node.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()
        if node.stdout is not None:
            node.stdout.close()


def _wait_for_start(node: subprocess.Popen[str]) -> None:
    until = time.monotonic() + _STARTING
    lines: list[str] = []
    assert node.stdout is not None
    for line in node.stdout:
        lines.append(line)
        if "Ray runtime started." in line:
            return
        if time.monotonic() > until:
            break
    raise RuntimeError("".join(lines))

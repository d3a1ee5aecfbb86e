"""A tournament on two hosts, which are network namespaces, whose link is cut in the middle."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.console_script import arena, contents
from tests.support.ray_nodes import ray_node

pytestmark = [
    pytest.mark.deep,
    pytest.mark.ray,
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("ip") is None, reason="it takes root and iproute2"
    ),
]

_HOSTS: Final = {"arena-head": "10.231.7.1", "arena-node": "10.231.7.2"}
#: Seconds for which the link is cut.
_CUT: Final = float(os.environ.get("ARENA_CUT_SECONDS", "30"))


@contextmanager
def _two_hosts() -> Iterator[None]:
    """Two namespaces, each with one end of a link that has its name."""
    first, second = _HOSTS
    try:
        for host in _HOSTS:
            _ip("netns", "add", host)
            _ip("-n", host, "link", "set", "lo", "up")
        _ip("-n", first, "link", "add", first, "type", "veth", "peer", second, "netns", second)
        for host, address in _HOSTS.items():
            _ip("-n", host, "address", "add", f"{address}/24", "dev", host)
            _ip("-n", host, "link", "set", host, "up")
        yield
    finally:
        for host in _HOSTS:
            subprocess.run(["ip", "netns", "delete", host], check=False)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _in(host: str) -> tuple[str, ...]:
    return "ip", "netns", "exec", host


@pytest.mark.timeout(900)
def test_a_link_that_is_cut_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    here, there = tmp_path / "here.duckdb", tmp_path / "there.duckdb"
    code, printed = arena("run", "--yes", "--no-report", "--db", here)
    assert code == 0, printed
    first, second = _HOSTS
    with (
        _two_hosts(),
        tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder,
        ray_node(
            *("--head", "--port=6379", "--num-cpus=1", "--include-dashboard=false"),
            f"--node-ip-address={_HOSTS[first]}",
            environment={"RAY_TMPDIR": f"{folder}/1"},
            before=_in(first),
        ),
        ray_node(
            *(f"--address={_HOSTS[first]}:6379", "--num-cpus=1"),
            f"--node-ip-address={_HOSTS[second]}",
            environment={"RAY_TMPDIR": f"{folder}/2"},
            before=_in(second),
        ),
    ):
        run = subprocess.Popen(
            [
                *(*_in(first), sys.executable, "-m", "arena.cli", "run", "--yes", "--no-report"),
                *("--executor", "ray", "--db", str(there)),
            ],
            env={**os.environ, "RAY_TMPDIR": f"{folder}/1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        journal = there.with_name("there.duckdb.journal")
        until = time.monotonic() + 120
        while not (journal.exists() and any(journal.iterdir())):
            assert time.monotonic() < until and run.poll() is None, run.communicate()
            time.sleep(0.5)
        time.sleep(10)
        assert run.poll() is None
        _ip("-n", second, "link", "set", second, "down")
        time.sleep(_CUT)
        _ip("-n", second, "link", "set", second, "up")
        printed, _ = run.communicate(timeout=600)
    print(printed)
    assert run.returncode == 0, printed
    assert contents(there) == contents(here)
    code, printed = arena("verify", "--db", there)
    assert code == 0 and "Everything is consistent" in printed

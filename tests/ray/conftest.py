"""A real Ray on this machine that asks for a token; without its package, tests are skipped."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.ray_nodes import ray_environment, ray_head


@pytest.fixture(scope="session", autouse=True)
def ray_folder() -> Iterator[Path]:
    """The folder of all Ray processes; the names of sockets in it may have 107 characters."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: make .venv/ray")
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as name:
        before = dict(os.environ)
        os.environ.update(ray_environment(Path(name)))
        yield Path(name)
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(scope="session")
def head(ray_folder: Path) -> Iterator[str]:
    """A cluster of one machine with one processor; the address at which further ones join it."""
    with ray_head("--num-cpus=1", folder=ray_folder, client_port=21001) as address:
        yield address

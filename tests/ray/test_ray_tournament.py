"""A tournament on a real Ray: a worker killed in the middle, and a machine that joins late."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.support.console_script import arena, ask, contents, start
from tests.support.ray_nodes import ray_node
from tests.support.tournaments import SMALL

pytestmark = pytest.mark.ray

_LARGER = SMALL.replace("matchups_per_pair = 1", "matchups_per_pair = 6").replace(
    'debater = "direct"', 'debater = "agent4debate"'
)


def _workers(folder: Path) -> set[int]:
    """Find the processes of workers that belong to clusters of a folder."""
    workers = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_text()
            if words.startswith("ray::RayActor") and str(folder) in (process / "environ").read_text(
                errors="replace"
            ):
                workers.add(int(process.name))
        except OSError:
            continue
    return workers


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="/proc lists the processes")
def test_workers_that_die_and_join_change_nothing(
    ray_folder: Path, head: str, tmp_path: Path
) -> None:
    file = tmp_path / "larger.toml"
    file.write_text(_LARGER)
    here, there = tmp_path / "here.duckdb", tmp_path / "there.duckdb"
    code, printed = arena("run", file, "--yes", "--no-report", "--db", here)
    assert code == 0, printed
    words = ("--yes", "--no-report", "--executor", "ray", "--db", there)
    journal = there.with_name("there.duckdb.journal")
    with (
        start("run", file, *words) as running,
        ray_node(f"--address={head}", "--num-cpus=1"),
    ):
        # The second machine joins while the first one's worker is at work.
        while len(workers := _workers(ray_folder)) < 2 or not any(journal.glob("*")):
            assert running.code is None, running.printed
            time.sleep(0.1)
        os.kill(min(workers), signal.SIGKILL)
        assert running.wait() == 0, running.printed
        assert running.printed.count("is gone (its worker process has died)") == 1
    assert contents(there) == contents(here)
    calls = "SELECT unit, path, attempt, input_tokens, output_tokens FROM calls ORDER BY ALL"
    assert ask(there, calls) == ask(here, calls)
    code, printed = arena("verify", "--db", there)
    assert code == 0 and "Everything is consistent" in printed
    assert not _workers(ray_folder)

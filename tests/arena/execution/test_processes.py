"""`--executor processes:N`: real processes, killed in the middle, and mistakes in their names."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import registered
from arena.config.sections import ExecutorName, read_executor
from arena.errors import ConfigError
from arena.execution.open_executor import open_executor
from arena.llm.budget import Budget
from arena.llm.journal import Journal
from arena.tournament.models import Models
from arena.tournament.run_record import read_state
from tests.support.console_script import arena, ask, contents, start
from tests.support.own_client import OwnClient
from tests.support.tournaments import SMALL, content, resolved_of

_LARGER = SMALL.replace("matchups_per_pair = 1", "matchups_per_pair = 6").replace(
    'debater = "direct"', 'debater = "agent4debate"'
)

_WORKER_LINE = re.compile(r"process \d: \d+ debates? (or ballot|and ballots), .* calls/s")


def _workers_of(db: Path) -> Iterator[int]:
    """The workers of the run on a database; others may run on this machine."""
    state = read_state(db)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            words = (folder / "cmdline").read_text()
        except OSError:
            continue
        if state and parent == state.process and "arena.execution.processes" in words:
            yield int(folder.name)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="/proc lists the processes")
def test_killed_processes_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "larger.toml"
    file.write_text(_LARGER)
    here, there = tmp_path / "here.duckdb", tmp_path / "there.duckdb"
    code, printed = arena("run", file, "--yes", "--no-report", "--db", here)
    assert code == 0, printed
    words = ("--yes", "--no-report", "--executor", "processes:2", "--db", there)
    killed, has_told = 0, False
    with start("run", file, *words) as running:
        while running.code is None and killed < 2:
            time.sleep(0.5)
            if killed == 1 and not has_told:
                has_told = bool(_WORKER_LINE.search(arena("status", "--db", there)[1]))
                continue
            own = sorted(_workers_of(there))
            done = there.exists() and there.with_name("there.duckdb.journal").exists()
            if own and done:
                os.kill(own[0], signal.SIGKILL)
                killed += 1
        assert running.wait() == 0, running.printed
        assert running.printed.count("it was ended by signal 9") == killed
    assert killed == 2 and has_told
    assert contents(there) == contents(here)
    calls = "SELECT unit, path, attempt, input_tokens, output_tokens FROM calls ORDER BY ALL"
    assert ask(there, calls) == ask(here, calls)
    code, printed = arena("verify", "--db", there)
    assert code == 0 and "Everything is consistent" in printed
    assert not list(_workers_of(there))


@pytest.mark.parametrize(
    "text", ["processes:0", "processes:", "proc", "local:2", "processes:-1", "processes:1e3", ""]
)
def test_a_name_that_is_none_is_refused_with_those_that_are(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape("is no executor; accepted: local")):
        read_executor(text)


def test_a_wrong_name_in_the_file_or_the_option_ends_the_command(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(SMALL + '\n[run]\nexecutor = "processes:0"\n')
    code, printed = arena("run", file, "--yes", "--db", tmp_path / "x.duckdb")
    assert code == 2 and "run.executor" in printed and "with N at least 1" in printed
    file.write_text(SMALL)
    words = ("--yes", "--executor", "threads", "--db", tmp_path / "x.duckdb")
    code, printed = arena("run", file, *words)
    assert code == 2 and "'threads' is no executor" in printed
    assert not (tmp_path / "x.duckdb").exists()


def test_a_debater_that_workers_cannot_load_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Local(OwnClient):
        """A debater that is known here alone."""

    own = registered.GivenClass(Local)
    monkeypatch.setitem(registered._GIVEN["arena.debaters"], "here-alone", own)
    config = content()
    config["participants"][0]["debater"] = "here-alone"
    resolved = resolved_of(config)
    models = Models(resolved.config, resolved.motions, budget=Budget())
    with pytest.raises(ConfigError, match="debater 'here-alone' is known to this process alone"):
        open_executor(
            ExecutorName(kind="processes", workers=2),
            resolved,
            models,
            Journal(tmp_path),
            units=4,
            note=print,
        )

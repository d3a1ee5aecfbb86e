"""`arena` as its console script runs it: in this process, and (slow) installed, in its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypeAlias

import pytest

from arena.cli import main
from tests.support.command_line import arena
from tests.support.tournaments import SMALL

ARENA = Path(sys.executable).with_name("arena")
#: Exit code, output and errors of a call with some arguments, whose stdin is a descriptor.
Call: TypeAlias = Callable[[int, list[str]], tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that a call is made in."""
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)
    return tmp_path


@pytest.fixture(params=["here", pytest.param("process", marks=pytest.mark.slow)])
def call(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Call:
    """Calls the entry point in this process, or the installed script in another one."""

    def here(stdin: int, arguments: list[str]) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["arena", *arguments])
        with open(stdin, encoding="utf-8", closefd=False) as file, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", file)
            with pytest.raises(SystemExit) as ended:
                main()
        code = ended.value.code
        assert code is None or isinstance(code, int), code
        return code or 0, *capfd.readouterr()

    return installed if request.param == "process" else here


def installed(stdin: int, arguments: list[str]) -> tuple[int, str, str]:
    ended = subprocess.run(
        [ARENA, *arguments],
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.slow
def test_a_tournament_is_played_in_the_folder_that_one_is_in_after_a_yes(
    folder: Path, call: Call
) -> None:
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"y\n")
        code, printed, errors = call(theirs, ["run", "small.toml"])
    finally:
        os.close(ours)
        os.close(theirs)
    assert (code, errors) == (0, "")
    assert "Start? [Y/n]" in printed
    assert "Next: arena debates -t small   arena show ID" in printed
    assert "6 debates rated." in printed
    assert not list((folder / "results.duckdb.journal").iterdir())


def test_somebody_who_says_no_plays_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "arena.console.paid.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    )
    result = arena("run", folder / "small.toml", "--db", folder / "results.duckdb", input="n\n")
    assert result.exit_code == 1
    assert "Start? [Y/n]" in result.output
    assert not (folder / "results.duckdb").exists()


def test_bad_input_is_one_line_without_a_traceback(folder: Path, call: Call) -> None:
    with open(os.devnull, encoding="utf-8") as nothing:
        code, printed, errors = call(nothing.fileno(), ["run", "smal.toml", "--yes"])
    assert (code, printed) == (2, "")
    assert errors == "Error: smal.toml: cannot be read: No such file or directory.\n"
    assert [file.name for file in folder.iterdir()] == ["small.toml"]

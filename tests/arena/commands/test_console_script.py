"""The installed `arena`, as a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.command_line import arena
from tests.handmade import SMALL

ARENA = Path(sys.executable).with_name("arena")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def called(folder: Path, *arguments: str, stdin: int = subprocess.DEVNULL) -> tuple[int, str, str]:
    """Exit code, output and errors of a call in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
    ended = subprocess.run(
        [ARENA, *arguments],
        cwd=folder,
        env=environment,
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_a_tournament_is_played_in_the_folder_that_one_is_in_after_a_yes(folder: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"y\n")
        code, printed, errors = called(folder, "run", "small.toml", stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (code, errors) == (0, "")
    assert "Start? [Y/n]" in printed
    assert "Next: arena debates   arena show ID" in printed
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


def test_bad_input_is_one_line_without_a_traceback(folder: Path) -> None:
    code, printed, errors = called(folder, "run", "smal.toml", "--yes")
    assert (code, printed) == (2, "")
    assert errors == "Error: smal.toml: cannot be read: No such file or directory.\n"
    assert [one.name for one in folder.iterdir()] == ["small.toml"]

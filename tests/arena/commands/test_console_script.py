"""The installed `arena`, as a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_a_tournament_is_played_in_the_folder_that_one_is_in(folder: Path) -> None:
    code, said, wrong = called(folder, "run", "small.toml", "--yes")
    assert (code, wrong) == (0, "")
    assert "Next: arena debates   arena show ID" in said
    assert "6 debates rated." in said
    assert not list((folder / "results.duckdb.journal").iterdir())


def test_somebody_who_says_no_plays_nothing(folder: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"n\n")
        code, said, _ = called(folder, "run", "small.toml", stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert code == 1
    assert "Start? [Y/n]" in said
    assert not (folder / "results.duckdb").exists()


def test_bad_input_is_one_line_without_a_traceback(folder: Path) -> None:
    code, said, wrong = called(folder, "run", "smal.toml", "--yes")
    assert (code, said) == (2, "")
    assert wrong == "Error: smal.toml: cannot be read: No such file or directory.\n"
    assert [one.name for one in folder.iterdir()] == ["small.toml"]

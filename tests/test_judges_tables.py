"""The simulated tables on the page of the judges: the commands beside them print them so."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.console_script import ARENA, environment

_PAGE = (Path(__file__).parents[1] / "docs" / "judges.md").read_text("utf-8")
#: What marks the commands that are run: the databases that they work on.
_DATABASES = ("pairs.duckdb", "advocates.duckdb", "probed.duckdb")
#: Of an output that the page shows in part: the beginnings of the tables that it shows.
_SHOWN = ("Rounds until a gap", "Aggregation of advocates", "Scoring against ranking")


def commands() -> Iterator[list[str]]:
    """The page's commands on these, in order, without the program's name."""
    page = _PAGE.replace(" \\\n", " ")
    for line in page.splitlines():
        if line.startswith("    arena ") and any(one in line for one in _DATABASES):
            yield shlex.split(line, comments=True)[1:]


def test_the_page_says_how_its_tables_come_about() -> None:
    said = [" ".join(words[:2]) for words in commands()]
    assert said == [*["judges evaluate"] * 2, "run --yes", *["rejudge --judge"] * 4, "judges probe"]
    assert "The offline judges pay no attention to the hidden instruction" in _PAGE


@pytest.mark.deep
def test_the_tables_are_what_the_commands_print(tmp_path: Path) -> None:
    compared = 0
    for words in commands():
        done = subprocess.run(
            [ARENA, *words],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"
        if "advocates" in words:
            parts = done.stdout.split("\n\n**")
            shown = [part.strip() for part in parts if part.startswith(_SHOWN)]
            assert len(shown) == len(_SHOWN)
            assert all(part in _PAGE for part in shown), done.stdout
            compared += 1
        elif words[0] == "judges" and words[1] in ("probe", "evaluate"):
            assert done.stdout.strip() in _PAGE, f"{words} prints:\n{done.stdout}"
            compared += 1
    assert compared == 3

"""The simulated tables of the judges: the commands above them print them so."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.column_tables import blocks, in_columns
from tests.support.console_script import ARENA, environment

_PAGE = (Path(__file__).parents[1] / "docs/measurements/judges.md").read_text("utf-8")
#: What marks the commands that are run: the databases that they work on.
_DATABASES = ("pairs.duckdb", "advocates.duckdb", "probed.duckdb")


def commands() -> Iterator[tuple[list[str], list[str]]]:
    """Give the page's commands on these, without the program's name, each with its tables."""
    starts = [
        match
        for match in re.finditer(r"^    arena (.*)$", _PAGE, re.MULTILINE)
        if any(name in match[1] for name in _DATABASES)
    ]
    ends = [*(match.start() for match in starts[1:]), _PAGE.index("\n## The essay contest")]
    for match, end in zip(starts, ends, strict=True):
        yield shlex.split(match[1], comments=True), blocks(_PAGE[match.end() : end])


def test_the_page_says_how_its_tables_come_about() -> None:
    listed = [(" ".join(words[:2]), len(tables)) for words, tables in commands()]
    played = [("run --yes", 0), *[("rejudge --judge", 0)] * 4]
    evaluated = [("judges evaluate", 13), ("judges evaluate", 3)]
    assert listed == [*evaluated, *played, ("judges probe", 5)]
    assert "The offline judges pay no attention to the hidden instruction" in _PAGE


@pytest.mark.deep
def test_the_tables_are_what_the_commands_print(tmp_path: Path) -> None:
    for words, tables in commands():
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
        printed = blocks(in_columns(done.stdout))
        assert [table for table in tables if table not in printed] == [], done.stdout

"""The page of the default tournament judged again is what its commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.column_tables import blocks, in_columns
from tests.support.console_script import arena

_PAGE = (Path(__file__).parents[2] / "docs/measurements/judged-again.md").read_text("utf-8")


def commands() -> list[list[str]]:
    """The page's commands as words, without `arena`."""
    block = _PAGE.partition("\n\n    arena run")[2].partition("\n\n")[0]
    lines = re.sub(r"\\\n\s*", "", f"    arena run{block}").splitlines()
    return [shlex.split(line)[1:] for line in lines]


def steady(table: str) -> str:
    """Return a table without its last column if clocks decide it: the seconds of ballots."""
    lines = table.splitlines(keepends=True)
    cut = r"\s+\S+$" if lines[0].endswith("  seconds\n") else r"$"
    return "".join(re.sub(cut, "", line) for line in lines)


def test_the_page_judges_with_the_judges_of_the_papers() -> None:
    played, *judged, last = commands()
    assert played[0] == "run" and last[0] == "judges"
    assert [words[words.index("--judge") + 1] for words in judged] == [
        "single", "more", "samre", "jury",
    ]  # fmt: skip
    assert "**Simulated models**" in _PAGE


@pytest.mark.deep
def test_the_page_is_what_its_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = []
    for words in commands():
        code, said = arena(*words)
        assert code == 0, said
        printed.append(said)
    ratings, *tables = blocks(_PAGE)
    assert ratings in f"{printed[-2]}\n"
    correlations = re.findall(r"Rank .* and (\w+): Kendall (\S+), Spearman (\S+)", printed[-2])
    assert len(correlations) == 10
    assert all(f"{name} {tau}/{rho}" in _PAGE for name, tau, rho in correlations)
    report = in_columns(printed[-1])
    assert len(tables) >= 8
    assert set(tables) <= {steady(table) for table in blocks(report)}
    sentences = [line for line in _PAGE.splitlines() if line.startswith(("All 5", "Without "))]
    assert len(sentences) == 6
    assert [line for line in sentences if line not in report] == []

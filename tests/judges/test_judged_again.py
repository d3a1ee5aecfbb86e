"""The page of the default tournament judged again is what its commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.console_script import arena

_PAGE = (Path(__file__).parents[2] / "docs" / "judged-again.md").read_text("utf-8")


def commands() -> list[list[str]]:
    """The page's commands as words, without `arena`."""
    block = _PAGE.partition("\n\n    arena run")[2].partition("\n\n")[0]
    lines = re.sub(r"\\\n\s*", "", f"    arena run{block}").splitlines()
    return [shlex.split(line)[1:] for line in lines]


def shown(heading: str) -> str:
    """What stands below a heading of the page."""
    return _PAGE.partition(f"## {heading}\n\n")[2].partition("\n## ")[0]


def steady(text: str) -> str:
    """A page without the one column that clocks decide: the seconds of ballots."""
    whole, end, rest = text.partition("\n\nCalls, tokens")
    return re.sub(r"\| [\d.]+ \|$", "|", whole, flags=re.MULTILINE) + end + rest


def test_the_page_judges_with_the_judges_of_the_papers() -> None:
    played, *judged, last = commands()
    assert played[0] == "run" and last[0] == "judges"
    assert [words[words.index("--judge") + 1] for words in judged] == [
        "single", "more", "samre", "jury",
    ]  # fmt: skip
    assert "**Simulated models**" in _PAGE and "simulated models\n" in shown(
        "The report of `arena judges`"
    )


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
    boards = printed[-2].partition("Elo by bench")
    lines = [f"    {line}".rstrip() for line in "".join(boards[1:]).rstrip().splitlines()]
    below = shown("The ratings of all benches").partition("\n\n")[2].rstrip()
    assert "\n".join(lines) == below
    assert steady(printed[-1]) == steady(shown("The report of `arena judges`"))

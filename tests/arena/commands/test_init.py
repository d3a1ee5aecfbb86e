"""`arena init`: a file to start from, and never one written over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.config.load import parse_file, shipped_configs
from arena.config.resolve import resolve
from tests.support.command_line import done, refused


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_writes_the_starter(folder: Path) -> None:
    printed = done("init")
    assert "Wrote tournament.toml." in printed
    assert "arena check tournament.toml" in printed and "arena run tournament.toml" in printed
    assert (folder / "tournament.toml").read_text("utf-8") == shipped_configs()["starter"]


@pytest.mark.parametrize("name", sorted(shipped_configs()))
def test_it_writes_any_example_under_any_name(folder: Path, name: str) -> None:
    done("init", "mine.toml", "--from", name)
    assert (folder / "mine.toml").read_text("utf-8") == shipped_configs()[name]


def test_a_file_that_exists_is_left_as_it_is(folder: Path) -> None:
    (folder / "mine.toml").write_text("mine", encoding="utf-8")
    assert refused("init", "mine.toml") == (
        "mine.toml: already exists and was not changed. Choose another file name."
    )
    assert (folder / "mine.toml").read_text("utf-8") == "mine"


def test_an_unknown_example_is_refused_with_the_known_ones(folder: Path) -> None:
    message = refused("init", "mine.toml", "--from", "chess")
    assert message == f"no example 'chess'. Examples: {', '.join(sorted(shipped_configs()))}."
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_not_there_is_told(folder: Path) -> None:
    message = refused("init", "there/mine.toml")
    assert message == "there/mine.toml: cannot be written: No such file or directory."


def test_the_starter_lacks_nothing_but_keys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("init")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    printed = refused("check", "tournament.toml")
    assert "OPENAI_API_KEY" in printed and "ANTHROPIC_API_KEY" in printed, "all that is missing"
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "sk-of-a-test")
    printed = done("check", "tournament.toml")
    assert printed.startswith("tournament.toml: 3 participants, 1 bench, ")
    assert "openai/gpt-4o-mini: 0.15 USD in, 0.6 USD out per million tokens" in printed
    assert "sk-of-a-test" not in printed


def test_the_starter_has_the_schedule_of_the_quick_start() -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", readme, flags=re.DOTALL)
    quick, starter = (parse_file(text, where="x") for text in (shown, shipped_configs()["starter"]))
    assert (quick.target, quick.schedule.kind) == (starter.target, starter.schedule.kind)
    assert quick.limits.usd == starter.limits.usd


_TARGET = '[target]\nobjective = "ranking" '


@pytest.mark.parametrize(
    ("lines", "has_target"),
    [
        (("usd_per_day", "tokens =", "tokens_per_day", "window", "usd =", "sampling"), True),
        (('kind = "adaptive"', "matchups = 100              # at most", "wave"), True),
        (('objective = "top-k"', "first = 2"), True),
        (('kind = "round_robin"', "matchups_per_pair", "knockout = 4"), False),
        (('kind = "swiss"', "rounds"), False),
        (('kind = "adaptive"', "matchups = 100\n", "wave"), False),
        (('kind = "knockout"',), False),
        (('kind = "gauntlet"', "newcomers"), False),
    ],
)
def test_what_the_starter_has_in_comments_is_valid(
    lines: tuple[str, ...], has_target: bool
) -> None:
    text = shipped_configs()["starter"].replace("knockout = 4", "knockout = 3")
    text = text.replace("first = 3", "first = 2")
    if not has_target:
        text = text.replace(_TARGET, "# [target]\n# ")
    elif lines[0].startswith("objective"):
        text = text.replace(_TARGET, "[target]\n# ")
    for line in (line.replace("knockout = 4", "knockout = 3") for line in lines):
        assert f"\n# {line}" in text
        text = text.replace(f"\n# {line}", f"\n{line}")
    resolve(parse_file(text, where="starter"), where="starter")

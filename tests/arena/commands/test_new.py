"""`arena new`: a written package passes its own test, and takes part once it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import done, refused
from tests.support.console_script import arena, ask, environment
from tests.support.tournaments import SMALL

CASES = [
    (("debater", "my_debater"), "arena.debaters"),
    (("debater", "my_agents", "--framework", "function"), "arena.debaters"),
    (("judge", "my_judge"), "arena.judges"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(("words", "group"), CASES, ids=[words[1] for words, _ in CASES])
def test_a_written_package_passes_its_own_test(
    folder: Path, words: tuple[str, ...], group: str
) -> None:
    printed = done("new", *words)
    name = words[1]
    assert printed.startswith(f"Wrote the {words[0]} {name} into {name}/.\n")
    described = (folder / name / "pyproject.toml").read_text("utf-8")
    assert f'[project.entry-points."{group}"]\n{name} = "{name}:' in described
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", name],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0 and "1 passed" in run.stdout, run.stdout + run.stderr


@pytest.mark.slow
def test_an_installed_package_takes_part(folder: Path) -> None:
    for words, _ in CASES:
        done("new", *words)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-deps", "--no-build-isolation", "--target", str(folder / "site")]
    subprocess.run([*pip, *(f"./{words[1]}" for words, _ in CASES)], check=True)
    text = SMALL.replace('"direct"', '"my_debater"', 1).replace('"direct"', '"my_agents"', 1)
    (folder / "small.toml").write_text(text.replace('"debatrix"', '"my_judge"'), encoding="utf-8")
    code, said = arena(
        "run", "small.toml", "--yes", "--db", "own.duckdb", env=environment(PYTHONPATH="site")
    )
    assert code == 0, said
    paths = ask(folder / "own.duckdb", "SELECT DISTINCT path FROM calls WHERE path LIKE '%/chat/%'")
    assert len(paths) == 12, "two calls in each of three stages, on both sides"
    ballots = ask(folder / "own.duckdb", "SELECT status, count(*) FROM ballots GROUP BY 1")
    assert ballots == [("valid", 6)]


@pytest.mark.parametrize("name", ["My", "1st", "a-b", "class", "json", "direct", "arena", "a/b"])
def test_a_name_that_no_package_can_have_is_refused(folder: Path, name: str) -> None:
    assert repr(name) in refused("new", "debater", name)
    assert list(folder.iterdir()) == []


def test_what_exists_is_left_as_it_is(folder: Path) -> None:
    (folder / "mine").mkdir()
    message = refused("new", "judge", "mine")
    assert message == "mine: already exists and was not changed. Choose another name."
    assert list((folder / "mine").iterdir()) == []


def test_a_judge_has_no_framework(folder: Path) -> None:
    message = refused("new", "judge", "mine", "--framework", "function")
    assert message == "--framework belongs to a debater: leave it out for a judge."

"""The wheel in a clean environment, away from the source tree, plays the offline example."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def _run(*words: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_package_is_in_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = project["tool"]["setuptools"]["packages"]
    there = [
        ".".join(file.parent.relative_to(ROOT).parts)
        for top in {name.partition(".")[0] for name in listed}
        for file in (ROOT / top).rglob("__init__.py")
    ]
    assert sorted(listed) == sorted(there)


@pytest.mark.slow
def test_the_wheel_plays_the_offline_example_in_a_clean_environment(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(
        ROOT,
        source,
        ignore=shutil.ignore_patterns(".venv", ".git", "*.egg-info", "__pycache__", "*.duckdb*"),
    )
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", tmp_path, cwd=source)
    (wheel,) = tmp_path.glob("debate_arena-*.whl")
    shutil.rmtree(source)
    clean = tmp_path / "clean"
    venv.create(clean, with_pip=True)
    # Compiling all that is installed would take longer than the tournament.
    quietly = ("install", "--quiet", "--no-compile")
    pip: list[str | Path] = [clean / "bin" / "python", "-m", "pip", *quietly]
    _run(*pip, "--require-hashes", "-r", ROOT / "constraints.txt", cwd=tmp_path)
    _run(*pip, "--no-deps", wheel, cwd=tmp_path)
    arena = clean / "bin" / "arena"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    printed = _run(arena, "run", "--yes", cwd=elsewhere)
    assert "112 debates rated" in printed
    assert "simulated models" in printed
    board = _run(arena, "leaderboard", "--format", "csv", cwd=elsewhere)
    assert board.startswith("rank,participant,rating,lower,upper")
    assert len(board.splitlines()) == 9

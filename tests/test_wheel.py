"""The wheel in an environment of its own, away from the source tree, plays the offline example."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from zipfile import ZipFile

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


def _packages() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return list(project["tool"]["setuptools"]["packages"])


def test_every_package_is_in_the_wheel() -> None:
    listed = _packages()
    there = [
        ".".join(file.parent.relative_to(ROOT).parts)
        for top in {name.partition(".")[0] for name in listed}
        for file in (ROOT / top).rglob("__init__.py")
    ]
    assert sorted(listed) == sorted(there)


def _build(folder: Path) -> Path:
    """Build the wheel from a copy of the source, which is gone then."""
    source = folder / "source"
    shutil.copytree(
        ROOT,
        source,
        ignore=shutil.ignore_patterns(
            ".*", "build", "tests", "*.egg-info", "__pycache__", "*.duckdb*"
        ),
    )
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", folder, cwd=source)
    (wheel,) = folder.glob("debate_arena-*.whl")
    tops = {name.partition(".")[0] for name in _packages()}
    files = {str(file.relative_to(source)) for top in tops for file in (source / top).rglob("*.*")}
    with ZipFile(wheel) as packed:
        assert files <= set(packed.namelist())
    shutil.rmtree(source)
    return wheel


@pytest.mark.slow
@pytest.mark.parametrize(
    "installed", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["borrowed", "installed"]
)
def test_the_wheel_plays_the_offline_example(tmp_path: Path, installed: bool) -> None:
    """Its dependencies are those of this environment, and one plays seven others once.

    By hand, they are installed as the constraints say, and everybody plays everybody.
    """
    clean, elsewhere = tmp_path / "clean", tmp_path / "elsewhere"
    elsewhere.mkdir()
    venv.create(clean)
    # Compiling all that is installed would take longer than the tournament.
    pip = [sys.executable, "-m", "pip", "--python", str(clean / "bin" / "python"), "install"]
    pip += ["--quiet", "--no-compile"]
    if installed:
        _run(*pip, "--require-hashes", "-r", ROOT / "constraints.txt", cwd=tmp_path)
    else:  # a path in such a file is searched last, and the .pth files that lie there are not read
        (own,) = clean.glob("lib/python*/site-packages")
        (own / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    _run(*pip, "--no-deps", _build(tmp_path), cwd=tmp_path)
    arena = clean / "bin" / "arena"
    where = "import arena, judges; print(arena.__file__, judges.__file__)"
    printed = _run(clean / "bin" / "python", "-c", where, cwd=elsewhere)
    assert printed.count(str(clean)) == 2, printed
    assert "112 debates" in _run(arena, "run", "--dry-run", cwd=elsewhere)
    if not installed:
        (example,) = clean.glob("lib/python*/site-packages/arena/examples/offline.toml")
        text = example.read_text("utf-8").replace("matchups_per_pair = 2", "matchups_per_pair = 1")
        newcomer = 'kind = "gauntlet"\nnewcomers = ["a4d-good"]'
        (elsewhere / "own.toml").write_text(text.replace('kind = "round_robin"', newcomer), "utf-8")
    file, debates = ("offline", 112) if installed else ("own.toml", 14)
    printed = _run(arena, "run", file, "--yes", cwd=elsewhere)
    assert f"{debates} debates rated" in printed
    assert "simulated models" in printed
    board = _run(arena, "leaderboard", "--format", "csv", cwd=elsewhere)
    assert board.startswith("rank,participant,rating,lower,upper")
    assert len(board.splitlines()) == 9

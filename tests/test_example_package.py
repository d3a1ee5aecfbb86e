"""The examples of strangers' packages: installed by pip, known by their entry points, played."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import refused
from tests.support.console_script import arena, ask, environment

#: The packages beside the notebook.
EXAMPLES = sorted(
    path.parent for path in Path(__file__).parents[1].glob("examples/*/pyproject.toml")
)
CONFIG = """
[tournament]
name = "stranger"
languages = ["en", "zh"]
categories = ["fact"]
[schedule]
matchups_per_pair = 2
[limits]
words = 120
[[participants]]
name = "weakest"
debater = "weakest_point"
model = "offline/good"
[[participants]]
name = "direct"
debater = "direct"
model = "offline/good"
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "offline/strong"
runs = 1
[[benches]]
name = "closing"
judge = "last_word"
model = "offline/strong"
runs = 1
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the packages are installed, beside the project."""
    folder = tmp_path_factory.mktemp("installed")
    sources = [str(shutil.copytree(one, folder / one.name)) for one in EXAMPLES]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-deps", "--no-build-isolation", "--target", str(folder / "site")]
    subprocess.run([*pip, *sources], check=True, cwd=folder)
    paths = [str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return environment(PYTHONPATH=os.pathsep.join(paths))


@pytest.mark.parametrize("example", EXAMPLES, ids=[one.name for one in EXAMPLES])
def test_an_example_is_short(example: Path) -> None:
    files = [one for one in example.rglob("*") if one.suffix in (".py", ".toml", ".md")]
    assert sum(len(one.read_text("utf-8").splitlines()) for one in files) < 70


@pytest.mark.slow
def test_an_installed_package_takes_part(tmp_path: Path, installed: dict[str, str]) -> None:
    file, db = tmp_path / "stranger.toml", tmp_path / "stranger.duckdb"
    file.write_text(CONFIG, encoding="utf-8")
    code, said = arena("run", file, "--yes", "--db", db, env=installed)
    assert code == 0, said
    assert ask(db, "SELECT status, count(*) FROM debates GROUP BY 1") == [("finished", 4)]
    asked = ask(db, "SELECT DISTINCT task FROM calls WHERE path LIKE '%/look'")
    assert asked == [("analyse.rebuttal",)]
    points = ask(
        db,
        "SELECT count(*) FROM speeches JOIN debates d USING (debate_id) "
        "JOIN participants p ON p.participant_id = if(side = 'pro', d.pro, d.con) "
        "WHERE p.name = 'weakest' AND json_extract_string(trace, '$[0].point') <> ''",
    )
    assert points == [(12,)]
    ballots = ask(db, "SELECT bench, status, count(*) FROM ballots GROUP BY ALL ORDER BY 1")
    assert ballots == [("closing", "valid", 4), ("debatrix", "valid", 4)]
    seen = ask(
        db,
        "SELECT DISTINCT dimension FROM ballots JOIN ballot_scores USING (ballot_id) "
        "WHERE bench = 'closing'",
    )
    assert seen == [("overall",)]


def test_without_the_package_its_name_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "stranger.toml"
    file.write_text(CONFIG, encoding="utf-8")
    message = refused("run", file, "--dry-run", "--db", tmp_path / "x.duckdb")
    assert "unknown debater 'weakest_point'" in message

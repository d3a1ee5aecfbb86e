"""The snippets of the page on Python and the notebook run, as they stand there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import done
from tests.support.tournaments import SMALL

_ROOT = Path(__file__).parents[1]
#: Writes a database again and again, until it is killed.
_WRITER = """
import sys
from pathlib import Path
from arena.store.database import Store
store = Store(Path(sys.argv[1]))
while True:
    store.write(lambda c: c.execute("UPDATE tournaments SET code_version = code_version || '.'"))
    print("written", flush=True)
"""


@pytest.fixture
def database(small_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the small tournament under the name that page and notebook have, in this folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weekend.toml").write_text(SMALL, encoding="utf-8")
    shutil.copy(small_database, tmp_path / "weekend.duckdb")
    return Path(shutil.copy(small_database, tmp_path / "results.duckdb"))


@pytest.mark.usefixtures("database")
def test_the_snippets_run() -> None:
    page = _ROOT / "docs" / "python.md"
    snippets = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
    assert len(snippets) > 3
    for snippet in snippets:
        exec(compile(snippet, str(page), "exec"), {})


@pytest.mark.slow
def test_the_notebook_has_the_figures_of_the_command_while_somebody_writes(database: Path) -> None:
    printed = json.loads(done("leaderboard", "--db", database, "--format", "json"))
    notebook = json.loads((_ROOT / "examples" / "results.ipynb").read_text("utf-8"))
    names: dict[str, Any] = {}
    words = [sys.executable, "-c", _WRITER, str(database)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
        try:
            assert writer.stdout is not None and writer.stdout.readline() == "written\n"
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
            assert writer.poll() is None
        finally:
            writer.kill()
    assert names["board"].content == printed
    assert names["costs"]["calls"].sum() == len(names["t"].calls())

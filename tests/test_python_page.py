"""The snippets of the page on Python run, as they stand there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

_PAGE = Path(__file__).parents[1] / "docs" / "python.md"


def test_the_snippets_run(
    small_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(small_database, tmp_path / "results.duckdb")
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", _PAGE.read_text("utf-8"), flags=re.DOTALL)
    assert len(snippets) > 2
    for snippet in snippets:
        exec(compile(snippet, str(_PAGE), "exec"), {})

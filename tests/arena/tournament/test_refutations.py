"""The experiments of Debate-to-Write with simulated models, and their tables in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.column_tables import blocks, in_columns
from tests.support.console_script import arena

_TABLES = (Path(__file__).parents[3] / "docs/measurements/refutations.md").read_text("utf-8")


@pytest.mark.deep
@pytest.mark.slow
def test_its_tables_are_those_of_the_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, printed = arena("run", "refutations", "--yes")
    assert code == 0, printed
    code, tables = arena("paper-tables", "--format", "markdown")
    assert code == 0, tables
    assert blocks(in_columns(tables)) == blocks(_TABLES)

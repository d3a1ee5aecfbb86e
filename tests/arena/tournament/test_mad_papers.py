"""examples/papers/mad-*.toml: the experiments of the paper, planned and priced without any key."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from arena.config.load import load_config
from arena.report.published import published_table
from tests.command_line import done, refused

FILES = ("papers/mad-mt", "papers/mad-ciar", "papers/mad-judges")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of any provider is set."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)


@pytest.mark.parametrize("name", FILES)
def test_plan_and_cost_need_no_key_and_stay_below_the_cap(name: str, tmp_path: Path) -> None:
    printed = done("run", name, "--dry-run", "--db", tmp_path / "own.duckdb")
    usd = re.search(r"^  USD +([\d.,]+) +([\d.,]+) +([\d.,]+)$", printed, re.MULTILINE)
    assert usd is not None
    low, expected, high = (float(value.replace(",", "")) for value in usd.groups())
    assert 0 < low <= expected <= high
    assert expected < (load_config(name).limits.usd or 0)
    assert list(tmp_path.iterdir()) == []
    assert "OPENAI_API_KEY" in refused("run", name, "--yes", "--db", tmp_path / "own.duckdb")


@pytest.mark.parametrize(("name", "table"), [("papers/mad-mt", "T3"), ("papers/mad-ciar", "T5")])
def test_the_methods_are_those_of_the_published_table(name: str, table: str) -> None:
    debaters = {entry.debater for entry in load_config(name).participants}
    methods = set(published_table("mad", table).column("accuracy"))
    assert methods - {"GPT-4", "GPT-3.5-Turbo"} == debaters - {"direct"}


def test_the_models_are_those_of_the_published_table() -> None:
    rows = set()
    for entry in load_config("papers/mad-judges").participants:
        if entry.debater == "mad":
            models = entry.options.get("models", {})
            roles = (models.get(role, entry.model) for role in ("affirmative", "negative", "judge"))
            rows.add(tuple({"3.5": "Turbo"}.get(m.split("-")[1], "GPT-4") for m in roles))
    assert rows == {row[1:4] for row in published_table("mad", "T7").rows}

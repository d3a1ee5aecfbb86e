"""examples/papers/mad-*.toml have the methods and models of the paper's tables."""

from __future__ import annotations

import pytest

from arena.config.load import load_config
from arena.papers.published import published_table


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

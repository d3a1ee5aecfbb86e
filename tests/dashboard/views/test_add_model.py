"""The form that asks for a model: what it says becomes the keys that the file has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.config.load import load_config
from arena.console.newcomer import propose, write_proposal
from arena.errors import ConfigError
from arena.plugins import names_for_contest
from arena.store.database import Store
from dashboard.views.add_model import ModelEntry, debater_help
from tests.support.tournaments import SMALL

_ENTRY = ModelEntry(
    file="small.toml",
    provider="offline",
    model="good",
    debater="agent4debate",
    name="new",
    address="",
    variable="",
    input_price=None,
    output_price=None,
)


def test_options_and_sampling_are_written_as_tables(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    entry = replace(
        _ENTRY,
        options='searcher = false\nmodels.writer = "offline/weak"',
        sampling={"temperature": 0.5, "top_p": 0.9, "max_tokens": 500},
    )
    proposal = propose(file, entry.participant(), Store(tmp_path / "own.duckdb"))
    assert '+options = {searcher = false, models = {writer = "offline/weak"}}' in (
        proposal.difference
    )
    assert "+sampling = {temperature = 0.5, top_p = 0.9, max_tokens = 500}" in proposal.difference
    write_proposal(proposal)
    newcomer = load_config(file).participants[-1]
    assert newcomer.options == {"searcher": False, "models": {"writer": "offline/weak"}}
    assert newcomer.sampling.max_tokens == 500


def test_nothing_is_written_of_what_was_left_empty() -> None:
    assert _ENTRY.participant() == {
        "name": "new", "debater": "agent4debate", "model": "offline/good",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"options": "searcher"}, "options are no valid TOML"),
        ({"options": "searchers = false"}, "searchers"),
        ({"options": "max_revisions = 99"}, "max_revisions"),
        ({"sampling": {"temperature": 3.0}}, "sampling.temperature"),
        ({"sampling": {"top_p": 0.0}}, "sampling.top_p"),
        ({"sampling": {"max_tokens": 3}}, "sampling.max_tokens"),
    ],
)
def test_what_a_file_may_not_have_is_refused_alike(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    entry = replace(_ENTRY, **changes)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=words):
        propose(file, entry.participant(), Store(tmp_path / "own.duckdb"))
    assert file.read_text() == SMALL


def test_the_help_names_the_options_of_every_debater() -> None:
    assert "`max_revisions = 3`" in debater_help("agent4debate")
    assert "`searcher = true`" in debater_help("agent4debate")
    assert debater_help("direct") == "direct has none."
    assert all(map(debater_help, names_for_contest("debaters", "debate")))

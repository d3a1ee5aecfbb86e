"""The form that asks for a model: what it says becomes the keys that the file has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.config.load import load_config
from arena.errors import ConfigError
from arena.plugins import names_for_contest
from arena.store.database import Store
from arena.tournament.newcomer import propose, write_proposal
from dashboard.settings import DATABASE, FOLDER
from dashboard.views.add_model import ModelEntry, debater_help
from tests.dashboard.views.drawing import draw, read_texts
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


@pytest.fixture
def form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form beside a tournament's file, for the administrator."""
    (tmp_path / "small.toml").write_text(SMALL)
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setenv(DATABASE, str(tmp_path / "own.duckdb"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setattr("dashboard.forms.require_admin", lambda: None)


@pytest.mark.slow
@pytest.mark.usefixtures("form")
def test_a_model_whose_price_is_unknown_is_refused_with_the_fields_for_it() -> None:
    app = draw("add_model")
    fields = [each.label for each in app.number_input if each.label.startswith("USD")]
    app.text_input(key="model").set_value("mystery")
    app.checkbox(key="call").uncheck()
    app.button[0].click().run()
    said = read_texts(app)
    assert "the price of 'openai/mystery' is not known; nothing was written." in said
    assert f"in the fields “{fields[0]}” and “…, out” above" in said and len(fields) == 2
    for way in ("in", "out"):
        app.number_input(key=f"price-{way}").set_value(2.0)
    app.button[0].click().run()
    assert "is not known" not in read_texts(app)
    assert "+usd_per_million = {input = 2.0, output = 2.0}" in app.code[0].value


def test_the_help_names_the_options_of_every_debater() -> None:
    assert "`max_revisions = 3`" in debater_help("agent4debate")
    assert "`searcher = true`" in debater_help("agent4debate")
    assert debater_help("direct") == "direct has none."
    assert all(map(debater_help, names_for_contest("debaters", "debate")))

"""docs/models.md: its names are LiteLLM's, its tables parse, and what is missing is named."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.model_names import settings_of
from arena.errors import MissingKey, MissingPrice
from arena.llm.litellm_client import find_provider
from arena.llm.provider_backend import ProviderBackend
from arena.llm.settings import ModelSettings
from tests.support.tournaments import content

_PAGE = (Path(__file__).parents[1] / "docs" / "models.md").read_text("utf-8")
_TABLES = re.findall(r"```toml\n(.*?)```", _PAGE, re.DOTALL)
#: Name of the provider, a model, LiteLLM's name of the provider, and the variables it needs.
_ROWS = [
    (cells[0], re.findall(r"`(.+?)`", cells[1])[0], cells[2], re.findall(r"`(\w+)`", cells[3]))
    for cells in (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in _PAGE.partition("\n## ")[0].splitlines()
        if line.startswith("| ") and "`" in line
    )
]
_BLOCKS = {
    name: section for table in _TABLES for name, section in tomllib.loads(table)["models"].items()
}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of any provider is set."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_AUTH_TOKEN")) or name.startswith("AWS_"):
            monkeypatch.delenv(name)


def configured(model: str) -> ModelSettings:
    """What the page's own table of a model says."""
    given: dict[str, Any] = content() | {"models": _BLOCKS}
    return settings_of(model, parse_config(given, where="models.md").models)


def test_the_providers_that_people_ask_for_are_there() -> None:
    assert len(_ROWS) == 12
    for name in ("Azure", "OpenRouter", "Amazon Bedrock", "Ollama", "vLLM"):
        assert f"\n## {name}\n" in _PAGE
        (model,) = (row[1] for row in _ROWS if row[0] == name)
        assert model in _BLOCKS


@pytest.mark.parametrize("table", _TABLES)
def test_every_table_is_a_configuration(table: str) -> None:
    parse_config(content() | tomllib.loads(table), where="models.md")


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: str(row[0]))
def test_every_name_is_litellms(row: tuple[str, str, str, list[str]]) -> None:
    _, model, provider, _ = row
    assert find_provider(model).name == provider


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: str(row[0]))
def test_what_is_missing_is_named_and_what_is_given_is_enough(
    row: tuple[str, str, str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, model, provider, needed = row
    backend = ProviderBackend({} if provider != "openai" or needed else {model: configured(model)})
    if needed:
        with pytest.raises(MissingKey) as caught:
            backend.check(model)
        assert all(name in str(caught.value) for name in needed)
    for name in needed:
        monkeypatch.setenv(name, "of-a-test")
    backend.check(model)


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: str(row[0]))
def test_every_model_has_a_price_here_or_in_the_list(
    row: tuple[str, str, str, list[str]],
) -> None:
    model = row[1]
    ProviderBackend({model: configured(model)}).price(model)


@pytest.mark.parametrize("model", sorted(_BLOCKS))
def test_a_table_says_only_what_the_list_lacks(model: str) -> None:
    known = ProviderBackend({})
    if configured(model).usd_per_million is not None:
        with pytest.raises(MissingPrice, match="the price of"):
            known.price(model)
    else:
        known.price(model)


@pytest.mark.parametrize("name", ["AWS_PROFILE", "AWS_ROLE_ARN", "AWS_BEARER_TOKEN_BEDROCK"])
def test_other_ways_to_bedrock(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (model,) = (row[1] for row in _ROWS if row[2] == "bedrock")
    assert f"`{name}`" in _PAGE
    monkeypatch.setenv(name, "of-a-test")
    ProviderBackend({}).check(model)


def test_either_key_of_gemini_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "of-a-test")
    ProviderBackend({}).check("gemini/gemini-2.5-flash")

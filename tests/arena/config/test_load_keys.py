"""Keys of providers: named by a variable, refused in a file, and never shown."""

from __future__ import annotations

import pytest

from arena.config.load import from_environment, parse_config
from tests.handmade import changed, content
from tests.refusals import refusal

KEY = "sk-live-0123456789abcdef"


@pytest.mark.parametrize("value", [KEY, [KEY], {"key": KEY}])
def test_a_key_in_the_file_is_refused_and_never_shown(value: object) -> None:
    message = refusal(changed(content(), ["models", "openai/gpt-4o", "api_key"], value))
    assert message.startswith("models.openai/gpt-4o.api_key")
    assert KEY not in message
    if value == KEY:
        assert "Write env:NAME, where NAME is the environment variable" in message


@pytest.mark.parametrize(
    "place",
    [
        ["models", "openai/gpt-4o", "apikey"],
        ["models", "api_key"],
        ["models", "openai"],
        ["participants", 0, "api_key"],
        ["benches", 0, "key"],
        ["api_key"],
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_never_shown(place: list[str | int]) -> None:
    message = refusal(changed(content(), place, KEY))
    assert str(place[-1]) in message
    assert KEY not in message


def test_a_key_of_the_environment_is_kept_as_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", KEY)
    tables = changed(content(), ["models", "openai/gpt-4o", "api_key"], "env:OWN_KEY")
    config = parse_config(tables, where="own.toml")
    assert config.models["openai/gpt-4o"].api_key == "env:OWN_KEY"
    assert KEY not in config.model_dump_json()


def test_a_key_of_a_search_in_the_file_is_refused_and_never_shown() -> None:
    message = refusal(changed(content(), ["search"], {"kind": "tavily", "api_key": KEY}))
    assert message.startswith("search.api_key: ") and "Write env:NAME" in message
    assert KEY not in message
    assert KEY not in refusal(changed(content(), ["search"], {"kind": "tavily", "key": KEY}))


@pytest.mark.parametrize(
    ("value", "variable", "expected"),
    [
        ("env:ARENA_X", "set", "set"),
        ("env:ARENA_X|else", "set", "set"),
        ("env:ARENA_X|else", None, "else"),
        ("env:ARENA_X|else", "", "else"),
        ("env:ARENA_X|http://h/v1|x", None, "http://h/v1|x"),
        ("env:ARENA_X", None, None),
        ("http://h/v1", "set", "http://h/v1"),
        (None, "set", None),
    ],
)
def test_a_reference_gives_the_variable_or_its_default(
    value: str | None, variable: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_X", raising=False)
    if variable is not None:
        monkeypatch.setenv("ARENA_X", variable)
    assert from_environment(value) == expected

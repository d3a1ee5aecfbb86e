"""What is secret in an address is refused in a file; a stored configuration stays readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.load import load_config, parse_config
from arena.config.sections import find_secret
from arena.errors import ConfigError
from tests.support.tournaments import SMALL, content

_SECRETS = (
    "https://me@host/v1",
    "https://me:hunter2@host/v1",
    "https://host/v1?api_key=hunter2",
    "https://host/v1?version=1&access-token=hunter2",
    "env:BASE|https://host/v1?KEY=hunter2",
    "https://host/v1?accessToken=hunter2",
    "https://host/v1?auth=hunter2",
)


@pytest.mark.parametrize("address", _SECRETS)
def test_an_address_with_a_secret_is_refused_and_not_repeated(address: str, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(f'{SMALL}\n[models."openai/x"]\napi_base = "{address}"\n', "utf-8")
    with pytest.raises(
        ConfigError, match='models."openai/x".api_base: a .* must not be written'
    ) as it:
        load_config(file)
    assert "hunter2" not in str(it.value) and "env:NAME" in str(it.value)


def test_the_address_of_the_transcription_is_checked_too(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    section = f'[transcription]\nmodel = "whisper-1"\napi_base = "{_SECRETS[1]}"\n'
    file.write_text(f"{SMALL}\n{section}", "utf-8")
    with pytest.raises(ConfigError, match="transcription.api_base: a user or a password"):
        load_config(file)


def test_plain_addresses_and_references_are_accepted() -> None:
    for address in (
        "http://127.0.0.1:8000/v1",
        "https://h/v1?api-version=2",
        "env:BASE",
        "x",
        "https://h?monkey=1",
    ):
        assert find_secret(address) == ""


def test_a_stored_configuration_with_a_secret_stays_readable() -> None:
    stored = content() | {"models": {"openai/x": {"api_base": _SECRETS[1]}}}
    assert parse_config(stored, where="stored").models["openai/x"].api_base == _SECRETS[1]

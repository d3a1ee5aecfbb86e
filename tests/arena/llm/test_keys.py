"""Keys with what files and editors put around and into them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.llm import keys
from arena.llm.faults import remove_secrets
from arena.llm.keys import check_key, redirect_lines
from tests.support.case_lists import for_every
from tests.support.command_line import arena, refused
from tests.support.tournaments import SMALL

KEY = "sk-own-1234567890"
OWN = SMALL.replace("offline/weak", "openai/own-model") + (
    '\n[models."openai/own-model"]\napi_base = "http://127.0.0.1:9/v1"\n'
    'api_key = "env:OWN_API_KEY"\nusd_per_million = { input = 0, output = 0 }\n'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


@pytest.mark.parametrize("around", ["{}\r", "{}\n", " {} ", "\ufeff{}", '"{}"\r\n'])
def test_what_stands_around_a_key_is_taken_off_and_said(
    file: Path, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    monkeypatch.setenv("OWN_API_KEY", around.format(KEY))
    checked = arena("check", file)
    assert os.environ["OWN_API_KEY"] == KEY
    assert checked.stderr.startswith("Note: OWN_API_KEY has blanks, line breaks or quotation marks")
    assert "own-model at http://127.0.0.1:9/v1: connection refused\n" in checked.stdout
    assert KEY not in checked.output


def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_API_KEY", KEY.replace("-", "\u2013", 1))
    message = refused("check", file)
    assert "the key for 'openai/own-model' cannot be sent: its character 3 is U+2013" in message
    assert "own-1234567890" not in message


@for_every("\r\n\x00\u2014\ufeff\udc80")
def test_a_character_that_no_key_has_is_named(character: str) -> None:
    with pytest.raises(ConfigError, match=f"character 4 is U\\+{ord(character):04X}"):
        check_key(f"sk-{character}1", "the key")


def test_a_quoted_key_is_removed_though_its_line_break_is_escaped() -> None:
    message = f"Illegal header value {f'Bearer {KEY}'.encode()!r}"
    assert KEY not in remove_secrets(message, [f"{KEY}\r"])


def test_where_a_provider_without_an_address_is_called_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OLLAMA_API_BASE", "http://me:word@gpu:11434")
    monkeypatch.setattr(keys, "REDIRECTS", {"OPENAI_BASE_URL": "http://elsewhere"})
    said, not_heeded = redirect_lines(["ollama/llama3", "openai/gpt-4o"])
    assert said == "OLLAMA_API_BASE: ollama is called at gpu:11434 where the file names no address"
    assert not_heeded.startswith("OPENAI_BASE_URL is set, and not heeded")
    assert not list(redirect_lines(["mistral/small"]))


def test_an_address_of_bedrock_is_out_of_reach_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "REDIRECTS", {})
    monkeypatch.setenv("AWS_BEDROCK_RUNTIME_ENDPOINT", "http://me:word@elsewhere")
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", "http://me:word@sign-in")
    keys.hide_redirects()
    assert "AWS_BEDROCK_RUNTIME_ENDPOINT" not in os.environ
    not_heeded, sign_in = redirect_lines(["bedrock/claude"])
    assert '[models."bedrock/*"] api_base = "env:AWS_BEDROCK_RUNTIME_ENDPOINT"' in not_heeded
    assert sign_in.startswith("AWS_ENDPOINT_URL_STS: AWS's library may sign in at sign-in;")
    assert not list(redirect_lines(["openai/gpt-4o"]))

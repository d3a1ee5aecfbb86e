"""What providers need from the environment, and what is said when it is missing."""

from __future__ import annotations

import os

import pytest

from arena.errors import MissingKey
from arena.llm.litellm_backend import LiteLLMBackend
from arena.llm.settings import ModelSettings, Provider, missing_variables
from tests.servers.connected import KEY, LISTED, MODEL


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of any provider is set."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_API_VERSION")) or name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)


def test_missing_keys_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = LiteLLMBackend({})
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        backend.check("openai/gpt-4o")
    with pytest.raises(MissingKey, match="ANTHROPIC_API_KEY"):
        backend.check("anthropic/claude-sonnet-4-5")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    backend.check("openai/gpt-4o")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        backend.check("openai/gpt-4o")


def test_keys_that_are_not_needed() -> None:
    local = ModelSettings(api_base="http://127.0.0.1:8000/v1")
    LiteLLMBackend({MODEL: local}).check(MODEL)
    LiteLLMBackend({LISTED: ModelSettings(api_key=KEY)}).check(LISTED)
    for model in ("ollama/llama3", "ollama_chat/llama3"):
        LiteLLMBackend({}).check(model)


AZURE = "azure/my-deployment"


def test_azure_needs_a_key_and_an_address_and_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingKey) as caught:
        LiteLLMBackend({}).check(AZURE)
    assert str(caught.value) == (
        "no key and address for 'azure/my-deployment': LiteLLM looks for AZURE_API_BASE, "
        "AZURE_API_KEY in the environment. Export it, or write under "
        '[models."azure/my-deployment"]: api_key = "env:NAME", api_base = "…".'
    )
    address = ModelSettings(api_base="https://mine.openai.azure.com")
    with pytest.raises(MissingKey, match="no key for .* looks for AZURE_API_KEY in"):
        LiteLLMBackend({AZURE: address}).check(AZURE)
    with pytest.raises(MissingKey, match="no address for .* looks for AZURE_API_BASE in"):
        LiteLLMBackend({AZURE: ModelSettings(api_key=KEY)}).check(AZURE)
    monkeypatch.setenv("AZURE_API_KEY", KEY)
    LiteLLMBackend({AZURE: address}).check(AZURE)


def test_a_key_of_bedrock_stands_for_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    model = "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0"
    with pytest.raises(MissingKey, match="AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"):
        LiteLLMBackend({}).check(model)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", KEY)
    LiteLLMBackend({}).check(model)


def test_a_server_without_a_fixed_address_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model = "hosted_vllm/Qwen/Qwen3-8B"
    with pytest.raises(MissingKey, match="no address for .* looks for HOSTED_VLLM_API_BASE"):
        LiteLLMBackend({}).check(model)
    LiteLLMBackend({model: ModelSettings(api_base="http://127.0.0.1:8000/v1")}).check(model)
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", "http://127.0.0.1:8000/v1")
    LiteLLMBackend({}).check(model)


def test_a_provider_that_litellm_does_not_check_is_asked_for_its_usual_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(MissingKey, match="ZAI_API_KEY"):
        LiteLLMBackend({}).check("zai/glm-4.5-air")
    monkeypatch.setenv("ZAI_API_KEY", KEY)
    LiteLLMBackend({}).check("zai/glm-4.5-air")


def test_a_key_that_litellm_found_is_not_shown() -> None:
    provider = Provider(name="zai", key=KEY)
    assert KEY not in repr(provider)
    assert missing_variables(provider, ModelSettings()) == []


def test_either_key_of_gemini_is_named() -> None:
    with pytest.raises(MissingKey, match="looks for GOOGLE_API_KEY or GEMINI_API_KEY in"):
        LiteLLMBackend({}).check("gemini/gemini-2.5-flash")

"""What providers need from the environment, and what is said when it is missing."""

from __future__ import annotations

import os
from contextlib import nullcontext

import pytest

from arena.errors import MissingKey
from arena.llm.provider_backend import ProviderBackend
from arena.llm.settings import ModelSettings, Provider, missing_variables
from tests.servers.connected import KEY, LISTED, MODEL


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of any provider is set."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_API_VERSION")) or name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)


AZURE, VLLM = "azure/my-deployment", "hosted_vllm/Qwen/Qwen3-8B"
BEDROCK = "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0"
OWN_KEY = ModelSettings(api_key=KEY)
OWN_ADDRESS = ModelSettings(api_base="http://127.0.0.1:8000/v1")


@pytest.mark.parametrize(
    ("model", "settings", "variables", "missing"),
    [
        (LISTED, None, {}, "OPENAI_API_KEY"),
        (LISTED, None, {"OPENAI_API_KEY": ""}, "OPENAI_API_KEY"),
        (LISTED, None, {"OPENAI_API_KEY": KEY}, ""),
        (LISTED, OWN_KEY, {}, ""),
        (MODEL, OWN_ADDRESS, {}, ""),
        ("anthropic/claude-sonnet-4-5", None, {}, "ANTHROPIC_API_KEY"),
        ("ollama/llama3", None, {}, ""),
        ("ollama_chat/llama3", None, {}, ""),
        (AZURE, OWN_ADDRESS, {}, "no key for .* looks for AZURE_API_KEY in"),
        (AZURE, OWN_KEY, {}, "no address for .* looks for AZURE_API_BASE in"),
        (AZURE, OWN_ADDRESS, {"AZURE_API_KEY": KEY}, ""),
        (BEDROCK, None, {}, "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"),
        (BEDROCK, None, {"AWS_BEARER_TOKEN_BEDROCK": KEY}, ""),
        (VLLM, None, {}, "no address for .* looks for HOSTED_VLLM_API_BASE"),
        (VLLM, OWN_ADDRESS, {}, ""),
        (VLLM, None, {"HOSTED_VLLM_API_BASE": "http://127.0.0.1:8000/v1"}, ""),
        ("zai/glm-4.5-air", None, {}, "ZAI_API_KEY"),  # LiteLLM does not check it
        ("zai/glm-4.5-air", None, {"ZAI_API_KEY": KEY}, ""),
        ("gemini/gemini-2.5-flash", None, {}, "looks for GOOGLE_API_KEY or GEMINI_API_KEY in"),
    ],
)
def test_what_is_missing_is_named(
    model: str,
    settings: ModelSettings | None,
    variables: dict[str, str],
    missing: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    backend = ProviderBackend({model: settings} if settings else {})
    with pytest.raises(MissingKey, match=missing) if missing else nullcontext():
        backend.check(model)


def test_the_message_says_how_to_set_what_is_missing() -> None:
    with pytest.raises(MissingKey) as caught:
        ProviderBackend({}).check(AZURE)
    assert str(caught.value) == (
        "no key and address for 'azure/my-deployment': LiteLLM looks for AZURE_API_BASE, "
        "AZURE_API_KEY in the environment. Export it, or write under "
        '[models."azure/my-deployment"]: api_key = "env:NAME", api_base = "…".'
    )


def test_a_key_that_litellm_found_is_not_shown() -> None:
    provider = Provider(name="zai", key=KEY)
    assert KEY not in repr(provider)
    assert missing_variables(provider, ModelSettings()) == []

"""The table of models that are called directly, and LiteLLM's own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files

import pytest

from arena.llm.litellm_client import find_abilities
from arena.llm.model_table import find_listed, load_table
from arena.llm.settings import ModelSettings
from tests.support.model_table import describe, find_prices, is_cost, recording

_MADE = json.loads((files("arena.llm") / "models.json").read_text("utf-8"))
#: The LiteLLM that is installed may be another than the one that the table was made from.
same_litellm = pytest.mark.skipif(
    _MADE["litellm"] != version("litellm"), reason="the table is of another LiteLLM"
)


@same_litellm
@pytest.mark.parametrize("provider", load_table())
def test_every_price_is_litellms(provider: str) -> None:
    for name, listed in load_table()[provider].models.items():
        if listed is not None:
            prices = find_prices(f"{provider}/{name}")
            assert prices is not None and is_cost(f"{provider}/{name}", prices)
            assert (listed.usd, listed.above) == (
                tuple(prices["usd"]),
                tuple(prices["above"]) if "above" in prices else None,
            )


@same_litellm
@pytest.mark.parametrize("provider", load_table())
def test_what_is_sent_is_what_litellm_sends(provider: str) -> None:
    own = load_table()[provider]
    listed = [name for name, model in own.models.items() if model is not None]
    names = ["some-model", *listed[:: max(1, len(listed) // 3)]]
    with recording() as address:
        for name in names:
            entry = asyncio.run(describe(f"{provider}/{name}", address))
            model = own.models.get(name) or own.usual
            assert entry is not None
            assert model.translated == set(entry.get("translated", ()))
            assert model.completion_limit == entry.get("completion_limit", False)
            assert model.accepts == set(entry["accepts"])


@same_litellm
def test_abilities_are_litellms() -> None:
    for provider, known in load_table().items():
        for name, listed in known.models.items():
            if listed is not None:
                theirs = find_abilities(f"{provider}/{name}")
                assert listed.thinks == theirs.thinks
                assert listed.context_tokens == theirs.context_tokens
                assert listed.output_tokens == theirs.output_tokens
                assert theirs.write_usd is None


def test_which_models_are_called_directly() -> None:
    here = ModelSettings(api_base="http://127.0.0.1:8000/v1")
    for model in ("openai/gpt-4o-mini", "deepseek/deepseek-chat", "openrouter/qwen/qwen-plus"):
        assert find_listed(model, ModelSettings()) is not None
        assert find_listed(model, ModelSettings(client="litellm")) is None
    for model in ("openai/my-model", "openai/gpt-oss-20b", "hosted_vllm/Qwen/Qwen3-8B"):
        assert find_listed(model, here) is not None
        assert find_listed(model, ModelSettings()) is None
    # LiteLLM has rules by the names of OpenAI's models, wherever they are served.
    for model in ("openai/gpt-5-nonesuch", "anthropic/claude-haiku-4-5", "ollama_chat/llama3.1"):
        assert find_listed(model, here) is None


@pytest.mark.slow
def test_a_run_on_a_server_of_ones_own_does_not_load_litellm(tmp_path: object) -> None:
    code = (
        "import asyncio, sys\n"
        "from arena.llm.provider_backend import ProviderBackend\n"
        "from arena.llm.settings import ModelSettings\n"
        "from tests.servers.connected import connected, request\n"
        "async def main():\n"
        "    async with connected() as (backend, server):\n"
        "        assert (await backend.complete(request())).text\n"
        "asyncio.run(main())\n"
        "print('litellm' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["False"]

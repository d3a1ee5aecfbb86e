"""The LiteLLM backend: the real LiteLLM against a strict server on loopback."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from arena.errors import MissingKey, MissingPrice, UnknownModel
from arena.llm.backend import Schema
from arena.llm.litellm_backend import LiteLLMBackend
from arena.llm.settings import ModelSettings
from tests.servers.answers import canned
from tests.servers.connected import KEY, LISTED, MODEL, PRICE, PROMPT, connected, request, slow
from tests.servers.openai_server import ServerSettings
from tests.servers.strict import Rejected

SCHEMA = Schema(
    name="Verdict",
    body={
        "type": "object",
        "properties": {"winner": {"enum": ["pro", "con"], "type": "string"}},
        "required": ["winner"],
        "additionalProperties": False,
    },
)


async def test_complete_sends_what_was_asked_once() -> None:
    async with connected(answer=canned("Yes, they should.")) as (backend, server):
        completion = await backend.complete(request())
    assert completion.text == "Yes, they should."
    assert completion.finish_reason == "stop"
    assert completion.dropped == ()
    assert server.ledger.http_requests == 1
    assert server.ledger.last_body == {
        "model": "local-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": PROMPT},
        ],
        "seed": 7,
        "temperature": 0.2,
        "top_p": 0.75,
        "max_tokens": 64,
    }


async def test_cost_comes_from_the_configured_price() -> None:
    async with connected(ServerSettings(models=(), cached_tokens=3, reasoning_tokens=2)) as (
        backend,
        _,
    ):
        completion = await backend.complete(request())
    usage = completion.usage
    assert (usage.cached_tokens, usage.reasoning_tokens) == (3, 2)
    expected = (usage.input_tokens * PRICE[0] + usage.output_tokens * PRICE[1]) / 1e6
    assert completion.cost_usd == pytest.approx(expected)


async def test_cost_comes_from_litellm_with_cached_tokens_cheaper() -> None:
    async with connected(ServerSettings(models=(), cached_tokens=10)) as (backend, _):
        completion = await backend.complete(request(LISTED))
    usage = completion.usage
    expected = (usage.input_tokens - 10) * 2.5 + 10 * 1.25 + usage.output_tokens * 10.0
    assert completion.cost_usd == pytest.approx(expected / 1e6)


async def test_usage_is_estimated_where_the_provider_sends_none() -> None:
    server = ServerSettings(models=(), usage="absent")
    async with connected(server, answer=canned("x" * 40)) as (backend, _):
        ours = await backend.complete(request())
        listed = await backend.complete(request(LISTED))
    assert ours.usage.output_tokens == 10
    assert ours.usage.input_tokens == math.ceil(len(f"Be brief.\n\n{PROMPT}") / 4)
    assert listed.cost_usd == pytest.approx((ours.usage.input_tokens * 2.5 + 10 * 10) / 1e6)


async def test_schema_is_sent_only_where_the_model_takes_it() -> None:
    async with connected() as (backend, server):
        await backend.complete(request(MODEL, schema=SCHEMA))
        assert "response_format" not in server.ledger.last_body
        await backend.complete(request(LISTED, schema=SCHEMA))
        assert server.ledger.last_body["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "Verdict", "schema": SCHEMA.body, "strict": True},
        }


async def test_refused_response_format_is_left_out_from_then_on() -> None:
    refused = ServerSettings(models=(), refused_parameters=frozenset({"response_format"}))
    async with connected(refused) as (backend, server):
        for seed in range(2):
            completion = await backend.complete(request(LISTED, seed=seed, schema=SCHEMA))
            assert completion.dropped == ()  # the schema stands in the prompt
    assert server.ledger.http_requests == 3


async def test_right_key_is_sent() -> None:
    settings = {MODEL: ModelSettings(api_key=KEY, usd_per_million=PRICE)}
    async with connected(ServerSettings(key=KEY), models=settings) as (backend, _):
        assert (await backend.complete(request())).text == "Understood."


async def test_openai_key_of_the_environment_stays_away_from_other_servers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with connected(ServerSettings(key="none")) as (backend, _):
        assert (await backend.complete(request())).text == "Understood."


async def test_refused_parameter_is_left_out_and_remembered() -> None:
    refused = ServerSettings(models=(), refused_parameters=frozenset({"top_p", "seed"}))
    async with connected(refused) as (backend, server):
        first = await backend.complete(request())
        assert server.ledger.http_requests == 3
        second = await backend.complete(request())
        assert server.ledger.http_requests == 4
    assert first.dropped == second.dropped == ("top_p", "seed")
    assert server.ledger.last_body["temperature"] == 0.2


async def test_token_limit_goes_by_its_newer_name_where_it_must() -> None:
    def answer(body: Mapping[str, Any]) -> str:
        if "max_tokens" in body:
            raise Rejected("Use 'max_completion_tokens' instead.", param="max_tokens")
        return "Fine."

    async with connected(answer=answer) as (backend, server):
        completion = await backend.complete(request())
    assert completion.dropped == ()
    assert server.ledger.last_body["max_completion_tokens"] == 64


@pytest.mark.parametrize(
    ("model", "dropped"), [("openai/o3-mini", ("top_p",)), ("openai/gpt-5", ("top_p",))]
)
async def test_what_litellm_knows_to_be_refused_is_not_sent(
    model: str, dropped: tuple[str, ...]
) -> None:
    async with connected(models={model: ModelSettings()}) as (backend, server):
        completion = await backend.complete(request(model))
    assert set(dropped) <= set(completion.dropped) <= {"top_p", "temperature", "seed"}
    assert server.ledger.http_requests == 1
    assert server.ledger.last_body["max_completion_tokens"] == 64


async def test_many_calls_at_once_share_connections() -> None:
    async with connected(answer=slow) as (backend, server):
        for start in (100, 200):
            calls = (backend.complete(request(seed=seed)) for seed in range(start, start + 100))
            completions = await asyncio.gather(*calls)
            assert {one.text for one in completions} == {"Late."}
        assert len(asyncio.all_tasks()) < 110  # nothing of LiteLLM's is left behind
    assert server.ledger.http_requests == 200
    assert server.ledger.repeated == 0
    assert len(server.ledger.connections) <= 110


def test_prices() -> None:
    backend = LiteLLMBackend({MODEL: ModelSettings(usd_per_million=PRICE)})
    assert backend.price(MODEL) == pytest.approx((2e-6, 8e-6))
    assert backend.price(LISTED) == pytest.approx((2.5e-6, 10e-6))
    with pytest.raises(MissingPrice, match=r'\[models."openai/mystery"\]\nusd_per_million = {'):
        backend.price("openai/mystery")


def test_free_models_have_a_price() -> None:
    backend = LiteLLMBackend({MODEL: ModelSettings(usd_per_million=(0.0, 0.0))})
    assert backend.price(MODEL) == (0.0, 0.0)


async def test_nothing_is_asked_without_a_price() -> None:
    async with connected(models={MODEL: ModelSettings()}) as (backend, server):
        with pytest.raises(MissingPrice):
            await backend.complete(request())
    assert server.ledger.http_requests == 0


@pytest.mark.parametrize("model", ["gpt-4o", "nosuch/model", "local/llama"])
def test_models_without_a_provider(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownModel, match="write provider/name|Write provider/name"):
        LiteLLMBackend({}).check(model)
    assert capsys.readouterr() == ("", "")


def test_missing_keys_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
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


def test_keys_that_are_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    local = ModelSettings(api_base="http://127.0.0.1:8000/v1")
    LiteLLMBackend({MODEL: local}).check(MODEL)
    LiteLLMBackend({LISTED: ModelSettings(api_key=KEY)}).check(LISTED)
    LiteLLMBackend({}).check("ollama/llama3")


async def test_embeddings() -> None:
    async with connected() as (backend, server):
        first = await backend.embed(MODEL, ["one", "two", "three"])
        again = await backend.embed(MODEL, ["three", "one"])
        assert (await backend.embed(MODEL, [])).shape == (0, 0)
    assert first.shape == (3, 8)
    assert first.dtype == np.float64
    np.testing.assert_array_equal(again, first[[2, 0]])
    assert server.ledger.http_requests == 2

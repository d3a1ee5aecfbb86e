"""The backend through LiteLLM: calls, costs and prices."""

from __future__ import annotations

import asyncio
import math
from typing import Literal

import numpy as np
import pytest

from arena.errors import MissingPrice, UnknownModel
from arena.llm.provider_backend import ProviderBackend
from arena.llm.settings import ModelSettings
from arena.llm.worst_case import most_cost
from tests.servers.answers import canned
from tests.servers.connected import KEY, LISTED, MODEL, PRICE, PROMPT, connected, request, slow
from tests.servers.openai_server import ServerSettings


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


async def test_served_model_and_fingerprint_are_those_of_the_answer() -> None:
    async with connected(ServerSettings(models=(), fingerprint="fp_1")) as (backend, _):
        completion = await backend.complete(request())
    assert (completion.served_model, completion.fingerprint) == ("local-model", "fp_1")


async def test_usage_is_estimated_where_the_provider_sends_none() -> None:
    server = ServerSettings(models=(), usage="absent")
    async with connected(server, answer=canned("x" * 40)) as (backend, _):
        ours = await backend.complete(request())
        listed = await backend.complete(request(LISTED))
    assert ours.usage.output_tokens == 10 and ours.usage.estimated
    assert ours.usage.input_tokens == math.ceil(len(f"Be brief.\n\n{PROMPT}") / 4)
    assert listed.cost_usd == pytest.approx((ours.usage.input_tokens * 2.5 + 10 * 10) / 1e6)


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


async def test_nothing_is_asked_without_a_price() -> None:
    async with connected(models={MODEL: ModelSettings()}) as (backend, server):
        with pytest.raises(MissingPrice):
            await backend.complete(request())
    assert server.ledger.http_requests == 0


@pytest.mark.parametrize("model", ["gpt-4o", "nosuch/model", "local/llama"])
def test_models_without_a_provider(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownModel, match="Write provider/name"):
        ProviderBackend({}).check(model)
    assert capsys.readouterr() == ("", "")


async def test_embeddings() -> None:
    async with connected() as (backend, server):
        first = await backend.embed(MODEL, ["one", "two", "three"])
        again = await backend.embed(MODEL, ["three", "one"])
    assert first.vectors.shape == (3, 8)
    assert first.vectors.dtype == np.float64
    np.testing.assert_array_equal(again.vectors, first.vectors[[2, 0]])
    assert (first.usage.input_tokens, first.usage.output_tokens) == (4, 0)  # as the server counts
    assert first.cost_usd == pytest.approx(4 * backend.price(MODEL)[0])
    assert server.ledger.http_requests == 2


#: USD per million: of what is cached, and what an OpenAI-compatible server is told to bill.
CACHED = 0.5
BILLED = (PRICE[0] / 1e6, PRICE[1] / 1e6)
#: Costs more where a prompt has over 200,000 tokens.
TIERED = "gemini/gemini-2.5-pro"
Counting = Literal["within", "on_top"]


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


@pytest.mark.parametrize("reasoning", ["within", "on_top"])
@pytest.mark.parametrize("cached", [None, CACHED])
async def test_cost_is_what_the_server_bills(cached: float | None, reasoning: Counting) -> None:
    server = ServerSettings(
        models=(),
        usd_per_token=BILLED,
        usd_per_cached=None if cached is None else cached / 1e6,
        cached_tokens=5,
        reasoning_tokens=20,
        reasoning=reasoning,
    )
    priced = ModelSettings(usd_per_million=PRICE, cached_usd_per_million=cached)
    async with connected(server, models={MODEL: priced}) as (backend, running):
        completion = await backend.complete(request())
        ledger = running.ledger
    usage = completion.usage
    assert (usage.cached_tokens, usage.reasoning_tokens) == (5, 20)
    assert usage.output_tokens == 20 + len("Understood.") // 4 + 1
    assert completion.cost_usd == pytest.approx(ledger.answered_usd)
    assert completion.cost_usd <= most_cost(request(), backend.price(MODEL)).usd


@pytest.mark.parametrize("reasoning", ["within", "on_top"])
@pytest.mark.parametrize(
    "model", [LISTED, "xai/grok-4.20-0309-reasoning", "deepseek/deepseek-chat"]
)
async def test_reasoning_of_a_listed_model_is_billed_once(model: str, reasoning: Counting) -> None:
    server = ServerSettings(models=(), reasoning_tokens=20, reasoning=reasoning)
    settings = {model: ModelSettings(api_key="sk-of-a-test")}
    async with connected(server, models=settings) as (backend, _):
        completion = await backend.complete(request(model))
        first, second = backend.price(model)
    usage = completion.usage
    assert usage.output_tokens == 20 + len("Understood.") // 4 + 1
    expected = usage.input_tokens * first + usage.output_tokens * second
    assert completion.cost_usd == pytest.approx(expected)


async def test_reasoning_that_costs_more_than_words_is_in_the_worst_case() -> None:
    model = "dashscope/qwen-turbo"
    server = ServerSettings(models=(), reasoning_tokens=60)
    settings = {model: ModelSettings(api_key="sk-of-a-test")}
    async with connected(server, models=settings) as (backend, _):
        completion = await backend.complete(request(model))
        price = backend.price(model)
    assert price == pytest.approx((0.05e-6, 0.5e-6))
    spoken = completion.usage.output_tokens - 60
    expected = completion.usage.input_tokens * 0.05 + spoken * 0.2 + 60 * 0.5
    assert completion.cost_usd == pytest.approx(expected / 1e6)
    assert completion.cost_usd <= most_cost(request(model), price).usd


def test_prices() -> None:
    backend = ProviderBackend({MODEL: ModelSettings(usd_per_million=PRICE)})
    assert backend.price(MODEL) == pytest.approx((2e-6, 8e-6))
    assert backend.price(LISTED) == pytest.approx((2.5e-6, 10e-6))
    with pytest.raises(MissingPrice, match=r'\[models."openai/mystery"\]\nusd_per_million = {'):
        backend.price("openai/mystery")


def test_a_long_prompt_is_priced_as_one() -> None:
    backend = ProviderBackend({TIERED: ModelSettings(api_key="sk-of-a-test")})
    short, long = backend.price(TIERED, 100_000), backend.price(TIERED, 200_001)
    assert short == pytest.approx((1.25e-6, 10e-6))
    assert long == pytest.approx((2.5e-6, 15e-6))


def test_free_models_have_a_price() -> None:
    backend = ProviderBackend({MODEL: ModelSettings(usd_per_million=(0.0, 0.0))})
    assert backend.price(MODEL) == (0.0, 0.0)

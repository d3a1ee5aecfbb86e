"""Prices and costs: reasoning is output, cached input is cheaper, the worst case bounds both."""

from __future__ import annotations

from typing import Literal

import pytest

from arena.errors import MissingPrice
from arena.llm.budget import worst_case
from arena.llm.litellm_backend import LiteLLMBackend
from arena.llm.settings import ModelSettings
from tests.servers.connected import LISTED, MODEL, PRICE, connected, request
from tests.servers.openai_server import ServerSettings

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
    assert completion.cost_usd <= worst_case(request(), backend.price(MODEL))


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
    assert completion.cost_usd <= worst_case(request(model), price)


def test_prices() -> None:
    backend = LiteLLMBackend({MODEL: ModelSettings(usd_per_million=PRICE)})
    assert backend.price(MODEL) == pytest.approx((2e-6, 8e-6))
    assert backend.price(LISTED) == pytest.approx((2.5e-6, 10e-6))
    with pytest.raises(MissingPrice, match=r'\[models."openai/mystery"\]\nusd_per_million = {'):
        backend.price("openai/mystery")


def test_a_long_prompt_is_priced_as_one() -> None:
    backend = LiteLLMBackend({TIERED: ModelSettings(api_key="sk-of-a-test")})
    short, long = backend.price(TIERED, 100_000), backend.price(TIERED, 200_001)
    assert short == pytest.approx((1.25e-6, 10e-6))
    assert long == pytest.approx((2.5e-6, 15e-6))


def test_free_models_have_a_price() -> None:
    backend = LiteLLMBackend({MODEL: ModelSettings(usd_per_million=(0.0, 0.0))})
    assert backend.price(MODEL) == (0.0, 0.0)

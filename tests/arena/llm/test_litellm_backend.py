"""The LiteLLM backend: the real LiteLLM against a strict server on loopback."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest

from arena.errors import MissingPrice, UnknownModel
from arena.llm.litellm_backend import LiteLLMBackend
from arena.llm.settings import ModelSettings
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
    assert ours.usage.output_tokens == 10
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
        LiteLLMBackend({}).check(model)
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

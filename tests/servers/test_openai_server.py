"""The server itself: what it accepts, that it repeats itself, and how it counts."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import aiohttp
import pytest
from click.testing import CliRunner
from pydantic import BaseModel, ConfigDict, Field

from arena.llm.request import Completion, Request, Usage
from arena.llm.schemas import schema_of
from tests.servers.answers import by_backend, canned, debater, schema_in
from tests.servers.command import main
from tests.servers.faults import Faults, spoil
from tests.servers.ledger import tokens
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving

BODY: dict[str, Any] = {
    "model": "local-model",
    "messages": [{"role": "user", "content": "Argue."}],
    "max_tokens": 4096,
    "seed": 1,
}


class Point(BaseModel):
    model_config = ConfigDict(extra="forbid")

    claim: str
    strength: int = Field(ge=1, le=10)
    share: float = Field(gt=0, lt=1)


class Plan(BaseModel):
    model_config = ConfigDict(extra="forbid")

    winner: Literal["pro", "con"]
    points: list[Point] = Field(min_length=3, max_length=3)
    speech: str
    final: bool
    note: str | None


async def ask(
    server: OpenAIServer, body: dict[str, Any] = BODY, *, key: str = ""
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{server.url}/chat/completions", json=body) as answered,
    ):
        return answered.status, await answered.json()


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"model": None}, "model"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user"}]}, "messages[0]"),
        ({"messages": [{"role": "judge", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 1}]}, "messages[0].content"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"temperature": 2.1}, "temperature"),
        ({"top_p": "1"}, "top_p"),
        ({"stream": True}, "stream"),
        ({"top_k": 40}, "top_k"),
        ({"response_format": {"type": "json_schema"}}, "response_format"),
        ({"response_format": {"type": "yaml"}}, "response_format"),
    ],
)
async def test_what_openai_refuses_is_refused(change: dict[str, Any], param: str) -> None:
    async with serving() as server:
        status, answered = await ask(server, BODY | change)
    assert status == 400
    assert answered["error"]["param"] == param
    assert not server.ledger.requests


async def test_unknown_models_and_wrong_keys() -> None:
    async with serving(ServerSettings(key="right")) as server:
        assert (await ask(server, key="wrong"))[0] == 401
        assert (await ask(server))[0] == 401
        assert (await ask(server, BODY | {"model": "x"}, key="right"))[0] == 404
        assert (await ask(server, key="right"))[0] == 200
    assert server.ledger.http_requests == 4


async def test_same_seed_same_answer() -> None:
    async with serving() as first, serving() as second:
        answers = [(await ask(server))[1] for server in (first, second, first)]
        _, other = await ask(first, BODY | {"seed": 2})
    texts = [one["choices"][0]["message"]["content"] for one in answers]
    assert len(set(texts)) == 1
    assert other["choices"][0]["message"]["content"] != texts[0]
    assert 80 < len(texts[0].split()) < 160
    assert first.ledger.repeated == 1


def test_answers_satisfy_the_schema_in_the_prompt() -> None:
    schema = schema_of(Plan)
    prompt = f'{{"not": "a schema"}}\nAnswer in this form:\n{schema.text()}\nBe brief.'
    for seed in range(20):
        body = BODY | {"messages": [{"role": "user", "content": prompt}], "seed": seed}
        assert schema_in(body) == schema.body
        plan = Plan.model_validate_json(debater(body), strict=True)
    assert len(plan.speech.split()) > 80


def test_response_format_comes_first() -> None:
    form = {"name": "Point", "schema": dict(schema_of(Point).body)}
    body = BODY | {"response_format": {"type": "json_schema", "json_schema": form}}
    Point.model_validate_json(debater(body), strict=True)


def test_answers_are_in_the_language_of_the_prompt() -> None:
    chinese = BODY | {"messages": [{"role": "user", "content": "请为正方写一篇开篇陈词。"}]}
    assert "。" in debater(chinese)


async def test_a_backend_can_answer() -> None:
    class Echo:
        async def complete(self, request: Request) -> Completion:
            usage = Usage(input_tokens=1, output_tokens=1)
            text = f"{request.model} {request.seed} {request.messages[0].text}"
            return Completion(text=text, finish_reason="stop", usage=usage)

    async with serving(answer=by_backend(Echo(), "offline/good")) as server:
        _, answered = await ask(server)
    assert answered["choices"][0]["message"]["content"] == "offline/good 1 Argue."


async def test_the_ledger_counts_what_was_spent_and_lost() -> None:
    price = (0.5, 2.0)
    faults = Faults(script=(None, "drop", "malformed", "rate_limit", "server_error"))
    settings = ServerSettings(faults=faults, usd_per_token=price)
    async with serving(settings, canned("Understood.")) as server:
        status, answered = await ask(server)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await ask(server)
        with pytest.raises(json.JSONDecodeError):
            await ask(server)
        assert [(await ask(server))[0] for _ in range(3)] == [429, 500, 200]
    asked, made = tokens("Argue.") + 4, tokens("Understood.")
    one = asked * price[0] + made * price[1]
    ledger = server.ledger
    assert answered["usage"]["prompt_tokens"] == asked
    assert ledger.answered_usd == 2 * one
    assert ledger.lost_usd == 2 * one
    assert ledger.lost_worst_usd == 2 * (asked * price[0] + 4096 * price[1])
    fates = ["answered", "drop", "malformed", "rate_limit", "server_error", "answered"]
    assert [seen.fate for seen in ledger.requests] == fates
    assert [seen.times for seen in ledger.requests] == [1, 2, 3, 4, 5, 6]
    assert (ledger.in_flight, ledger.max_in_flight) == (0, 1)


async def test_answers_that_stop() -> None:
    faults = Faults(script=("truncated", "hang"))
    async with serving(ServerSettings(faults=faults), canned()) as server:
        with pytest.raises(aiohttp.ClientPayloadError):
            await ask(server)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ask(server), 0.1)
        assert (await ask(server))[0] == 200
    assert {seen.fate for seen in server.ledger.requests} == {"truncated", "hang", "answered"}


async def test_absurd_counts_of_tokens() -> None:
    async with serving(ServerSettings(usage="absurd"), debater) as server:
        counts = [
            (await ask(server, BODY | {"seed": seed}))[1]["usage"]["prompt_tokens"]
            for seed in range(20)
        ]
    assert set(counts) == {-5, 10**12}


def test_faults_depend_on_the_request_and_not_on_the_order() -> None:
    faults = Faults(rates={"drop": 0.2, "prose": 0.3}, seed=3)
    drawn = [faults.draw(arrival=9, digest=str(one), times=1) for one in range(2000)]
    again = [faults.draw(arrival=5, digest=str(one), times=1) for one in range(2000)]
    assert drawn == again
    assert drawn.count("drop") == pytest.approx(400, abs=60)
    assert drawn.count("prose") == pytest.approx(600, abs=70)


def test_faults_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"unknown faults \['rain'\]"):
        Faults(rates={"rain": 0.1})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="more than 1"):
        Faults(rates={"drop": 0.6, "prose": 0.6})


def test_spoilt_answers() -> None:
    assert spoil("cut_off", "abcdef") == ({"role": "assistant", "content": "abc"}, "length")
    assert spoil("wrong_type", "no JSON")[0]["content"] == '["no JSON"]'
    wrong = json.loads(spoil("wrong_type", '{"a": 1, "b": 2}')[0]["content"])
    assert wrong["b"] == 2
    assert isinstance(wrong["a"], dict)
    assert "{}" in spoil("prose", "{}")[0]["content"]
    assert spoil(None, "fine") == ({"role": "assistant", "content": "fine"}, "stop")


async def test_answers_end_at_their_limit() -> None:
    async with serving(answer=canned("word " * 100)) as server:
        _, answered = await ask(server, BODY | {"max_tokens": 10})
    assert answered["choices"][0]["finish_reason"] == "length"
    assert len(answered["choices"][0]["message"]["content"]) == 40
    assert answered["usage"]["completion_tokens"] == 10


def test_the_command_names_its_faults() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    assert "empty_choices" in shown.output

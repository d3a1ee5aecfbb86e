"""How structured answers are asked for over the wire, by the real LiteLLM, for real servers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import ProviderRejected
from arena.llm.request import Request, Schema
from arena.records import Structured
from tests.servers import forms
from tests.servers.connected import request
from tests.servers.forms import ANSWER, MODEL, PROSE, Rules, serving

BODY = {
    "type": "object",
    "properties": {"winner": {"enum": ["pro", "con"], "type": "string"}},
    "required": ["winner"],
    "additionalProperties": False,
}
SCHEMA = Schema(name="Verdict", body=BODY)
FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "Verdict", "schema": BODY, "strict": True},
}
#: Models of the providers whose schemas LiteLLM's table does not list.
NAMES = (
    "openai/x",
    "hosted_vllm/x",
    "ollama_chat/x",
    "azure/deployment",
    "openrouter/deepseek/deepseek-r1",
    "dashscope/qwen-plus",
    "zai/glm-4.6",
    "zai/unlisted",
    "xai/grok-4",
    "groq/llama-3.3-70b-versatile",
)


def asking(model: str = MODEL, *, seed: int = 7, name: str = "Verdict") -> Request:
    return request(model, seed=seed, schema=replace(SCHEMA, name=name))


@pytest.mark.parametrize("model", NAMES)
async def test_highest_mode_is_sent_first_whatever_is_known_of_the_model(
    model: str,
) -> None:
    async with serving(model=model) as (server, asked):
        completion = await asked.complete(asking(model))
        plain = await asked.complete(request(model))
    body, _ = server.bodies
    name = str(body["model"])
    served, mode = (f"{name}-2024-08-06", "fp_44"), "schema"
    if model.startswith("ollama"):
        assert body["format"] == BODY
        assert "response_format" not in str(body)
        served = (name, "")
    elif model.startswith("groq"):  # LiteLLM translates it for models without schemas
        assert body["tools"][0]["function"]["parameters"] == BODY
        assert "response_format" not in body
    elif model.startswith("zai"):  # it has no schemas; LiteLLM would put one into the prompt
        assert body["response_format"] == {"type": "json_object"}
        assert len(body["messages"]) == len(asking(model).messages)
        mode = "object"
    else:
        assert body["response_format"] == FORMAT
        assert "tools" not in body
    assert (completion.text, completion.structured) == (ANSWER, mode)
    assert (completion.served_model, completion.fingerprint) == served
    assert asked.learned_modes() == {model: mode}
    assert (plain.text, plain.structured, server.kinds[1]) == (PROSE, "", "")


async def test_plain_text_teaches_nothing_of_forms() -> None:
    async with serving() as (_, asked):
        await asked.complete(request(MODEL))
    assert asked.learned_modes() == {}


@pytest.mark.parametrize(
    ("rules", "kinds", "mode"),
    [
        (forms.openai_older, ["json_schema", "json_object"], "object"),
        (forms.openai_without_forms, ["json_schema", "json_object", ""], "prompt"),
        (forms.deepseek, ["json_schema", "json_object"], "object"),
        (forms.vllm, ["json_schema", "json_object"], "object"),
        (forms.llama_cpp, ["json_schema", "json_object"], "object"),
        (forms.old_llama_cpp, ["json_schema", "json_object"], "object"),
        (forms.fastapi, ["json_schema", "json_object", ""], "prompt"),
        (forms.unknown_words, ["json_schema", "json_object"], "object"),
        (forms.openrouter, ["json_schema", "json_object"], "object"),
    ],
)
async def test_the_next_mode_follows_a_refusal_and_is_remembered(
    rules: Rules, kinds: list[str], mode: Structured
) -> None:
    async with serving(rules) as (server, asked):
        first = await asked.complete(asking())
        assert server.kinds == kinds
        again = await asked.complete(asking(seed=8))
    assert server.kinds == [*kinds, kinds[-1]]
    assert first.structured == again.structured == mode
    assert first.dropped == again.dropped == ()  # the schema stands in the prompt
    assert asked.learned_modes() == {MODEL: mode}
    assert first.text == (PROSE if mode == "prompt" else ANSWER)


@pytest.mark.parametrize("model", [name for name in NAMES if not name.startswith("groq")])
async def test_two_refusals_are_the_most_for_every_provider(model: str) -> None:
    async with serving(forms.openai_without_forms, model=model) as (server, asked):
        calls = [asked.complete(asking(model, seed=seed)) for seed in range(12)]
        completions = await asyncio.gather(*calls)
    refused = 1 if model.startswith("zai") else 2  # it is not asked by a schema
    assert server.refused == refused
    assert len(server.bodies) == 12 + refused
    assert {completion.structured for completion in completions} == {"prompt"}


async def test_a_translation_into_a_tool_is_given_up_where_it_is_refused() -> None:
    model = "groq/llama-3.3-70b-versatile"

    def no_tools(body: forms.Body) -> tuple[int, dict[str, Any]] | None:
        text = "`tool_choice` is not supported with this model"
        return (400, {"error": {"message": text}}) if forms.kind(body) == "tool" else None

    async with serving(no_tools, model=model) as (server, asked):
        completion = await asked.complete(asking(model))
    assert server.kinds == ["tool", "json_object"]
    assert completion.structured == "object"


async def test_a_server_that_ignores_the_schema_is_asked_by_the_prompt() -> None:
    async with serving(enforces=False) as (server, asked):
        first = await asked.complete(asking())
        second = await asked.complete(asking(seed=8))
    assert server.kinds == ["json_schema", ""]
    assert (first.structured, second.structured) == ("schema", "prompt")
    assert asked.learned_modes() == {MODEL: "prompt"}


async def test_nothing_is_learned_where_every_mode_fails() -> None:
    async with serving(forms.refuses_all) as (server, asked):
        with pytest.raises(ProviderRejected, match=f"No {len('json_schema')}"):
            await asked.complete(asking())
        assert server.kinds == ["json_schema", "json_object", ""]
        assert asked.learned_modes() == {}
        server.rules = forms.accepts_all
        await asked.complete(asking(seed=8))
    assert asked.learned_modes() == {MODEL: "schema"}


@pytest.mark.parametrize(
    ("status", "message", "fields"),
    [
        (401, "Incorrect API key provided.", {}),
        (404, "The model `x` does not exist.", {"code": "model_not_found"}),
        (400, "Invalid value for messages.", {"param": "messages[0].role"}),
    ],
)
async def test_what_has_another_reason_is_not_tried_again(
    status: int, message: str, fields: dict[str, str]
) -> None:
    fault = {"message": message, "type": "invalid_request_error", **fields}
    async with serving(lambda body: (status, {"error": fault})) as (server, asked):
        with pytest.raises(ProviderRejected, match="openai/x: "):
            await asked.complete(asking())
    assert server.kinds == ["json_schema"]


async def test_one_schema_that_is_refused_later_does_not_cost_the_others() -> None:
    def one_form(body: forms.Body) -> tuple[int, dict[str, Any]] | None:
        name = (body.get("response_format") or {}).get("json_schema", {}).get("name")
        return forms.llama_cpp(body) if name == "Odd" else None

    async with serving(one_form) as (server, asked):
        names = ["Verdict", "Odd", "Odd", "Verdict"]
        modes = [
            (await asked.complete(asking(seed=seed, name=name))).structured
            for seed, name in enumerate(names)
        ]
    assert modes == ["schema", "object", "object", "schema"]
    assert server.refused == 1
    assert asked.learned_modes() == {MODEL: "schema"}


async def test_the_mode_is_given_up_where_it_is_refused_for_several_schemas() -> None:
    async with serving() as (server, asked):
        await asked.complete(asking())
        server.rules = forms.openai_older  # another model was loaded
        for seed, name in enumerate(["A", "B", "C", "D"]):
            await asked.complete(asking(seed=seed, name=name))
    assert server.refused == 2
    assert asked.learned_modes() == {MODEL: "object"}


async def test_a_form_that_the_model_missed_is_asked_for_again_next_time() -> None:
    missed = {"message": "Failed to generate JSON.", "code": "json_validate_failed"}
    async with serving() as (server, asked):
        await asked.complete(asking())
        server.rules = lambda body: (
            (400, {"error": missed}) if body["seed"] == 1 and forms.kind(body) else None
        )
        modes = [(await asked.complete(asking(seed=seed))).structured for seed in (1, 2)]
    assert modes == ["prompt", "schema"]


@pytest.mark.parametrize(
    ("mode", "kind"), [("schema", "json_schema"), ("object", "json_object"), ("prompt", "")]
)
async def test_a_mode_that_is_set_is_kept_to(mode: Structured, kind: str) -> None:
    async with serving(enforces=False, structured=mode) as (server, asked):
        modes = [(await asked.complete(asking(seed=seed))).structured for seed in (1, 2)]
    assert server.kinds == [kind, kind]
    assert modes == [mode, mode]
    assert asked.learned_modes() == {}


async def test_a_mode_that_is_set_and_refused_says_so() -> None:
    async with serving(forms.deepseek, structured="schema") as (server, asked):
        with pytest.raises(ProviderRejected, match='unavailable now .structured = "schema" is set'):
            await asked.complete(asking())
    assert server.kinds == ["json_schema"]


async def test_a_mode_of_an_earlier_run_is_used_at_once() -> None:
    async with serving(forms.openai_without_forms, learned={MODEL: "prompt"}) as (server, asked):
        await asked.complete(asking())
    assert server.refused == 0
    assert asked.learned_modes() == {MODEL: "prompt"}


async def test_a_refused_parameter_is_no_refused_form() -> None:
    def no_seed(body: forms.Body) -> tuple[int, dict[str, Any]] | None:
        fault = {"type": "extra_forbidden", "loc": ["body", "seed"], "input": body}
        return (422, {"detail": [fault]}) if "seed" in body else None

    async with serving(no_seed) as (server, asked):
        completion = await asked.complete(asking())
    assert server.kinds == ["json_schema", "json_schema"]
    assert (completion.dropped, completion.structured) == (("seed",), "schema")

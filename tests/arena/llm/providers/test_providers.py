"""Calls to each provider through the real LiteLLM, against stand-ins on loopback.

`docs/models.md` has a row for each provider; its cells are the tests below.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from arena.llm.litellm_client import load_litellm
from arena.llm.provider_backend import ProviderBackend
from tests.arena.llm.providers import errors
from tests.arena.llm.providers.cases import PROVIDERS, Provider
from tests.servers.providers.base import KEY, Failure, Reply
from tests.servers.providers.connect import (
    OBJECT,
    USER,
    ask,
    check_errors,
    counted,
    outcome,
    prompt,
    usd,
)
from tests.servers.threads import in_thread

_PAGE = (Path(__file__).parents[4] / "docs" / "models.md").read_text("utf-8")
#: The columns of the table, and the field without which a provider has no such thing.
_COLUMNS = {
    "structured answers": "form_sent",
    "usage and cost": "price",
    "cached tokens": "cached",
    "thinking": "thinking_reply",
    "refusals": "refusals",
    "filters": "filters",
}
_LONG_SYSTEM = "The rules of the debate. " * 200

Start = Callable[[Callable[[], Any]], Any]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Start a stand-in, each kind of them once."""
    running: dict[Callable[[], Any], Any] = {}
    with ExitStack() as stack:

        def start_once(kind: Callable[[], Any]) -> Any:  # noqa: ANN401
            if kind not in running:
                running[kind] = stack.enter_context(in_thread(kind()))
            return running[kind]

        yield start_once


def every(attribute: str = "model") -> pytest.MarkDecorator:
    """Run a test for every provider that has something."""
    names = [name for name, case in PROVIDERS.items() if getattr(case, attribute)]
    return pytest.mark.parametrize("case", [PROVIDERS[name] for name in names], ids=names)


def has_sent(body: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Return whether a body has values at paths; None: nothing."""
    for path, value in expected.items():
        part: Any = body
        for key in path.split("."):
            part = part.get(key)
        if part != value:
            return False
    return True


@every()
async def test_strictness(case: Provider, start: Start) -> None:
    server = start(case.server)
    if case.other_model:
        other = prompt(case.other_model)
        assert await outcome(server, other, Reply(), **case.settings) == ("model", None)
    if case.misplaced:
        wrong = {"api_base": f"{server.url}{case.misplaced}", **case.settings}
        assert await outcome(server, case.model, Reply(), **wrong) == ("model", None)
    if case.unknown is not None:
        unknown = prompt(case.model, extra_body=case.unknown)
        assert await outcome(server, unknown, Reply(), **case.settings) == ("final", None)
        assert len(server.calls) == 1
    if case.has_key:
        wrong = {"api_key": "sk-other", **case.settings}
        assert await outcome(server, case.model, Reply(), **wrong) == ("key", None)


@every()
async def test_structured_answers(case: Provider, start: Start) -> None:
    server = start(case.server)
    request = prompt(case.model, schema=True, system="Answer in JSON.")
    completion = await ask(server, request, Reply(text=OBJECT), **case.settings)
    assert has_sent(server.body, case.form_sent)
    assert (completion.text, completion.structured) == (OBJECT, case.mode)
    assert completion.served_model == case.served_model
    assert completion.fingerprint == case.fingerprint


@every()
async def test_usage_and_cost(case: Provider, start: Start) -> None:
    server = start(case.server)
    completion = await ask(server, case.model, **case.settings)
    assert has_sent(server.body, case.usage_sent)
    assert counted(completion) == (2000, 0, 300, 0)
    assert completion.cost_usd == pytest.approx(usd((2000, case.price[0]), (300, case.price[1])))
    # Two parameters at once are too many for Anthropic.
    assert completion.dropped == (("top_p", "seed") if case.calls > 1 else ())


@every("cached")
async def test_cached_tokens(case: Provider, start: Start) -> None:
    assert case.cached is not None
    read, written = case.cached
    settings = {**case.settings, **case.cached_settings}
    reply = Reply(cached_tokens=read, written_tokens=written)
    completion = await ask(start(case.server), case.model, reply, **settings)
    assert counted(completion) == (2000, read, 300, 0)
    (read_price, written_price), (price, answer_price) = case.cached_price, case.price
    new = 2000 - read - written
    expected = usd((new, price), (read, read_price), (written, written_price), (300, answer_price))
    assert completion.cost_usd == pytest.approx(expected)


@every()
async def test_thinking(case: Provider, start: Start) -> None:
    server, model = start(case.thinker or case.server), case.thinking_model or case.model
    request = prompt(model, reasoning_effort="low", max_tokens=case.thinking_limit)
    completion = await ask(server, request, case.thinking_reply, **case.settings)
    assert has_sent(server.body, case.thinking_sent)
    assert completion.text == "Understood."
    assert counted(completion)[:3] == (2000, 0, 1000)
    if case.reasoning is not None:
        assert completion.usage.reasoning_tokens == case.reasoning
    price, answer_price = case.thinking_price or case.price
    assert completion.cost_usd == pytest.approx(usd((2000, price), (1000, answer_price)))
    if case.thinker is not None:
        assert completion.dropped == ("temperature", "top_p")


@every("refusals")
async def test_refusal(case: Provider, start: Start) -> None:
    for reply in case.refusals:
        request = prompt(case.model, schema=case.has_form)
        completion = await ask(start(case.server), request, reply, **case.settings)
        assert completion.finish_reason == "refusal", reply
        assert completion.refusal == reply.refusal
        assert completion.cost_usd > 0


@every()
async def test_cut_off(case: Provider, start: Start) -> None:
    for reply in case.cut_offs:
        completion = await ask(start(case.server), case.model, reply, **case.settings)
        assert (completion.finish_reason, completion.text) == ("length", reply.text), reply


@every("filters")
async def test_filter(case: Provider, start: Start) -> None:
    server = start(case.server)
    assert case.filters is not None
    for reply in case.filters(server):
        for schema in {False, case.has_form}:
            request = prompt(case.model, schema=schema)
            completion = await ask(server, request, reply, **case.settings)
            assert completion.finish_reason == "refusal"
            assert completion.text == ""
            if isinstance(reply, Failure) and reply.status != 200:
                assert completion.cost_usd == 0.0
                assert case.filter_words in completion.refusal
                assert len(server.calls) == case.calls


@every()
async def test_errors(case: Provider, start: Start) -> None:
    server, request = start(case.server), prompt(case.model, schema=case.has_form)
    errors = case.errors(server)
    await check_errors(server, request, errors, calls=case.calls, **case.settings)


@every()
async def test_what_can_happen_to_every_call(case: Provider, start: Start) -> None:
    failures = [failure for kind, failure in errors.GENERAL.items() if kind != "late"]
    server, expected = start(case.server), ["failed", "failed", "failed", "failed", "unavailable"]
    ends = [await outcome(server, case.model, failure, **case.settings) for failure in failures]
    assert ends == [(end, None) for end in expected]


@every()
async def test_an_answer_without_a_count_is_no_lost_answer(case: Provider, start: Start) -> None:
    server = start(case.server)
    reply = Reply(text="Cities are for people. " * 20, extra=server.uncounted)
    completion = await ask(server, case.model, reply, **case.settings)
    assert completion.text == reply.text.strip() or completion.text == reply.text
    assert completion.usage.output_tokens == pytest.approx(115, rel=0.3)
    assert (completion.cost_usd > 0) == (case.price[0] > 0)


@every("shapes")
async def test_a_request_in_another_shape(case: Provider, start: Start) -> None:
    server = start(case.server)
    for kind, failure in case.shapes(server).items():
        request = prompt(case.model, max_tokens=4900)
        assert await outcome(server, request, failure, **case.settings) == ("stop", None), kind
        assert len(server.calls) <= 3


@every()
async def test_prompt_caching(case: Provider, start: Start) -> None:
    server = start(case.server)
    await ask(server, case.model, **case.settings)
    assert has_sent(server.body, case.prompt_sent)
    assert len(server.calls) == case.calls


def table_rows() -> dict[str, dict[str, str]]:
    """Return the cells of the table in the documentation, by provider and column."""
    section = _PAGE.split("\n## What was checked of each provider\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    assert head == ["provider", *_COLUMNS]
    names = {row[0].lower(): row[1:] for row in rows}
    return {name: dict(zip(_COLUMNS, cells, strict=True)) for name, cells in names.items()}


def test_every_cell_of_the_table_has_a_test_and_every_test_a_cell() -> None:
    rows = table_rows()
    assert set(rows) == set(PROVIDERS)
    for name, cells in rows.items():
        for column, cell in cells.items():
            assert cell
            tested = bool(getattr(PROVIDERS[name], _COLUMNS[column]))
            assert tested is (cell != "–"), f"{name}: {column}"


def test_every_stand_in_says_what_it_was_written_from_and_when() -> None:
    for case in PROVIDERS.values():
        module = sys.modules[f"{case.server.__module__}"]
        assert "Written in November 2026 from" in re.sub(r"\s+", " ", module.__doc__ or "")
    assert "None of this was ever run against a provider's own service" in _PAGE


# What only one of the providers does.


async def test_openai_is_sent_the_key(start: Start) -> None:
    server = start(PROVIDERS["openai"].server)
    await ask(server, PROVIDERS["openai"].model)
    assert server.calls[-1].headers["authorization"] == f"Bearer {KEY}"


async def test_a_model_of_openai_may_think_until_the_limit(start: Start) -> None:
    case = PROVIDERS["openai"]
    assert case.thinker is not None
    silent = Reply(text="", end="length", answer_tokens=0, thinking_tokens=512)
    completion = await ask(start(case.thinker), case.thinking_model, silent)
    assert (completion.finish_reason, completion.text) == ("length", "")


async def test_thinking_until_the_limit_is_billed_by_gemini(start: Start) -> None:
    case = PROVIDERS["gemini"]
    completion = await ask(start(case.server), case.model, case.cut_offs[1])
    assert counted(completion) == (2000, 0, 512, 512)
    assert completion.cost_usd == pytest.approx(usd((2000, 0.3), (512, 2.5)))


async def test_a_prompt_that_gemini_blocks_is_billed(start: Start) -> None:
    server = start(PROVIDERS["gemini"].server)
    completion = await ask(server, PROVIDERS["gemini"].model, server.blocked("SAFETY"))
    assert counted(completion) == (2000, 0, 0, 0)


async def test_litellm_runs_nothing_after_calls_later_than_one_to_gemini(start: Start) -> None:
    await ask(start(PROVIDERS["gemini"].server), PROVIDERS["gemini"].model)
    litellm = load_litellm()
    assert not [*litellm.input_callback, *litellm.success_callback]
    assert not litellm._async_success_callback


async def test_anthropic_is_asked_without_its_deprecated_field_once_it_is_gone(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start(PROVIDERS["anthropic"].server)
    monkeypatch.setattr(server, "retired", True)
    request = prompt(PROVIDERS["anthropic"].model, schema=True)
    completion = await ask(server, request, Reply(text=OBJECT))
    assert "output_format" not in server.body
    assert (completion.text, completion.structured) == (OBJECT, "object")


async def test_an_answer_of_anthropic_may_end_with_the_context_window(start: Start) -> None:
    full = Reply(text="Cities sh", end="model_context_window_exceeded")
    case = PROVIDERS["anthropic"]
    completion = await ask(start(case.server), case.model, full, context_tokens=2300)
    assert (completion.finish_reason, completion.text) == ("length", "Cities sh")


async def test_anthropic_is_asked_to_cache_a_long_beginning(start: Start) -> None:
    server, model = start(PROVIDERS["anthropic"].server), PROVIDERS["anthropic"].model
    request = prompt(model, system=_LONG_SYSTEM)
    completion = await ask(server, request, Reply(written_tokens=1300))
    marked = {"type": "text", "text": _LONG_SYSTEM, "cache_control": {"type": "ephemeral"}}
    assert server.body["system"] == [marked]
    assert completion.cost_usd == pytest.approx(usd((700, 3.0), (1300, 3.75), (300, 15.0)))
    assert request.hash() == prompt(model, system=_LONG_SYSTEM).hash()
    assert [message.text for message in request.messages] == [_LONG_SYSTEM, USER]
    assert ProviderBackend({}).price(model)[0] == pytest.approx(3.75e-6)  # what the cap reserves


@pytest.mark.parametrize("name", ["anthropic", "openrouter"])
async def test_caching_is_not_asked_for_at_an_unknown_price(name: str, start: Start) -> None:
    server = start(PROVIDERS[name].server)
    long = prompt(PROVIDERS[name].model, system=_LONG_SYSTEM)
    await ask(server, long, usd_per_million=(3.0, 15.0))  # the price of writing is not known
    assert _LONG_SYSTEM in str(server.body)
    assert "cache_control" not in str(server.body)


async def test_the_seed_of_mistral_survives_further_fields(start: Start) -> None:
    server, model = start(PROVIDERS["mistral"].server), PROVIDERS["mistral"].model
    completion = await ask(server, prompt(model, extra_body={"safe_prompt": True}))
    assert completion.dropped == ()
    assert has_sent(server.body, {"random_seed": 7, "safe_prompt": True})
    assert ProviderBackend({}).price(model) == pytest.approx((1.5e-6, 7.5e-6))


async def test_the_provider_behind_openrouter_is_heard(start: Start) -> None:
    case = PROVIDERS["openrouter"]
    server = start(case.server)
    raw = '{"error": {"message": "temperature is not supported with this model"}}'
    refused = server.fault(400, "Provider returned error", raw=raw, provider_name="OpenAI")
    assert await outcome(server, case.model, refused, **case.settings) == ("final", None)
    assert "temperature" in server.calls[0].body
    assert "temperature" not in server.body  # it was left out, in vain


async def test_deepseek_counts_cached_tokens_beside_thinking(start: Start) -> None:
    case = PROVIDERS["deepseek"]
    reply = Reply(thinking="First, cars are loud.", thinking_tokens=700, cached_tokens=1536)
    completion = await ask(start(case.server), prompt(case.model, reasoning_effort="low"), reply)
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 1536, 1000, 700))
    assert completion.cost_usd == pytest.approx(usd((464, 0.28), (1536, 0.028), (1000, 0.42)))


async def test_deepseek_is_asked_by_schema_first(start: Start) -> None:
    server = start(PROVIDERS["deepseek"].server)
    request = prompt(PROVIDERS["deepseek"].model, schema=True, system="Answer in JSON.")
    await ask(server, request, Reply(text=OBJECT))
    kinds = [call.body["response_format"]["type"] for call in server.calls]
    assert kinds == ["json_schema", "json_object"]
    blocked = server.fault(400, "Content Exists Risk")
    completion = await ask(server, request, blocked)
    assert (completion.finish_reason, completion.cost_usd) == ("refusal", 0.0)


async def test_ollama_may_have_a_key_and_a_price(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, model = start(PROVIDERS["ollama"].server), PROVIDERS["ollama"].model
    monkeypatch.setattr(server, "key", "another")
    assert await outcome(server, model, Reply()) == ("key", None)
    monkeypatch.setattr(server, "key", KEY)
    completion = await ask(server, model, usd_per_million=(0.1, 0.2))
    assert completion.cost_usd == pytest.approx(usd((2000, 0.1), (300, 0.2)))


async def test_models_of_ollama_think_in_tags_or_not_at_all(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, model = start(PROVIDERS["ollama"].server), PROVIDERS["ollama"].model
    old = Reply(text="<think>First, cars are loud.</think>Understood.")
    assert (await ask(server, model, old)).text == "Understood."
    monkeypatch.setattr(server, "thinks", False)
    completion = await ask(server, prompt(model, reasoning_effort="low"))
    assert completion.dropped == ("reasoning_effort",)


async def test_vllm_has_an_older_and_a_newer_interface(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = PROVIDERS["vllm"]
    server = start(case.server)
    ignored = prompt(case.model, extra_body={"min_tokens_": 3})
    assert await outcome(server, ignored, Reply(), **case.settings) == ("stop", None)
    monkeypatch.setattr(server, "details", False)
    completion = await ask(server, case.model, Reply(cached_tokens=1536), **case.settings)
    assert counted(completion) == (2000, 0, 300, 0)
    monkeypatch.setattr(server, "field", "reasoning")
    completion = await ask(server, case.model, case.thinking_reply, **case.settings)
    assert (completion.text, counted(completion)) == ("Understood.", (2000, 0, 1000, 0))

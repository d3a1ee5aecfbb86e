"""Answers that stand elsewhere than in the content of a message, from a server on loopback."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from arena.errors import EmptyReply
from arena.llm.request import Completion, Request, Schema
from arena.prompts import Message, Rendered
from tests.servers import forms
from tests.servers.chat_bodies import completion, usage
from tests.servers.connected import request
from tests.servers.forms import MODEL, serving
from tests.support.debate_seats import language_model

SPEECH = "We support the motion. Costs fall, time is saved, and nobody pays for it but the idle."
THOUGHTS = "Okay, so the user wants a speech for Pro. Let me think about what to write."
VERDICT = '{"winner": "pro"}'
SCHEMA = Schema(
    name="Verdict",
    body={
        "type": "object",
        "properties": {"winner": {"type": "string"}},
        "required": ["winner"],
        "additionalProperties": False,
    },
)


async def answered(
    message: dict[str, Any], asked: Request, monkeypatch: pytest.MonkeyPatch, finish: str = "stop"
) -> Completion:
    """What the backend makes of a server's message."""
    whole = {"role": "assistant", "content": None} | message
    body = completion("x", whole, finish_reason=finish, usage=usage(20, 50))
    monkeypatch.setattr(forms, "_completion", lambda *_: body)
    async with serving(structured="prompt") as (_, backend):
        return await backend.complete(asked)


def call(arguments: object, **more: object) -> dict[str, Any]:
    return {"type": "function", "id": "1", "function": {"name": "f", "arguments": arguments}} | more


SPEECHES: dict[str, tuple[dict[str, Any], str]] = {
    "content": ({"content": SPEECH}, ""),
    "typed parts": ({"content": [{"type": "text", "text": SPEECH}]}, "parts"),
    "one part": ({"content": {"type": "output_text", "text": SPEECH}}, "parts"),
    "parts with a value": ({"content": [{"type": "text", "text": {"value": SPEECH}}]}, "parts"),
    "bare strings": ({"content": [SPEECH[:30], SPEECH[30:]]}, "parts"),
    "parts with thinking": (
        {"content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": SPEECH}]},
        "parts",
    ),
    "reasoning_content": ({"reasoning_content": SPEECH}, "reasoning"),
    "reasoning": ({"content": "", "reasoning": SPEECH}, "reasoning"),
    "a field of another name": ({"content": "", "thinking": SPEECH}, "reasoning"),
    "reasoning that ends": ({"reasoning_content": f"{THOUGHTS}</think>{SPEECH}"}, "reasoning"),
    "a call": ({"tool_calls": [call(json.dumps({"speech": SPEECH}))]}, "tool call"),
    "a call with an object": ({"tool_calls": [call({"speech": SPEECH})]}, "tool call"),
    "a call in the older form": (
        {"function_call": {"name": "f", "arguments": json.dumps({"text": SPEECH})}},
        "tool call",
    ),
    "a call as a part": (
        {"content": [{"type": "tool_use", "name": "f", "input": {"speech": SPEECH}}]},
        "tool call",
    ),
}


@pytest.mark.parametrize(("message", "place"), SPEECHES.values(), ids=SPEECHES)
async def test_a_speech_is_read_where_it_stands_and_that_is_noted(
    message: dict[str, Any], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = await answered(message, request(MODEL), monkeypatch)
    assert (read.text, read.place, read.finish_reason) == (SPEECH, place, "stop")
    assert read.usage.output_tokens == 50


VERDICTS: dict[str, tuple[dict[str, Any], str]] = {
    "content": ({"content": VERDICT}, ""),
    "an object as content": ({"content": {"winner": "pro"}}, "parts"),
    "reasoning": ({"reasoning_content": f"```json\n{VERDICT}\n```"}, "reasoning"),
    "a call": ({"tool_calls": [call(VERDICT)]}, "tool call"),
    "two calls that are the same": ({"tool_calls": [call(VERDICT), call(VERDICT)]}, "tool call"),
}


@pytest.mark.parametrize(("message", "place"), VERDICTS.values(), ids=VERDICTS)
async def test_a_form_is_read_where_it_stands(
    message: dict[str, Any], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = replace(request(MODEL), schema=SCHEMA)
    read = await answered(message, asked, monkeypatch)
    assert "".join(read.text.strip("`json\n").split()) == '{"winner":"pro"}'
    assert read.place == place


NO_ANSWER: dict[str, tuple[dict[str, Any], bool, str]] = {
    "thinking": ({"reasoning_content": THOUGHTS}, False, "thinking"),
    "a verdict within thinking": (
        {"reasoning_content": f"Perhaps {VERDICT}? Or not."},
        True,
        "thinking",
    ),
    "a call that asks for something": (
        {"tool_calls": [call('{"query": "costs of work"}')]},
        False,
        "tool call",
    ),
    "calls that differ": (
        {"tool_calls": [call(VERDICT), call('{"winner": "con"}', id="2")]},
        True,
        "tool call",
    ),
    "nothing": ({"content": ""}, False, ""),
}


@pytest.mark.parametrize(("message", "formed", "place"), NO_ANSWER.values(), ids=NO_ANSWER)
async def test_what_cannot_be_meant_is_no_answer(
    message: dict[str, Any], formed: bool, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = replace(request(MODEL), schema=SCHEMA if formed else None)
    read = await answered(message, asked, monkeypatch)
    assert (read.text, read.place) == ("", place)


async def test_reasoning_that_was_cut_off_is_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    message = {"reasoning_content": SPEECH}
    read = await answered(message, request(MODEL), monkeypatch, finish="length")
    assert (read.text, read.place, read.finish_reason) == ("", "thinking", "length")


async def test_thinking_in_the_content_is_left_for_us_to_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = f"<think>{THOUGHTS}</think>{SPEECH}"
    assert (await answered({"content": text}, request(MODEL), monkeypatch)).text == text


class Decision(BaseModel):
    reasoning: str
    marker: Literal["finished", "needs_material"]


PROMPT = Rendered(
    task="write.test",
    language="en",
    prompt_hash="abc",
    messages=(Message(role="user", text="Write it."),),
    variables={},
)
HEAD = '{"reasoning": "r", "marker": "finished"}'
#: What a server always answers with, and how that is noted.
ALWAYS: dict[str, tuple[dict[str, Any], str]] = {
    "Harmony's channels": (
        {
            "content": f"<|channel|>analysis<|message|>{THOUGHTS}<|end|><|start|>assistant"
            f"<|channel|>final<|message|>{HEAD}\n\n{SPEECH}<|return|>"
        },
        "thinking",
    ),
    "[THINK]": ({"content": f"[THINK]{THOUGHTS}[/THINK]{HEAD}\n\n{SPEECH}"}, "thinking"),
    "<think>": ({"content": f"<think>{THOUGHTS}</think>{HEAD}\n\n{SPEECH}"}, "thinking"),
    "a field": ({"content": json.dumps({**json.loads(HEAD), "body": [SPEECH]})}, "field"),
    "a call": (
        {"tool_calls": [call(json.dumps({**json.loads(HEAD), "speech": SPEECH}))]},
        "field, tool call",
    ),
    "reasoning": ({"reasoning_content": f"{HEAD}\n\n{SPEECH}"}, "reasoning"),
    "an object of its own": (
        {"content": json.dumps({"essay_text": SPEECH})},
        "field, no_object",
    ),
}


@pytest.mark.parametrize(("message", "bent"), ALWAYS.values(), ids=ALWAYS)
async def test_a_model_that_always_answers_so_is_read_and_counted(
    message: dict[str, Any],
    bent: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = {"role": "assistant", "content": None} | message
    body = completion("x", whole, usage=usage(20, 50))
    monkeypatch.setattr(forms, "_completion", lambda *_: body)
    async with serving() as (server, backend):
        model = language_model(backend, tmp_path, name=MODEL)
        composed = await model.compose(PROMPT, Decision, path="pro/1")
    assert composed.text == SPEECH
    assert [one.bent for one in model.unit.calls] == [bent]
    assert len(server.bodies) == 1


async def test_thinking_alone_is_asked_again_and_ends_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {"role": "assistant", "content": "", "reasoning_content": THOUGHTS}
    body = completion("x", whole, usage=usage(20, 50))
    monkeypatch.setattr(forms, "_completion", lambda *_: body)
    async with serving() as (server, backend):
        model = language_model(backend, tmp_path, name=MODEL)
        with pytest.raises(EmptyReply, match=r"nothing but its thinking.*`thinking_tokens`"):
            await model.write(PROMPT, path="pro/1")
    assert [one.bent for one in model.unit.calls] == ["thinking, unreadable"] * 2
    assert "the text alone" in server.bodies[-1]["messages"][-1]["content"]

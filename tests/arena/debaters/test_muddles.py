"""Inner agents that cannot be understood, once and always: every debater delivers its speech."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ContentFault
from arena.llm.request import Completion, Request
from tests.support.case_lists import for_every
from tests.support.debaters_at_work import AtWork
from tests.support.registered_debaters import CASES, SPEAKERS, at_work, saying
from tests.support.scripted_backend import Script, completion

SPEECH = "A shorter week keeps people healthy, because rest prevents errors."
#: The other agents of each case.
INNER: Mapping[str, tuple[str, ...]] = {
    "cot_plan": ("planner",),
    "agent4debate": ("searcher", "analyzer", "reviewer"),
    "without searcher": ("analyzer", "reviewer"),
    "without analyzer": ("searcher", "reviewer"),
    "without reviewer": ("searcher", "analyzer"),
    "self_reflect": ("reviewer",),
    "self_consistency": ("chooser",),
    "rerank": ("chooser",),
    "americano": ("writer", "reviewer"),
    "mad": ("judge",),
    "mad, all rounds": ("judge",),
    "debate_to_write": ("personas", "selector", "member", "critic", "planner"),
    "without personas": ("member", "critic", "planner"),
}
PAIRS = [(case, agent) for case, agents in INNER.items() for agent in agents]
TWO_SPEAKERS = [(case, agent) for case in SPEAKERS for agent in SPEAKERS[case]]
MUDDLES: Mapping[str, str | Completion] = {
    "prose": "It is fine as it is, I should think.",
    "empty": "",
    "blanks": " \n\t ",
    "no fields": "{}",
    "other fields": '{"decision": "yes"}',
    "cut off": '{"reasoning": "Because',
    "an echoed schema": '{"type": "object", "properties": {"marker": {"type": "string"}}}',
    "thinking only": "<think>Hm.</think>",
    "a refusal": completion("I would rather not.", finish="refusal"),
}
Muddle: TypeAlias = str | Completion


def agent_of(request: Request) -> str:
    """The agent of a call, by its path `pro/constructive/writer/1`."""
    return request.path.split("/")[2]


def confuse(
    script: Script, agent: str, muddle: Callable[[Request], Muddle], *, once: bool
) -> Script:
    """A script in which one agent's first answer, or every one, is a muddle."""
    confused: list[str] = []

    def answer(request: Request) -> Muddle:
        if agent_of(request) != agent or (once and confused):
            return script(request)
        confused.append(request.path)
        return muddle(request)

    return answer


async def play(case: str, confused: Callable[[Script], Script], folder: Path) -> AtWork:
    """A constructive of the busiest team, whose speech is known, with some agents confused."""
    made = at_work(case)
    busy, plain = made.backend.script, saying(SPEECH)

    def script(request: Request) -> Muddle:
        speaks = request.schema is None or request.prose
        asks = "needs_material" in str(busy(request)) if speaks else False
        return plain(request) if speaks and not asks else busy(request)

    made.backend.script = confused(script)
    return await made.play(folder, "constructive")


def fallbacks(made: AtWork) -> list[dict[str, Any]]:
    return [dict(step) for step in made.drafts["constructive"].trace if "fallback" in step]


def test_every_agent_is_listed() -> None:
    assert set(SPEAKERS) == set(CASES)


#: What was made where an agent answers with a muddle, by case, agent, muddle, and whether only
#: its first answer is one; tests only read it.
_MUDDLED: dict[tuple[str, str, str, bool], AtWork] = {}


async def muddled(case: str, agent: str, kind: str, folder: Path, *, once: bool) -> AtWork:
    key = (case, agent, kind, once)
    if key not in _MUDDLED:
        _MUDDLED[key] = await play(
            case,
            lambda script: confuse(script, agent, lambda _: MUDDLES[kind], once=once),
            folder / str(once),
        )
    return _MUDDLED[key]


@for_every(PAIRS, MUDDLES)
async def test_a_muddle_ends_no_speech(case: str, agent: str, kind: str, tmp_path: Path) -> None:
    for once in (True, False):
        made = await muddled(case, agent, kind, tmp_path, once=once)
        assert made.drafts["constructive"].text == SPEECH
        for step in fallbacks(made):
            assert set(step) == {"agent", "fallback", "fault"}
            assert step["fault"] in ("Refusal", "EmptyReply", "TruncatedReply", "UnparseableReply")


@for_every(PAIRS)
async def test_what_was_done_without_is_counted(case: str, agent: str, tmp_path: Path) -> None:
    once = await muddled(case, agent, "a refusal", tmp_path, once=True)
    assert [step["fault"] for step in fallbacks(once)] == ["Refusal"]
    always = await muddled(case, agent, "a refusal", tmp_path, once=False)
    asked = [request for request in always.backend.requests if agent_of(request) == agent]
    assert len(fallbacks(always)) == len(asked) >= 1


@for_every(PAIRS)
async def test_an_answer_that_is_mended_is_no_fallback(
    case: str, agent: str, tmp_path: Path
) -> None:
    made = await muddled(case, agent, "empty", tmp_path, once=True)
    assert not fallbacks(made)


@for_every(SPEAKERS, ["empty", "a refusal"])
async def test_without_any_speech_the_fault_is_raised(case: str, kind: str, tmp_path: Path) -> None:
    def confused(script: Script) -> Script:
        for agent in SPEAKERS[case]:
            script = confuse(script, agent, lambda _: MUDDLES[kind], once=False)
        return script

    with pytest.raises(ContentFault):
        await play(case, confused, tmp_path)


#: Words, JSON of all kinds, and what models put around it.
ANYTHING = st.one_of(
    st.text(max_size=80),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=10),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["reasoning", "marker", "claim", "queries", "kept", "settled", "x"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    ).map(json.dumps),
    st.sampled_from(['{"a": 1}{"a": 2}', "```json\n{}\n```", "</think>", "[1]", "finished"]),
)


@pytest.mark.parametrize("case", INNER)
@settings(max_examples=15, deadline=None)
@given(answers=st.lists(ANYTHING, min_size=1, max_size=5))
def test_whatever_inner_agents_answer_the_speech_is_delivered(
    case: str, answers: list[str]
) -> None:
    def confused(script: Script) -> Script:
        def answer(request: Request) -> Muddle:
            if agent_of(request) in SPEAKERS[case]:
                return script(request)
            return answers[len(request.path) % len(answers)]

        return answer

    with tempfile.TemporaryDirectory() as folder:
        made = asyncio.run(play(case, confused, Path(folder)))
    assert made.drafts["constructive"].text == SPEECH


@for_every(TWO_SPEAKERS)
async def test_a_speaker_who_answers_with_the_speech_alone_is_understood(
    case: str, agent: str, tmp_path: Path
) -> None:
    alone = "The speech alone, without any object before it."
    made = await play(
        case,
        lambda script: confuse(script, agent, lambda _: alone, once=False),
        tmp_path,
    )
    assert made.drafts["constructive"].text in (alone, SPEECH)
    assert not fallbacks(made)

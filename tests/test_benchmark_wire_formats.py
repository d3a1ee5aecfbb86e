"""Tournaments at servers that speak the providers' wire formats, with their faults."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.wire_formats import Case, Result, cases_of, play, play_format, summarise
from tests.arena.llm.providers.cases import PROVIDERS
from tests.servers.providers.base import Reply

pytestmark = pytest.mark.usefixtures("no_stored_boards")

#: A fault of each format, of different kinds.
_FAULTS = {
    "openai": "rate_limit",
    "azure": "refusal",
    "anthropic": "no count",
    "gemini": "quota",
    "ollama": "request",
    "vllm": "key",
    "openrouter": "quota",
    "mistral": "length",
    "deepseek": "model",
    "sglang": "window",
    "tgi": "system",
    "llama.cpp": "unavailable",
    "lm studio": "PromptTooLong",
    "dashscope": "quota",
}
#: All its faults are tried in each run of the slow tests; those of a format take minutes.
_WHOLE = "anthropic"


@pytest.fixture(autouse=True)
def short_speeches() -> None:
    """Check the length that is asked of speeches, as a tournament does."""


@pytest.mark.parametrize(("name", "kind"), _FAULTS.items(), ids=list(_FAULTS))
def test_a_fault_has_the_right_owner_and_the_right_cost(name: str, kind: str) -> None:
    provider = PROVIDERS[name]
    server = provider.server()
    case = next(case for case in cases_of(provider, server) if case.kind == kind)
    result = play(provider, server, case)
    assert result.fault == ""
    assert server.calls and result.estimated is (kind == "no count")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name == _WHOLE else pytest.mark.deep)
        for name in PROVIDERS
    ],
)
def test_all_faults_of_a_format(name: str) -> None:
    results = play_format(name)
    assert [(result.case, result.fault) for result in results if result.fault] == []
    row = summarise(name, results)
    assert row["right"] == row["cases"] == len(results) > 20


def test_what_is_wrong_is_said() -> None:
    case = Case(kind="quota", answer=Reply(), end="stopped: quota", wait=7.0)
    right = Result(
        case=case,
        end="stopped: quota",
        told="Add credit.",
        extra=8,
        booked=1.009,
        counted=1.0,
        estimated=False,
        waits=(7.0,),
    )
    assert right.fault == ""
    assert replace(right, end="void").fault == "void, not stopped: quota"
    assert replace(right, told="").fault == "mute"
    assert replace(right, waits=()).fault == "waits (), not 7.0"
    assert replace(right, extra=9).fault == "9 requests too many"
    assert replace(right, booked=1.02).fault == "cost off by 1.020"
    assert replace(right, booked=0.5, counted=0.0).fault == "cost off by inf"
    assert replace(right, booked=2.0, estimated=True).fault == ""
    assert replace(right, booked=0.0, counted=0.0).ratio == 1.0

"""What a call took: tokens read from what providers count, and what they cost."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.llm.request import Request, Usage
from arena.llm.usage import (
    cost_at,
    count_embedded,
    count_usage,
    estimate_tokens,
    is_absurd,
    read_usage,
)
from arena.prompts import Message
from arena.records import Sampling

COUNTS = st.integers(0, 10_000)


def answered(asked: int, made: int, *, total: int = 0, cached: int = 0, thought: int = 0) -> object:
    usage = SimpleNamespace(
        prompt_tokens=asked,
        completion_tokens=made,
        total_tokens=total,
        prompt_tokens_details=SimpleNamespace(cached_tokens=cached),
        completion_tokens_details=SimpleNamespace(reasoning_tokens=thought),
    )
    return SimpleNamespace(usage=usage)


@pytest.mark.parametrize(
    ("given_", "output"),
    [
        (answered(10, 30, total=40, thought=20), 30),  # OpenAI, Anthropic, DeepSeek
        (answered(10, 30, total=60, thought=20), 50),  # counted on top
        (answered(10, 30, thought=20), 30),  # no total: within, as most do
        (answered(10, 5, thought=20), 25),  # more than there is: on top
        (answered(10, 30, total=40), 30),
    ],
)
def test_reasoning_is_output_wherever_it_is_counted(given_: object, output: int) -> None:
    usage = read_usage(given_)
    assert usage is not None
    assert usage.output_tokens == output


def test_no_count_is_no_usage() -> None:
    assert read_usage(SimpleNamespace(usage=None)) is None
    assert read_usage(answered(0, 0)) is None
    bare = SimpleNamespace(usage=SimpleNamespace(prompt_tokens=3, completion_tokens=None))
    assert read_usage(bare) == Usage(input_tokens=3, output_tokens=0)


@pytest.mark.parametrize(
    "absurd",
    [
        answered(-1, 5),
        answered(10, -5),
        answered(10, 5, cached=-3),
        answered(10, 5, thought=-3),
        answered(10, 5, total=-1),
    ],
)
def test_an_absurd_count_is_no_usage(absurd: object) -> None:
    assert read_usage(absurd) is None


def asked_for(text: str) -> Request:
    return Request(
        model="openai/m",
        messages=(Message(role="user", text=text),),
        task="smoke",
        path="x",
        seed=0,
        sampling=Sampling(max_tokens=1000),
    )


@pytest.mark.parametrize(
    ("sent", "counted"),
    [
        (answered(10, 0), (10, 25)),  # the answer is not free because its count is missing
        (answered(0, 30), (50, 30)),
        (answered(10, 30), (10, 30)),
    ],
)
def test_what_a_count_leaves_out_is_estimated(sent: object, counted: tuple[int, int]) -> None:
    usage = count_usage(asked_for("word" * 50), sent, "text" * 25)
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == counted
    assert usage.estimated == (counted != (10, 30))


def test_an_answer_without_a_text_may_have_no_tokens() -> None:
    usage = count_usage(asked_for("word"), answered(10, 0), "")
    assert usage == Usage(input_tokens=10, output_tokens=0)


def test_a_count_beyond_what_a_call_can_have_is_absurd() -> None:
    asked = asked_for("word " * 100_000)
    possible = [(500_000, 100), (600_000, 132_000), (10, 131_072), (131_072, 10)]
    for input_tokens, output_tokens in possible:
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        assert not is_absurd(usage, asked, "short")
    assert not is_absurd(Usage(input_tokens=1, output_tokens=500_000), asked, "x" * 400_000)
    for input_tokens, output_tokens in [(10**6, 1), (1, 132_200), (10**30, 10**30)]:
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        assert is_absurd(usage, asked, "short")


def test_no_more_is_cached_than_was_asked() -> None:
    assert read_usage(answered(10, 1, cached=99)) == Usage(
        input_tokens=10, output_tokens=1, cached_tokens=10
    )


@given(COUNTS, COUNTS, COUNTS, st.floats(0, 1))
def test_what_is_cached_costs_less_and_never_nothing_less(
    asked: int, made: int, cached: int, discount: float
) -> None:
    price = (2.0, 8.0)
    usage = Usage(input_tokens=asked, output_tokens=made, cached_tokens=min(cached, asked))
    full = cost_at(usage, price)
    assert full == asked * 2.0 + made * 8.0
    cheaper = cost_at(usage, price, 2.0 * discount)
    assert made * 8.0 <= cheaper <= full or cheaper == pytest.approx(full)
    assert full - cheaper == pytest.approx(usage.cached_tokens * 2.0 * (1 - discount), abs=1e-6)


def test_estimated_tokens() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("abcde") == 2
    assert estimate_tokens("四个汉字 ab") == 5


@pytest.mark.parametrize("tokens", [True, False, None, 0, -3, 2.5, "7", 10**12])
def test_counts_of_embeddings_that_cannot_be_true_are_estimated(tokens: object) -> None:
    response = SimpleNamespace(usage=SimpleNamespace(prompt_tokens=tokens))
    usage, is_counted = count_embedded(response, ["four words are here!", "more"])
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (6, 0, True)
    assert not is_counted


def test_counts_of_embeddings_are_the_providers() -> None:
    response = SimpleNamespace(usage=SimpleNamespace(prompt_tokens=7))
    assert count_embedded(response, ["some text"]) == (Usage(input_tokens=7, output_tokens=0), True)

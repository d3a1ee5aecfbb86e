"""Events that happen a hundred times: one line, and counts."""

from __future__ import annotations

import pytest

from arena.tournament.event_lines import Causes, EventLines, normalise


def test_the_first_of_a_cause_is_printed_and_again_when_there_are_ten_times_as_many() -> None:
    printed: list[str] = []
    events = EventLines(printed.append)
    news = [
        events.add("void", f"{n:08x}", f"openai/x: timed out after {n}.5 s") for n in range(128)
    ]
    assert printed == [
        "debate 00000000 is void: openai/x: timed out after 0.5 s",
        "10 void debates by now: openai/x: timed out after 0.5 s",
        "100 void debates by now: openai/x: timed out after 0.5 s",
    ]
    assert news == [True] + [False] * 127
    (cause,) = events.causes("void")
    assert (cause.count, cause.example) == (128, "00000000")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("limit of 200 tokens", "limit of 1,310.5 tokens"),
        (
            "request req_011CSHoEeqs5C35K2UUqR7Fy failed",
            "request req_024ab39ZeQs5C35K2UUqR0aa failed",
        ),
        ("id 3f2a9c77e01b", "id 00aa9c77e01b"),
        (
            "trace 123e4567-e89b-12d3-a456-426614174000",
            "trace 99999999-e89b-12d3-a456-abcdefabcdef",
        ),
        ("seed=17", "seed=18"),
        ("pro, rebuttal: Refusal", "con, summary: Refusal"),
        ("away since 02:14", "away since 03:15"),
    ],
)
def test_ids_and_numbers_do_not_make_another_cause(first: str, second: str) -> None:
    assert normalise(first) == normalise(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("openai/gpt-4: refused", "openai/gpt-5: refused"),
        ("openai/qwen2.5-7b away", "openai/qwen2.5-14b away"),
        ("http://127.0.0.1:8000/v1 away", "http://127.0.0.1:8001/v1 away"),
        ("10.0.0.1 away", "10.0.0.2 away"),
        ("Refusal: no", "EmptyReply: no"),
        ("the address is not defaced", "the address is not decided"),
    ],
)
def test_models_and_addresses_do(first: str, second: str) -> None:
    assert normalise(first) != normalise(second)


def test_words_of_models_do_not_make_endless_lines() -> None:
    printed: list[str] = []
    events = EventLines(printed.append)
    for first in "abcdefghijklmnopqrstuvwxyz":
        for second in "abcdefghij":
            events.add("forfeit", "1", f"Refusal: I will not say {first}{second}.")
    assert len(printed) < 20
    assert sum(cause.count for cause in events.causes("forfeit")) == 260


def test_a_reason_is_one_safe_line() -> None:
    printed: list[str] = []
    EventLines(printed.append).add("void", "1", "two\nlines \x1b[2J" + "x" * 5000)
    (line,) = printed
    assert "two lines [2J" in line and len(line) < 1100 and line.endswith("…")


def test_what_is_said_once_is_never_counted() -> None:
    printed: list[str] = []
    events = EventLines(printed.append)
    for _ in range(100):
        events.add("dropped", "1", "openai/x does not accept top_p")
    assert printed == ["openai/x does not accept top_p"]


def test_the_most_frequent_cause_comes_first() -> None:
    causes = Causes([("a", "seldom"), ("b", "often"), ("c", "often")])
    assert [(cause.reason, cause.count, cause.example) for cause in causes] == [
        ("often", 2, "b"),
        ("seldom", 1, "a"),
    ]
    assert causes.count == 3

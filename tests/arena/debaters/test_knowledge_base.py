"""Queries made of texts: what an opponent says, not its greeting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.debaters.knowledge_base import LONGEST_QUERY, opening, shorten_query

CONTENT = "Shorter weeks leave output as it was. Trials in four countries show it."
CHINESE_CONTENT = "缩短工时并不会降低企业的产出。四个国家的试点都证明了这一点。"
GREETINGS = [
    "Good evening, judges.",
    "Thank you, Chair.",
    "Ladies and gentlemen, honourable judges, dear opponents!",
    "Thank you. Good morning, everyone, and thank you for being here tonight.",
    "I would like to thank the other side for its thoughtful speech.",
    "Dear judges,",
    "Hello! My name is Ann.",
    "It is a pleasure to stand before you tonight.",
]
CHINESE_GREETINGS = [
    "尊敬的评委，各位观众，大家好！",
    "谢谢主席，各位评委好。",
    "感谢对方辩友的精彩发言。",
    "主席好，各位评委、对方辩友，下午好！",
    "大家好，我是正方一辩。",
]


@pytest.mark.parametrize("greeting", ["", *GREETINGS])
def test_greetings_and_thanks_are_skipped(greeting: str) -> None:
    assert opening(f"{greeting} {CONTENT}") == CONTENT


@pytest.mark.parametrize("greeting", ["", *CHINESE_GREETINGS])
def test_they_are_skipped_in_chinese(greeting: str) -> None:
    assert opening(greeting + CHINESE_CONTENT) == CHINESE_CONTENT


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to automation, output per hour has risen for decades.",
        "Everyone gains from a shorter working week.",
        "Judges in labour courts see the same cases every year.",
        "Respected economists disagree about the effect on wages.",
        "Hiring becomes easier where the week is shorter.",
        "大家都知道加班损害健康，研究也证实了这一点。",
    ],
)
def test_content_that_begins_alike_is_kept(text: str) -> None:
    assert opening(text) == text


def test_a_greeting_alone_is_still_a_query() -> None:
    assert opening("Good evening, judges.") == "Good evening, judges."
    assert opening("Yes. No.") == "Yes. No."


@given(st.text(max_size=900))
def test_queries_are_within_the_limit_and_from_the_text(text: str) -> None:
    for query in (opening(text), shorten_query(text)):
        assert len(query) <= LONGEST_QUERY
        assert all(word in text for word in query.split()) or "[" in text
    assert opening(text) == opening(text)

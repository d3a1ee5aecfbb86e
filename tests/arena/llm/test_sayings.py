"""What servers say: each expression finds its own sentence, and none that means something else."""

from __future__ import annotations

import pytest

from arena.llm.sayings import all_sayings, find_number, find_saying, says

_ALL = [(meaning, saying) for meaning, listed in all_sayings().items() for saying in listed]


def test_an_expression_finds_its_own_sentence_before_others_do() -> None:
    for meaning, saying in _ALL:
        found = find_saying(meaning, saying.sentence)
        assert found is not None and found.re == saying.expression, saying.sentence


def test_a_sentence_says_nothing_else_than_is_noted() -> None:
    for meaning, saying in _ALL:
        said = {other for other in all_sayings() if says(other, saying.sentence)}
        assert said == {meaning, *saying.also}, saying.sentence


def test_a_sentence_states_its_number() -> None:
    stated = [(meaning, saying) for meaning, saying in _ALL if saying.number is not None]
    assert len(stated) > 15
    for meaning, saying in stated:
        assert find_number(meaning, saying.sentence) == saying.number, saying.sentence


@pytest.mark.parametrize("meaning", all_sayings())
def test_plain_words_say_nothing(meaning: str) -> None:
    assert not says(meaning, "Something else is wrong with message 3 of 4.")

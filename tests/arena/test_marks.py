"""Citation marks: how they are read, rewritten and counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.languages import CHINESE, ENGLISH, LANGUAGES, SIDES, Side, language, sentences
from arena.languages.language import pair_language
from arena.languages.marks import MARKS, SHOWN_MARKS

P, C = "pro", "con"

in_both_languages = pytest.mark.parametrize("code", LANGUAGES)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("None.", []),
        ("One [P3].", [(P, 3)]),
        ("Lower case [c3].", [(C, 3)]),
        ("In words [Pro 3], [con3].", [(P, 3), (C, 3)]),
        ("A list [P3, P7], [P3,C7].", [(P, 3), (P, 7), (P, 3), (C, 7)]),
        ("A letter holds on [P3, 7].", [(P, 3), (P, 7)]),
        ("But not backwards [7, C3].", [(None, 7), (C, 3)]),
        ("Adjacent [P3][C7].", [(P, 3), (C, 7)]),
        ("Blanks [ P 3 ].", [(P, 3)]),
        (
            "中文[正3]、[反3，反7]、［正3、7］、【反1】。",
            [(P, 3), (C, 3), (C, 7), (P, 3), (P, 7), (C, 1)],
        ),
        ("全角［３］，[正方２]。", [(None, 3), (P, 2)]),
        ("Zero [0], many [P999].", [(None, 0), (P, 999)]),
        ("No marks: [a], [], [2024], (P1), P1], [A3], [P], [Px3], [P3-5], [page 3], 【1】.", []),
    ],
)
def test_marks_are_read(text: str, marks: list[tuple[Side | None, int]]) -> None:
    assert [(mark.side, mark.number) for mark in MARKS.find(text)] == marks


def test_the_marks_of_answers_are_read_only_where_they_are_shown() -> None:
    text = "So [A3], [b4], [甲5]."
    assert MARKS.find(text) == []
    assert [(mark.side, mark.number) for mark in SHOWN_MARKS.find(text)] == [(P, 3), (C, 4), (P, 5)]


def test_a_mark_knows_where_its_brackets_stand() -> None:
    text = "Yes [P1, 2]."
    assert {text[mark.start : mark.end] for mark in MARKS.find(text)} == {"[P1, 2]"}


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("[ p3 ], [P3,7] and［3，7］.", "[X3], [X3,X7] and[X3，X7]."),
        ("【正3】 but 【3】 and [a]", "[X3] but 【3】 and [a]"),
    ],
)
def test_brackets_keep_their_commas(text: str, rewritten: str) -> None:
    assert MARKS.rewrite(text, lambda _: "X") == rewritten
    assert MARKS.rewrite(text, lambda _: None) == text


def test_only_the_marks_of_a_side_are_removed() -> None:
    text = "One [P1]. Two [C2]. Three [3]. Four [P1, C2]. 五[反2]。六[正1]。"
    assert MARKS.remove(text, "pro") == "One. Two [C2]. Three. Four [P1, C2]. 五[反2]。六。"
    assert MARKS.remove(text) == "One. Two. Three. Four. 五。六。"


@in_both_languages
def test_letters_differ_and_follow_from_the_label(code: str) -> None:
    for spoken in (language(code), pair_language(language(code))):
        assert spoken.marks["pro"] != spoken.marks["con"]
        for side in SIDES:
            assert spoken.marks[side] in spoken.sides[side]


@in_both_languages
@pytest.mark.parametrize("side", SIDES)
@given(numbers=st.lists(st.integers(0, 999), min_size=1, max_size=4), place=st.integers(0, 30))
def test_a_letter_adds_no_words(code: str, side: Side, numbers: list[int], place: int) -> None:
    spoken = language(code)
    text = {"en": "Wages rise, and so does output.", "zh": "工资上涨，产出也上涨，第3次。"}[code]
    plain = f"{text[:place]} [{', '.join(map(str, numbers))}]{text[place:]}"
    lettered = MARKS.rewrite(plain, lambda _: spoken.marks[side])
    assert lettered != plain
    assert spoken.count(lettered) == spoken.count(plain)


def test_brackets_around_other_words_are_counted_as_before() -> None:
    assert CHINESE.count("[第3]") == 2 and CHINESE.count("[正3]") == CHINESE.count("[3]") == 1
    assert ENGLISH.count("So it is [P3, 7].") == 5


def test_a_mark_stays_with_the_sentence_that_it_ends() -> None:
    text = "One. [P2] Two? [P2, 7][C1] 三。[正2]四！【x】"
    assert sentences(text) == ["One. [P2]", "Two? [P2, 7][C1]", "三。[正2]", "四！", "【x】"]


@pytest.mark.parametrize("piece", ["[1", "[1,", "[P1, ", "1" * 9, "[正", "  ", "[[P"])
def test_hostile_brackets_are_read_in_no_time(piece: str) -> None:
    text = piece * 20_000
    assert MARKS.find(text) == []
    assert MARKS.remove(text) == text
    assert CHINESE.count(text) >= 0 and len(sentences(f"So.{text}")) >= 1

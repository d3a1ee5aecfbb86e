"""Documents cut into excerpts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.languages import CHINESE
from arena.search.excerpts import LONGEST, flatten, split_excerpts

texts = st.lists(
    st.sampled_from(
        [
            "Wages rose.",
            "工资上涨了。",
            " ",
            "\n",
            "\n\n",
            "word ",
            "字" * 40,
            "x" * 200,
            "[3]",
            "A b.",
        ]
    ),
    max_size=60,
).map("".join)


def test_short_paragraphs_share_an_excerpt() -> None:
    assert split_excerpts("# Title\n\nWages rose.\nSo did output [2].\n\nEnd.") == [
        "# Title Wages rose. So did output (2). End."
    ]


def test_long_texts_are_divided_between_sentences() -> None:
    sentence = "One two three four five six seven eight nine ten."
    assert split_excerpts(" ".join([sentence] * 31)) == [" ".join([sentence] * 15)] * 2 + [sentence]


def test_chinese_is_measured_in_characters() -> None:
    sentence = "一二三四五六七八九十。"
    result = split_excerpts(sentence * 31)
    assert [one.count("。") for one in result] == [15, 15, 1]


def test_what_has_no_sentences_is_divided_all_the_same() -> None:
    assert [len(one) for one in split_excerpts("字" * 400)] == [150, 150, 100]
    words = split_excerpts("word " * 400)
    assert "".join(words).count("word") == 400
    assert all(one.split() == ["word"] * len(one.split()) for one in words)


@given(texts)
def test_no_excerpt_is_too_long_or_blank(text: str) -> None:
    for one in split_excerpts(text):
        assert one.strip() and "\n" not in one
        assert CHINESE.count(one) <= LONGEST


@given(texts)
def test_nothing_is_lost(text: str) -> None:
    kept = "".join("".join(split_excerpts(text)).split())
    assert kept == "".join(flatten(text).split())

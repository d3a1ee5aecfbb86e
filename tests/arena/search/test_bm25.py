"""BM25 over findings, in both languages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.search.bm25 import LONGEST_PAGE, SearchIndex, select_excerpts, tokens
from arena.search.tool import Finding

SHELF = (
    "A four-day week raised output in a trial.",
    "Wages did not fall in the four-day trial.",
    "四天工作制提高了产出。",
    "工资并没有下降。",
)


def findings(*texts: str) -> list[Finding]:
    return [Finding(origin=f"{n}", excerpt=text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("query", "origins"),
    [
        ("wages", ["1"]),
        ("the four-day trial", ["0", "1"]),
        ("工资下降", ["3"]),
        ("四天工作", ["2"]),
        ("the of and", []),
        ("unheard", []),
        ("", []),
    ],
)
def test_what_shares_words_with_the_query_is_found(query: str, origins: list[str]) -> None:
    best = SearchIndex(findings(*SHELF)).best(query, most=3)
    assert sorted(one.origin for one in best) == origins


def test_no_more_than_wanted_are_given() -> None:
    assert len(SearchIndex(findings(*["same words"] * 9)).best("words", most=4)) == 4


@pytest.mark.parametrize("texts", [(), ("",), ("the of",)])
def test_where_there_is_nothing_nothing_is_found(texts: tuple[str, ...]) -> None:
    assert SearchIndex(findings(*texts)).best("the words", most=3) == ()


words = st.lists(st.sampled_from(["tax", "law", "work", "week", "town"]), min_size=1, max_size=6)


@given(st.lists(words, min_size=1, max_size=12), words)
def test_the_order_is_that_of_bm25_and_ties_keep_theirs(
    shelf: list[list[str]], query: list[str]
) -> None:
    made = SearchIndex(findings(*(" ".join(one) for one in shelf)))
    got = [int(one.origin) for one in made.best(" ".join(query), most=len(shelf))]
    scores = [_bm25(one, query, shelf) for one in shelf]
    wanted = sorted((n for n in range(len(shelf)) if scores[n] > 0), key=lambda n: -scores[n])
    assert set(got) == set(wanted)
    for earlier, later in zip(got, got[1:], strict=False):
        assert scores[earlier] >= scores[later] - 1e-5
        if shelf[earlier] == shelf[later]:
            assert earlier < later


def _bm25(document: Sequence[str], query: Sequence[str], shelf: Sequence[Sequence[str]]) -> float:
    """Lucene's variant, word by word, k1 = 1.5 and b = 0.75."""
    mean = sum(map(len, shelf)) / len(shelf)
    counts = Counter(document)
    score = 0.0
    for word in query:
        holding = sum(word in one for one in shelf)
        rarity = math.log(1 + (len(shelf) - holding + 0.5) / (holding + 0.5))
        length = 1.5 * (1 - 0.75 + 0.75 * len(document) / mean)
        score += rarity * counts[word] / (counts[word] + length)
    return score


def test_chinese_words_are_pairs_of_characters() -> None:
    assert tokens("The 4-day week 四天工作") == ["4", "day", "week", "四天", "天工", "工作"]
    assert tokens("好") == ["好"]


@given(st.lists(words, max_size=40), words)
def test_of_a_page_the_best_excerpts_are_read_once_each_in_its_order(
    shelf: list[list[str]], query: list[str]
) -> None:
    page = [Finding(origin="page", excerpt=" ".join(text)) for text in shelf]
    read = select_excerpts(page, " ".join(query))
    distinct = list(dict.fromkeys(page))
    assert list(read) == [finding for finding in distinct if finding in read]
    assert len(read) <= LONGEST_PAGE
    if len(distinct) <= LONGEST_PAGE:
        assert list(read) == distinct
    elif any(word in finding.excerpt.split() for word in query for finding in distinct):
        best = SearchIndex(distinct).best(" ".join(query), most=LONGEST_PAGE)
        assert set(read) == set(best)
    else:
        assert list(read) == distinct[:LONGEST_PAGE]

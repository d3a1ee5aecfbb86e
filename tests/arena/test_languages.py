"""Languages of debates: their words, their length, their sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena.debaters
from arena.errors import ConfigError, ContentFault
from arena.languages import (
    CHINESE,
    ENGLISH,
    LANGUAGES,
    SIDES,
    STAGES,
    Language,
    language,
    other_side,
    sentences,
)
from arena.languages.language import making_words

PIECES = [
    "One.",
    " Two?",
    "三。",
    "四！",
    "“So.”",
    " [3]",
    "3.5",
    "...",
    "\n",
    " ",
    "a",
    "，",
    "（五。）",
]

prose = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=12).map("".join)


def without_blanks(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" \n ", 0),
        ("One two\nthree.", 3),
        ("It's a well-known fact.", 4),
    ],
)
def test_english_counts_words(text: str, words: int) -> None:
    assert ENGLISH.count(text) == words


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", 0),
        ("。，！ \n", 0),
        ("今天天气很好。", 6),
        ("今天 AI 很强", 5),
        ("AI技术", 3),
        ("well-known 的 it's", 3),
    ],
)
def test_chinese_counts_characters_and_foreign_words(text: str, units: int) -> None:
    assert CHINESE.count(text) == units


@given(prose, prose)
@pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)
def test_paragraphs_count_as_much_together_as_apart(
    spoken: Language, first: str, second: str
) -> None:
    assert spoken.count(f"{first}\n{second}") == spoken.count(first) + spoken.count(second)


def test_a_limit_of_600_words_is_960_characters() -> None:
    assert ENGLISH.limit(600) == 600
    assert CHINESE.limit(600) == 960


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("No end", ["No end"]),
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("It rose by 3.5 per cent. Good.", ["It rose by 3.5 per cent.", "Good."]),
        ("He said “no.” She left.", ["He said “no.”", "She left."]),
        ("Proven. [2, 5] Next.", ["Proven. [2, 5]", "Next."]),
        ("Really?! Yes...", ["Really?!", "Yes..."]),
        ("一。二！三？四", ["一。", "二！", "三？", "四"]),
        ("已证明。[3]接着说。", ["已证明。[3]", "接着说。"]),
        ("他说：“不。”她走了。", ["他说：“不。”", "她走了。"]),
        ("One.\n\nTwo.", ["One.", "Two."]),
    ],
)
def test_sentences_end_at_their_marks(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(prose)
def test_sentences_keep_everything_but_blanks(text: str) -> None:
    assert without_blanks("".join(sentences(text))) == without_blanks(text)


@given(prose)
def test_no_sentence_is_blank_or_padded(text: str) -> None:
    assert all(one and one == one.strip() for one in sentences(text))


@given(prose)
def test_sentences_follow_each_other_in_the_text(text: str) -> None:
    end = 0
    for one in sentences(text):
        end = text.index(one, end) + len(one)


def test_all_languages_have_the_same_words() -> None:
    for spoken in LANGUAGES.values():
        assert set(spoken.terms) == set(ENGLISH.terms)
        assert set(spoken.sides) == set(SIDES)
        assert set(spoken.stages) == {*STAGES, "answer"}


@pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)
def test_no_word_is_missing_or_ambiguous(spoken: Language) -> None:
    assert all(word.strip() for word in spoken.terms.values())
    assert len(set(spoken.sides.values())) == 2
    assert len(set(spoken.stages.values())) == len(spoken.stages)
    agents = [spoken.terms[one] for one in ("Searcher", "Analyzer", "Writer", "Reviewer")]
    assert len(set(agents)) == 4


@pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)
def test_labels_of_quotations_are_single_words(spoken: Language) -> None:
    labels = "speech turn material analysis judgement draft results references question plan"
    assert all(len(spoken.terms[label].split()) == 1 for label in labels.split())


def test_a_language_is_found_by_its_code() -> None:
    assert [language(code).code for code in LANGUAGES] == list(LANGUAGES) == ["en", "zh"]


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown language 'fr'\. Accepted: en, zh\."):
        language("fr")


def test_the_sides_are_opponents() -> None:
    assert [other_side(side) for side in SIDES] == ["con", "pro"]


#: What debaters do without an answer: the last argument of a fallback, or its name.
_FALLBACK = re.compile(
    r'(?:fallback=|"Selector", |"Planner", |add_fallback\("Writer", )"([a-z][^"]+)"'
)
_CAP = re.compile(r'(?:cap=|add_cap\()"([a-z_]+)"')
_CONSTANTS = re.compile(r'(?:LEFT_OUT: Final|_ITSELF|_SKIPPED) = "([^"]+)"')


def test_languages_have_the_same_phrases_with_as_many_values() -> None:
    english, chinese = making_words(ENGLISH), making_words(CHINESE)
    assert english.agents.keys() == chinese.agents.keys()
    assert english.caps.keys() == chinese.caps.keys()
    assert english.faults.keys() == chinese.faults.keys()
    assert english.phrases.keys() == chinese.phrases.keys()
    for key, phrase in english.phrases.items():
        assert phrase.count("{") == chinese.phrases[key].count("{"), key


def test_every_fallback_of_a_debater_has_chinese_words() -> None:
    folder = Path(next(iter(arena.debaters.__path__)))
    sources = [path.read_text("utf-8") for path in folder.glob("*.py")]
    fallbacks = {
        match[1]
        for source in sources
        for pattern in (_FALLBACK, _CONSTANTS)
        for match in pattern.finditer(source)
    }
    assert "no outline" in fallbacks and len(fallbacks) > 12
    assert fallbacks - making_words(CHINESE).fallbacks.keys() == set()


@pytest.mark.parametrize("language", [ENGLISH, CHINESE])
def test_every_limit_and_every_fault_has_words(language: Language) -> None:
    words = making_words(language)
    folder = Path(next(iter(arena.debaters.__path__)))
    sources = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    options = set(_CAP.findall(sources))
    assert {"max_searches", "max_revisions", "max_rounds"} <= options
    assert options == words.caps.keys()
    assert {fault.__name__ for fault in ContentFault.__subclasses__()} == words.faults.keys()


def test_what_has_no_words_keeps_its_name() -> None:
    words = making_words(ENGLISH)
    assert words.cap("max_tea") == "reaches the limit of max_tea"
    assert words.fault("TeaFault") == "TeaFault"

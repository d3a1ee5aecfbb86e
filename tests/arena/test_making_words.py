"""The words in which the making of speeches is shown, in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import arena.debaters
from arena.errors import ContentFault
from arena.languages import CHINESE, ENGLISH, Language
from arena.languages.making_words import making_words

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

"""Splitting documents into excerpts that a speech can cite and a judge can read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.languages import CHINESE, sentences
from arena.languages.language import BRACKETED_NUMBERS

#: Length limit of an excerpt: words, or characters of Chinese text.
LONGEST = 150

_PARAGRAPH = re.compile(r"\n\s*\n")
_OWN_MARK = re.compile(BRACKETED_NUMBERS)
#: A piece of a sentence that is too long (a table, a scan without stops): cut between words where
#: there are any.
_STRETCH = re.compile(rf"\S.{{0,{LONGEST - 1}}}(?!\S)|\S.{{0,{LONGEST - 1}}}")


def flatten(text: str) -> str:
    r"""Put a text on one line, with its own citation marks in round brackets.

    Square brackets are reserved for the citations of speeches.

    >>> flatten("Wages\n rose [12], prices [P3].")
    'Wages rose (12), prices (P3).'
    """
    return _OWN_MARK.sub(lambda mark: f"({mark[0][1:-1]})", " ".join(text.split()))


def split_excerpts(text: str) -> list[str]:
    """Split a document's text into excerpts of whole sentences, none longer than LONGEST.

    Short paragraphs share an excerpt; long ones are divided.
    """
    excerpts: list[str] = []
    length = 0
    for sentence in _split_sentences(text):
        size = CHINESE.count(sentence)  # counts Chinese characters and all other words
        if excerpts and length + size <= LONGEST:
            excerpts[-1] = f"{excerpts[-1]} {sentence}"
            length += size
        else:
            excerpts.append(sentence)
            length = size
    return excerpts


def _split_sentences(text: str) -> Iterator[str]:
    for paragraph in _PARAGRAPH.split(text):
        for sentence in sentences(flatten(paragraph)):
            short = CHINESE.count(sentence) <= LONGEST
            yield from [sentence] if short else map(str.strip, _STRETCH.findall(sentence))

"""Documents cut into excerpts: what a speech can cite, and a judge can read beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arena.languages import CHINESE, sentences

#: The longest excerpt: in words, or characters where the text is Chinese.
LONGEST = 150

_PARAGRAPH = re.compile(r"\n\s*\n")
_OWN_MARK = re.compile(r"\[(\d[\d,，、 ]*)\]")
#: What a sentence without an end is cut into (a table, a scan without stops): after a word where
#: there are words.
_STRETCH = re.compile(rf"\S.{{0,{LONGEST - 1}}}(?!\S)|\S.{{0,{LONGEST - 1}}}")


def plain(text: str) -> str:
    r"""A text on one line, its own citation marks in round brackets: ours are the square ones.

    >>> plain("Wages\n rose [12].")
    'Wages rose (12).'
    """
    return _OWN_MARK.sub(r"(\1)", " ".join(text.split()))


def excerpts(text: str) -> list[str]:
    """A document's text as excerpts of whole sentences, in order, none longer than LONGEST.

    Short paragraphs share an excerpt; long ones are divided.
    """
    found: list[str] = []
    length = 0
    for sentence in _sentences(text):
        size = CHINESE.count(sentence)  # counts Chinese characters and all other words
        if found and length + size <= LONGEST:
            found[-1] = f"{found[-1]} {sentence}"
            length += size
        else:
            found.append(sentence)
            length = size
    return found


def _sentences(text: str) -> Iterator[str]:
    for paragraph in _PARAGRAPH.split(text):
        for sentence in sentences(plain(paragraph)):
            short = CHINESE.count(sentence) <= LONGEST
            yield from [sentence] if short else map(str.strip, _STRETCH.findall(sentence))

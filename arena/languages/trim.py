"""Cutting a text at a limit: at the end of a sentence, and with no half words or marks."""

from __future__ import annotations

from bisect import bisect_right

from arena.languages.language import Language, sentences
from arena.languages.marks import MARKS


def trim(text: str, limit: int, language: Language) -> str:
    """Cut a text at the end of the last sentence within a limit.

    A first sentence over the limit is cut between words.

    Args:
        limit: limit in words (characters in Chinese).
    """
    if language.count(text) <= limit:
        return text
    end = 0
    for sentence in sentences(text):
        after = text.index(sentence, end) + len(sentence)
        if language.count(text[:after]) > limit:
            break
        end = after
    return text[:end] or _cut_sentence(text, limit, language)


def _cut_sentence(text: str, limit: int, language: Language) -> str:
    ends = range(1, len(text) + 1)
    # The longest start that is not over the limit.
    length = bisect_right(ends, limit, key=lambda end: language.count(text[:end]))
    start = text[:length]
    if language.code != "zh" and length < len(text) and not text[length].isspace():
        start = start.rpartition(" ")[0] or start  # no half words
    return MARKS.remove_start(start).rstrip()

"""Checks that a text is a speech, is in the debate's language and speaks for one side only.

The checks look at the text alone and ask no model. In case of doubt a speech passes: one that
quotes, names or answers the other side is no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from arena.debates.refusals import is_refusal
from arena.errors import BothSides, ContentFault, Refusal, WrongLanguage
from arena.languages import SIDES, Language, Side, other_side

#: Shorter texts (words) pass the language check: a name or a number can be in any script.
_LEAST_WORDS = 12
#: A shorter labelled block (words) only recapitulates what a side said.
_LEAST_BLOCK_WORDS = 40
#: Share of the opponent's words from which a text speaks for both sides.
_LEAST_OPPONENT_SHARE = 0.25
#: Chinese characters that are as long as one English word.
_CHARACTERS_PER_WORD = 1.6

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*")
#: Letters of any other script: kana, Hangul, Cyrillic, Greek, Arabic and so on.
_OTHER_SCRIPT = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f\u3400-\u9fff\uf900-\ufaff]")

#: Quoted text with its marks.
QUOTATION = re.compile(
    r"“[^”]*”|‘[^’\n]*’(?!\w)|\"[^\"\n]*\"|「[^」]*」|『[^』]*』|《[^》]*》|«[^»]*»", re.DOTALL
)
_ADDRESS = re.compile(r"https?://\S+|www\.\S+")
#: A line of a list of sources, or a line quoted as in Markdown.
_SOURCE_LINE = re.compile(r"^[ \t]*(?:\[[^\W\d_]{0,3}\d{1,3}\]|>).*$", re.MULTILINE)

_EMPHASIS = r"(?:\*{1,3}|_{1,2})?"
_STAGE = (
    r"(?:(?:opening|closing|first|second|third)[ \t]+)?"
    r"(?:constructive|rebuttal|summary|statement|speech|立论|驳论|总结|陈词|发言|[一二三四]辩)"
    r"(?:[ \t]+(?:speech|statement)|陈词|发言|稿)?"
)
#: A side as a speaker label at the start of a line: plain, emphasised, in brackets or as a
#: heading, optionally with its stage, and followed by a colon or the end of the line.
_LABEL = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]+)?{_EMPHASIS}[【\[（(]?[ \t]*(?:the[ \t]+)?"
    r"(?:(?P<pro>pro|affirmative|proposition|正方)|(?:con|negative|opposition|反方))"
    r"(?:[ \t]+(?:side|team|speaker|debater))?"
    rf"(?:[ \t]*[-–—:：,，(（·]?[ \t]*{_STAGE}[)）]?)?"
    rf"[ \t]*[】\]）)]?{_EMPHASIS}[ \t]*(?:[:：][ \t]*{_EMPHASIS}|$)",
    re.IGNORECASE | re.MULTILINE,
)


def speech_fault(text: str, side: Side, language: Language) -> ContentFault | None:
    """Return why a text is no speech of a side in a language, or None where it is one."""
    if is_refusal(text, language):
        return Refusal(f"the text declines to speak: {' '.join(text.split())[:200]}")
    share = foreign_share(text, language)
    if share > 0.5:
        return WrongLanguage(f"{share:.0%} of the speech is not in the language {language.code!r}.")
    if speaks_for_both(text, side):
        return BothSides("the text contains speeches of both sides.")
    return None


def foreign_share(text: str, language: Language) -> float:
    """Return the share (0 to 1) of a text that is not in the script of its language.

    Quotations, web addresses and lists of sources are not counted, and a text of less than 12
    words has a share of 0. Languages that share a script are not told apart.

    >>> from arena.languages import language
    >>> foreign_share("四天工作制提高效率，也让员工更健康，因此值得推广。", language("en"))
    1.0
    >>> foreign_share("OECD 与 IMF 的研究都支持四天工作制提高效率的结论。", language("zh")) < 0.3
    True
    """
    own = _own_words(text)
    ideographs = len(_IDEOGRAPH.findall(own)) / _CHARACTERS_PER_WORD
    latin = float(len(_LATIN.findall(own)))
    other = len(_OTHER_SCRIPT.findall(own)) / _CHARACTERS_PER_WORD
    total = ideographs + latin + other
    if total < _LEAST_WORDS:
        return 0.0
    return (total - (ideographs if language.code == "zh" else latin)) / total


def speaks_for_both(text: str, side: Side) -> bool:
    """Tell whether a text holds speeches of both sides, each after its speaker's label.

    Both sides need a block of at least 40 words after a label at the start of a line, so that
    headings and lists of clashes with a line for each side are no fault; quotations do not count.
    """
    blocks = list(_labelled_blocks(text))
    if {speaker for speaker, _ in blocks} != set(SIDES):
        return False
    opponent_words = [words for speaker, words in blocks if speaker == other_side(side)]
    own_words = [words for speaker, words in blocks if speaker == side]
    share = sum(opponent_words) / max(1.0, _count_words(_own_words(text)))
    return share >= _LEAST_OPPONENT_SHARE and all(
        max(words) >= _LEAST_BLOCK_WORDS for words in (opponent_words, own_words)
    )


def labels_both_sides(text: str) -> bool:
    """Tell whether lines of a text begin with the labels of both sides."""
    return len({bool(label["pro"]) for label in _LABEL.finditer(text)}) == len(SIDES)


def _labelled_blocks(text: str) -> Iterator[tuple[Side, float]]:
    """Yield the side and the length, in words, of each block that follows a label."""
    labels = list(_LABEL.finditer(text))
    starts = [*(label.start() for label in labels), len(text)]
    for label, (_, end) in zip(labels, pairwise(starts), strict=True):
        words = _count_words(_own_words(text[label.end() : end]))
        yield "pro" if label["pro"] else "con", words


def _own_words(text: str) -> str:
    """Remove quotations, web addresses and lists of sources from a text."""
    for pattern in (_SOURCE_LINE, _ADDRESS, QUOTATION):
        text = pattern.sub(" ", text)
    return text


def _count_words(text: str) -> float:
    return len(_IDEOGRAPH.findall(text)) / _CHARACTERS_PER_WORD + len(_LATIN.findall(text))

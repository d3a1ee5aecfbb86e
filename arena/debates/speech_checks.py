"""What makes a text no speech of its side: another language, or both sides speaking in it.

Both checks look at the text alone, ask no model, and are made so that a speech which quotes,
names or answers the other side passes: what they cannot tell, they let through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from arena.errors import BothSides, ContentFault, WrongLanguage
from arena.languages import SIDES, Language, Side, other_side

#: Below so many words a script says little: a name, an abbreviation, a number.
_TELLING = 12
#: A block of a side's own words that is at least so long, in words, is more than a recapitulation.
_BLOCK = 40
#: The opponent's share of the words from which a text is held to speak for both.
_SHARE = 0.25
#: Characters of Chinese that say as much as a word of English.
_PER_WORD = 1.6

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’-][A-Za-z\u00c0-\u024f]+)*")
#: Letters of any other script: kana, Hangul, Cyrillic, Greek, Arabic and so on.
_OTHER = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f\u3400-\u9fff\uf900-\ufaff]")

_QUOTATION = re.compile(
    r"“[^”]*”|‘[^’\n]*’(?!\w)|\"[^\"\n]*\"|「[^」]*」|『[^』]*』|《[^》]*》|«[^»]*»", re.DOTALL
)
_ADDRESS = re.compile(r"https?://\S+|www\.\S+")
#: A line of a list of sources, or a line quoted as in Markdown.
_ASIDE = re.compile(r"^[ \t]*(?:\[\d{1,3}\]|>).*$", re.MULTILINE)

_EMPHASIS = r"(?:\*{1,3}|_{1,2})?"
_STAGE = (
    r"(?:(?:opening|closing|first|second|third)[ \t]+)?"
    r"(?:constructive|rebuttal|summary|statement|speech|立论|驳论|总结|陈词|发言|[一二三四]辩)"
    r"(?:[ \t]+(?:speech|statement)|陈词|发言|稿)?"
)
#: At the start of a line, a side as the name of who speaks: in emphasis, brackets or a heading,
#: perhaps with its stage, and with nothing behind it but a colon or the end of the line.
_LABEL = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]+)?{_EMPHASIS}[【\[（(]?[ \t]*(?:the[ \t]+)?"
    r"(?:(?P<pro>pro|affirmative|proposition|正方)|(?:con|negative|opposition|反方))"
    r"(?:[ \t]+(?:side|team|speaker|debater))?"
    rf"(?:[ \t]*[-–—:：,，(（·]?[ \t]*{_STAGE}[)）]?)?"
    rf"[ \t]*[】\]）)]?{_EMPHASIS}[ \t]*(?:[:：][ \t]*{_EMPHASIS}|$)",
    re.IGNORECASE | re.MULTILINE,
)


def speech_fault(text: str, side: Side, language: Language) -> ContentFault | None:
    """What keeps a text from being a side's speech in a language; `None` where nothing does."""
    share = foreign_share(text, language)
    if share > 0.5:
        return WrongLanguage(f"{share:.0%} of the speech is not in the language {language.code!r}.")
    if speaks_for_both(text, side):
        return BothSides("the speech holds speeches of both sides.")
    return None


def foreign_share(text: str, language: Language) -> float:
    """How much of a text is written in another script than its language's, from 0 to 1.

    Quotations, addresses and lists of sources are not counted, and a text of a few words is
    taken to be right. Languages of one script are not told apart.

    >>> from arena.languages import language
    >>> foreign_share("四天工作制提高效率，也让员工更健康，因此值得推广。", language("en"))
    1.0
    >>> foreign_share("OECD 与 IMF 的研究都支持四天工作制提高效率的结论。", language("zh")) < 0.3
    True
    """
    own = _own_words(text)
    ideographs = len(_IDEOGRAPH.findall(own)) / _PER_WORD
    latin = float(len(_LATIN.findall(own)))
    other = len(_OTHER.findall(own)) / _PER_WORD
    total = ideographs + latin + other
    if total < _TELLING:
        return 0.0
    return (total - (ideographs if language.code == "zh" else latin)) / total


def speaks_for_both(text: str, side: Side) -> bool:
    """Whether a text holds speeches of both sides, each under its speaker's name.

    Counted are blocks of a side's own words after its name at the start of a line. A list of
    clashes with a line for each side, a heading, and whatever stands in quotation marks are none.
    """
    blocks = list(_blocks(text))
    if {one for one, _ in blocks} != set(SIDES):
        return False
    theirs = [words for one, words in blocks if one == other_side(side)]
    ours = [words for one, words in blocks if one == side]
    share = sum(theirs) / max(1.0, _length(_own_words(text)))
    return share >= _SHARE and max(theirs) >= _BLOCK and max(ours) >= _BLOCK


def _blocks(text: str) -> Iterator[tuple[Side, float]]:
    """Each labelled block: whose it is, and its length in words of its own."""
    labels = list(_LABEL.finditer(text))
    starts = [*(found.start() for found in labels), len(text)]
    for label, (_, end) in zip(labels, pairwise(starts), strict=True):
        words = _length(_own_words(text[label.end() : end]))
        yield "pro" if label["pro"] else "con", words


def _own_words(text: str) -> str:
    """A text without what is quoted in it, and without addresses and lists of sources."""
    for left_out in (_ASIDE, _ADDRESS, _QUOTATION):
        text = left_out.sub(" ", text)
    return text


def _length(text: str) -> float:
    return len(_IDEOGRAPH.findall(text)) / _PER_WORD + len(_LATIN.findall(text))

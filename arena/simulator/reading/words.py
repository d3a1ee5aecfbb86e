"""Texts as sets of words: what is compared when two texts are said to be about the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from arena.languages import Language, sentences

#: No simulated model reads further into one text than this many characters.
HORIZON = 12_000

_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W_{_IDEOGRAPHS}]+(?:['’-][^\W_{_IDEOGRAPHS}]+)*")
_RUN = re.compile(rf"[{_IDEOGRAPHS}]+")
_CITATION = re.compile(r"\s*\[(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\]")
_NUMBER = re.compile(r"\d+")
_TAIL = re.compile(r"(?:[”’\"'」』）)]+|\s*\[\d{1,3}(?:\s*[,，、]\s*\d{1,3})*\])+[.。]?\s*")
_LEAD = re.compile(r"^[^:：“”\"]{1,60}(?::\s+|：\s*)(?=\S)")
_QUOTED = re.compile(r"[“\"][^“”\"]{8,}[”\"]")
_ORDINAL = re.compile(
    r"^(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|next|moreover|then|also)\s*[,:]\s*"
    r"|^(?:第[一二三四五]|首先|其次|再次|最后|再者|另外)[，、：]\s*",
    re.IGNORECASE,
)
_FUNCTION = frozenset(
    "the a an and or but if then than that this these those there here of to in on at by for from "
    "with without about as into over under between is are was were be been being it its they them "
    "their we us our you your he she his her i me my not no nor so such very can could may might "
    "must shall should will would do does did done has have had having what which who whom whose "
    "when where why how all any both each few more most other some same own only also just even "
    "one two three first second third up down out off again because while after before during "
    "however therefore thus yet still too".split()
)
_PARTICLES = re.compile(
    "我们|他们|你们|对方|这个|那个|一个|因为|所以|因此|但是|然而|并且|而且|以及|如果|虽然|不是|就是"
    "|可以|没有|什么|[的了是在和与及而也就都把被对于之其这那有为以从到会能要不更最很]"
)


@lru_cache(maxsize=32768)
def content(text: str) -> frozenset[str]:
    """The words that carry a text's meaning: stems, and in Chinese pairs of characters.

    >>> sorted(content("The workers were working; 工资上涨"))
    ['work', '上涨', '工资', '资上']
    """
    found = {_stem(word) for word in _WORD.findall(text.lower()) if word not in _FUNCTION}
    for run in _RUN.findall(text):
        for piece in _PARTICLES.split(run):
            found.update(piece[i : i + 2] for i in range(len(piece) - 1))
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ers", "ies", "ed", "er", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared words as a share of the smaller set, 0 to 1."""
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0


@lru_cache(maxsize=8192)
def split(paragraph: str) -> tuple[str, ...]:
    """A paragraph's sentences; closing marks and citations stay with the sentence they end."""
    found: list[str] = []
    for piece in sentences(paragraph):
        tail = _TAIL.match(piece) if found else None
        if tail:
            found[-1] += tail[0].rstrip()
        rest = piece[tail.end() :] if tail else piece
        if rest:
            found.append(rest)
    return tuple(found)


@lru_cache(maxsize=2048)
def paragraphs(text: str) -> tuple[tuple[str, ...], ...]:
    """A text's paragraphs as sentences, as far as a simulated model reads."""
    lines = (line.strip() for line in text[:HORIZON].split("\n"))
    return tuple(split(line) for line in lines if line)


def cited(text: str) -> list[int]:
    """The numbers that a text cites as `[n]` or `[n, m]`, in order, each once.

    >>> cited("Yes [2, 7]. Again [2].")
    [2, 7]
    """
    marks = _CITATION.findall(text)
    return list(dict.fromkeys(int(number) for mark in marks for number in _NUMBER.findall(mark)))


def uncited(text: str) -> str:
    """A text without its citations."""
    return _CITATION.sub("", text)


def reported(sentence: str) -> bool:
    """Whether a sentence mostly quotes somebody, without a source."""
    quoted = sum(len(words) for words in _QUOTED.findall(sentence))
    return quoted > 0.5 * len(sentence) and not _CITATION.search(sentence)


def core(sentence: str) -> str:
    """A sentence without an announcement ("Our first point: ...") and without citations."""
    plain = uncited(sentence).strip()
    for pattern in (_LEAD, _ORDINAL):
        rest = pattern.sub("", plain, count=1)
        plain = rest if len(content(rest)) >= 3 else plain
    return plain


def fragment(sentence: str, language: Language, *, size: int = 24) -> str:
    """The beginning of a sentence's core, short enough to be quoted, on one line."""
    bare = re.sub(r"[“”\"]", "", core(sentence))
    plain = " ".join(bare.split()).strip(" .。!！?？;；,，:：…")
    if language.code == "zh":
        short = plain[: size * 2].rstrip("，、；： ")
    else:
        short = " ".join(plain.split()[:size]).rstrip(",;: ")[:200]
    return short if len(short) == len(plain) else f"{short}…"


def closed(text: str, language: Language) -> str:
    """A sentence with a mark at its end."""
    plain = text.strip()
    if plain and plain[-1] in ".!?。！？”":
        return plain
    return plain + ("。" if language.code == "zh" else ".")


def opened(text: str) -> str:
    """A sentence without the mark at its end."""
    return text.strip().rstrip(".。 ")

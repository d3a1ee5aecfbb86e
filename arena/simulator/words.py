"""Phrases and cues of each language; texts as sets of words, as sentences, cut to a limit."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple

from arena.languages import Language, Side, sentences
from arena.languages.language import BRACKETED_NUMBERS, FILES
from arena.languages.marks import SHOWN_MARKS

#: The tables of each language's file, by code.
TABLES: Mapping[str, Mapping[str, Any]] = {
    code: tomllib.loads((files("arena.simulator") / name).read_text("utf-8"))
    for code, name in FILES.items()
}
#: Patterns by which a reader recognises a reason, a contradiction, a comparison and so on.
CUES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(
        "|".join(table["cues"][name].replace("\n", "") for table in TABLES.values()), re.IGNORECASE
    )
    for name in TABLES["en"]["cues"]
}
#: Simulated models read the first characters of a text, at most this many.
HORIZON = 12_000

IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W_{IDEOGRAPHS}]+(?:['’-][^\W_{IDEOGRAPHS}]+)*")
_RUN = re.compile(rf"[{IDEOGRAPHS}]+")
_TAIL = re.compile(rf"(?:[”’\"'」』）)]+|\s*{BRACKETED_NUMBERS})+[.。]?\s*")
_LEAD = re.compile(r"^[^:：“”\"]{1,60}(?::\s+|：\s*)(?=\S)")
_QUOTED = re.compile(r"[“\"][^“”\"]{8,}[”\"]")
_FUNCTION = frozenset(TABLES["en"]["words"]["function"].split())
_PARTICLES = re.compile(TABLES["zh"]["words"]["function"].replace("\n", ""))


@lru_cache(maxsize=32768)
def content_words(text: str) -> frozenset[str]:
    """Return the words that carry a text's meaning: stems, and in Chinese pairs of characters.

    >>> sorted(content_words("The workers were working; 工资上涨"))
    ['work', '上涨', '工资', '资上']
    """
    words = {_stem(word) for word in _WORD.findall(text.lower()) if word not in _FUNCTION}
    for run in _RUN.findall(text):
        for piece in _PARTICLES.split(run):
            words.update(piece[i : i + 2] for i in range(len(piece) - 1))
    return frozenset(words)


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ers", "ies", "ed", "er", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the shared words as a share of the smaller set, 0 to 1."""
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0


def text_overlap(left: str, right: str) -> float:
    """Return the shared content words of two texts as a share of the smaller set, 0 to 1."""
    return overlap(content_words(left), content_words(right))


@lru_cache(maxsize=8192)
def split_sentences(paragraph: str) -> tuple[str, ...]:
    """Split a paragraph; closing marks and citations stay with the sentence that they end."""
    pieces: list[str] = []
    for piece in sentences(paragraph):
        tail = _TAIL.match(piece) if pieces else None
        if tail:
            pieces[-1] += tail[0].rstrip()
        rest = piece[tail.end() :] if tail else piece
        if rest:
            pieces.append(rest)
    return tuple(pieces)


@lru_cache(maxsize=2048)
def paragraphs(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the sentences of each paragraph, as far as simulated models read a text."""
    lines = (line.strip() for line in text[:HORIZON].split("\n"))
    return tuple(split_sentences(line) for line in lines if line)


def cited_marks(text: str) -> list[tuple[Side | None, int]]:
    """Return the side (None without a letter) and number of a text's marks, in order, each once.

    >>> cited_marks("Yes [P2, 7]. Again [P2], not [2].")
    [('pro', 2), ('pro', 7), (None, 2)]
    """
    return list(dict.fromkeys((mark.side, mark.number) for mark in SHOWN_MARKS.find(text)))


def is_quotation(sentence: str) -> bool:
    """Tell whether most of a sentence is a quotation without a source."""
    quoted = sum(len(words) for words in _QUOTED.findall(sentence))
    return quoted > 0.5 * len(sentence) and not cited_marks(sentence)


def core(sentence: str) -> str:
    """Remove announcements ("Our first point: ...") and citations from a sentence."""
    plain = SHOWN_MARKS.remove(sentence).strip()
    for pattern in (_LEAD, CUES["ordinal"]):
        rest = pattern.sub("", plain, count=1)
        plain = rest if len(content_words(rest)) >= 3 else plain
    return plain


def fragment(sentence: str, language: Language) -> str:
    """Return the start of a sentence, at most 24 words, as one line without quotation marks."""
    bare = re.sub(r"[“”\"]", "", core(sentence))
    plain = " ".join(bare.split()).strip(" .。!！?？;；,，:：…")
    if language.code == "zh":
        short = plain[:48].rstrip("，、；： ")
    else:
        short = " ".join(plain.split()[:24]).rstrip(",;: ")[:200]
    return short if len(short) == len(plain) else f"{short}…"


def add_end_mark(text: str, language: Language) -> str:
    """Add a full stop to a sentence that has no mark at its end."""
    plain = text.strip()
    if plain and plain[-1] in ".!?。！？”":
        return plain
    return plain + ("。" if language.code == "zh" else ".")


def strip_end_mark(text: str) -> str:
    """Remove the full stop from the end of a sentence."""
    return text.strip().rstrip(".。 ")


def join_sentences(parts: Iterable[str], language: Language) -> str:
    """Join sentences, in Chinese without blanks."""
    return ("" if language.code == "zh" else " ").join(parts)


class Piece(NamedTuple):
    """A few sentences of a speech; those of a higher rank are left out first."""

    text: str
    paragraph: int
    rank: int


def fit_pieces(pieces: Sequence[Piece], *, limit: int, language: Language) -> str:
    """Join as many pieces as fit into `limit` words (characters in Chinese).

    Pieces of the highest rank are left out first, of equal ones the last; then the text is cut.
    """
    kept = [piece for piece in pieces if piece.text.strip()]
    total = sum(language.count(piece.text) for piece in kept)
    while total > limit and len(kept) > 1:
        worst = max(range(len(kept)), key=lambda i: (kept[i].rank, i))
        total -= language.count(kept.pop(worst).text)
    rows = groupby(kept, key=lambda piece: piece.paragraph)
    text = "\n\n".join(join_sentences((one.text for one in row), language) for _, row in rows)
    return _cut(text, limit, language)


def _cut(text: str, limit: int, language: Language) -> str:
    """Cut a text at the end of a sentence, or within the first one where that is too long."""
    if language.count(text) <= limit:
        return text
    parts = [sentence for line in text.split("\n") for sentence in split_sentences(line)]
    words = list(text) if language.code == "zh" else text.split()
    starts = (
        join_sentences(row[:size], language)
        for row in (parts, words)
        for size in range(min(len(row), limit + 20), 0, -1)
    )
    return next(start for start in starts if language.count(start) <= limit)

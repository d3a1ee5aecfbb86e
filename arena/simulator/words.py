"""Texts as sets of words, which simulated models compare, as sentences, and cut to a limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from arena.languages import Language, Side, sentences
from arena.languages.language import BRACKETED_NUMBERS
from arena.languages.marks import SHOWN_MARKS

#: Simulated models read the first characters of a text, at most this many.
HORIZON = 12_000

IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W_{IDEOGRAPHS}]+(?:['’-][^\W_{IDEOGRAPHS}]+)*")
_RUN = re.compile(rf"[{IDEOGRAPHS}]+")
_TAIL = re.compile(rf"(?:[”’\"'」』）)]+|\s*{BRACKETED_NUMBERS})+[.。]?\s*")
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


def strip_citations(text: str) -> str:
    """Remove the citations from a text."""
    return SHOWN_MARKS.remove(text)


def is_quotation(sentence: str) -> bool:
    """Tell whether most of a sentence is a quotation without a source."""
    quoted = sum(len(words) for words in _QUOTED.findall(sentence))
    return quoted > 0.5 * len(sentence) and not cited_marks(sentence)


def core(sentence: str) -> str:
    """Remove announcements ("Our first point: ...") and citations from a sentence."""
    plain = strip_citations(sentence).strip()
    for pattern in (_LEAD, _ORDINAL):
        rest = pattern.sub("", plain, count=1)
        plain = rest if len(content_words(rest)) >= 3 else plain
    return plain


def fragment(sentence: str, language: Language, *, size: int = 24) -> str:
    """Return the start of a sentence, at most `size` words, as one line without quotation marks."""
    bare = re.sub(r"[“”\"]", "", core(sentence))
    plain = " ".join(bare.split()).strip(" .。!！?？;；,，:：…")
    if language.code == "zh":
        short = plain[: size * 2].rstrip("，、；： ")
    else:
        short = " ".join(plain.split()[:size]).rstrip(",;: ")[:200]
    return short if len(short) == len(plain) else f"{short}…"


def first_quotation(text: str) -> tuple[str, str]:
    """Return the first words of a text between quotation marks, or "", and the rest after them."""
    quoted, _, rest = text.partition("“")[2].partition("”")
    return quoted, rest


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A few sentences of a speech.

    Attributes:
        rank: pieces of a higher rank are left out first where the speech is too long.
    """

    text: str
    paragraph: int
    rank: int = 1


def fit_pieces(pieces: Sequence[Piece], *, limit: int, language: Language) -> str:
    """Join as many pieces as fit into `limit` words (characters in Chinese).

    Pieces of the highest rank are left out first, of equal ones the last; then the text is cut.
    """
    kept = [piece for piece in pieces if piece.text.strip()]
    lengths = {id(piece): language.count(piece.text) for piece in kept}
    total = sum(lengths.values())
    while total > limit and len(kept) > 1:
        worst = max(range(len(kept)), key=lambda i: (kept[i].rank, i))
        total -= lengths[id(kept.pop(worst))]
    return _cut(_join_pieces(kept, language), limit=limit, language=language)


def _join_pieces(pieces: Sequence[Piece], language: Language) -> str:
    rows = groupby(pieces, key=lambda piece: piece.paragraph)
    return "\n\n".join(join_sentences((piece.text for piece in row), language) for _, row in rows)


def _cut(text: str, *, limit: int, language: Language) -> str:
    """Cut a text at the end of a sentence, or within the first one where that is too long."""
    if language.count(text) <= limit:
        return text
    kept: list[Piece] = []
    left = limit
    for number, line in enumerate(text.split("\n")):
        for sentence in split_sentences(line):
            left -= language.count(sentence)
            if left < 0:
                return _join_pieces(kept, language) or _chop(sentence, limit, language)
            kept.append(Piece(text=sentence, paragraph=number))
    return _join_pieces(kept, language)


def _chop(sentence: str, limit: int, language: Language) -> str:
    if language.code != "zh":
        return " ".join(sentence.split()[:limit])
    short = sentence[: limit + 20]
    while short and language.count(short) > limit:
        short = short[:-1]
    return short

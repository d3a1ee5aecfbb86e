"""Speeches as ranked pieces, so that the least important are left out at the word limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from arena.languages import Language
from arena.simulator.words import split_sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A few sentences of a speech.

    Attributes:
        text: the sentences.
        paragraph: number of the paragraph.
        rank: pieces of a higher rank are left out first where the speech is too long.
    """

    text: str
    paragraph: int
    rank: int = 1


def join_pieces(pieces: Sequence[Piece], language: Language) -> str:
    """Join the pieces, with an empty line between paragraphs."""
    blank = "" if language.code == "zh" else " "
    rows = groupby(pieces, key=lambda piece: piece.paragraph)
    return "\n\n".join(blank.join(piece.text for piece in row) for _, row in rows)


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
    return cut(join_pieces(kept, language), limit=limit, language=language)


def cut(text: str, *, limit: int, language: Language) -> str:
    """Cut a text at the end of a sentence, or within the first one where that is too long."""
    if language.count(text) <= limit:
        return text
    kept: list[Piece] = []
    left = limit
    for number, line in enumerate(text.split("\n")):
        for sentence in split_sentences(line):
            left -= language.count(sentence)
            if left < 0:
                return join_pieces(kept, language) or _chopped(
                    sentence, limit=limit, language=language
                )
            kept.append(Piece(text=sentence, paragraph=number))
    return join_pieces(kept, language)


def _chopped(sentence: str, *, limit: int, language: Language) -> str:
    if language.code != "zh":
        return " ".join(sentence.split()[:limit])
    short = sentence[: limit + 20]
    while short and language.count(short) > limit:
        short = short[:-1]
    return short

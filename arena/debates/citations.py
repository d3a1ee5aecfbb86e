"""The citation marks of a speech: whose entries they name, and which of them are citations.

A mark belongs to the side whose letter it has. A number without a letter belongs to the speaker;
only where it stands in a quotation of the opponent does it belong to whom it belongs to there. A
speech cites what it names of the speaker's own entries, unless it quotes the opponent there.

Quotations are found by simple rules instead of a model: quotation marks of any kind around a
place, or a line that begins with `>`, and words that stand in the earlier speech in this order. An
ellipsis may stand for words that were left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from arena.languages import Contest, Language, Side, other_side
from arena.languages.marks import MARKS, CitationMark
from arena.records import Reference, Speech

#: Closing quotation marks by their opening ones.
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』", "«": "»", '"': '"', "'": "'"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_QUOTATION_MARK = re.compile(f"[{''.join(_CLOSING)}]")
_QUOTED_LINE = re.compile(r"[^\S\n]*+>")
_APOSTROPHE = re.compile(r"(?<=[A-Za-z\u00c0-\u024f])['’](?=[A-Za-z\u00c0-\u024f])")
#: Characters after which a straight quotation mark opens.
_BEFORE_OPENING = frozenset(" \t\n(（[—–:：-")
#: How far from a place its quotation may begin and end, in characters, and how many quotation
#: marks are tried: a text full of them must not take long.
_REACH = 1500
_MOST = 12


class QuotableText:
    """A text whose words may be a quotation, or may be quoted."""

    def __init__(self, text: str) -> None:
        self._text = _APOSTROPHE.sub("\0", text)

    @cached_property
    def bare(self) -> str:
        """Its letters and digits in lower case, without citation marks; … for an ellipsis."""
        return "".join(self._bare_pieces)

    def quotes(self, other: QuotableText, *, start: int, end: int) -> bool:
        """Tell whether a place, the citation mark from `start` to `end`, quotes another text."""
        for quoted in self._find_quotations(start, end):
            parts = quoted.split("…")
            if any(parts) and all(part in other.bare for part in parts):
                return True
        return False

    @cached_property
    def _bare_pieces(self) -> list[str]:
        """What is left of each character in `bare`."""
        text = self._text.replace("...", "…\0\0")
        pieces = [char.casefold() if char.isalnum() or char == "…" else "" for char in text]
        for mark in MARKS.find(self._text):
            pieces[mark.start : mark.end] = [""] * (mark.end - mark.start)
        return pieces

    @cached_property
    def _openings(self) -> list[int]:
        """Where quotation marks may open; a straight one, by its neighbours or an even count."""
        text, straight = self._text, {'"': 0, "'": 0}
        openings = []
        for found in _QUOTATION_MARK.finditer(text):
            mark, place = found[0], found.start()
            after_blank = place == 0 or text[place - 1] in _BEFORE_OPENING
            if after_blank or straight.get(mark, 0) % 2 == 0:
                openings.append(place)
            if mark in straight:
                straight[mark] += 1
        return openings

    def _find_quotations(self, start: int, end: int) -> Iterator[str]:
        """Return the bare words before a place in each quotation around it, else those after."""
        text = self._text
        line = text.rfind("\n", 0, start) + 1
        if _QUOTED_LINE.match(text, line, start):
            last = text.find("\n", end, end + _REACH)
            before = self._words(max(line, start - _REACH), start)
            yield before or self._words(end, end + _REACH if last < 0 else last)
        for opening in self._openings_before(start):
            closing = _CLOSING[text[opening]]
            if closing in text[end : end + _REACH] and _is_open(text[opening + 1 : start], closing):
                yield self._words(opening, start) or self._words_before(closing, end)

    def _words_before(self, closing: str, start: int) -> str:
        """Return the bare words from a place to the first closing mark that has any before it."""
        end = min(start + _REACH, len(self._text))
        first = next((i for i in range(start, end) if self._bare_pieces[i].strip("…")), end)
        last = self._text.find(closing, first, end)
        return self._words(first, max(first, last))

    def _openings_before(self, place: int) -> list[int]:
        last = bisect_left(self._openings, place)
        nearest = self._openings[max(0, last - _MOST) : last]
        return [opening for opening in reversed(nearest) if opening >= place - _REACH]

    def _words(self, start: int, end: int) -> str:
        return "".join(self._bare_pieces[start:end]).strip("…")


def _is_open(inside: str, closing: str) -> bool:
    """Tell whether a quotation has not been closed again; others may stand inside it."""
    if closing in _CLOSING:  # it opens too
        return inside.count(closing) % 2 == 0
    return inside.count(closing) <= inside.count(_OPENING[closing])


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingText:
    """The text of a speech with its marks resolved.

    Attributes:
        citations: the marks that are citations, as they stand in the text.
    """

    text: str
    citations: tuple[CitationMark, ...]
    lettered: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Earlier:
    """A speech that may be quoted: its words, and its marks as (side, number)."""

    words: QuotableText
    marks: frozenset[tuple[Side, int]]


def resolve_marks(
    text: str,
    side: Side,
    language: Language,
    *,
    disclosed: Sequence[Speech] = (),
    contest: Contest = "debate",
) -> CitingText:
    """Find out whose entries the marks of a speech name, and write the letters into the text.

    An essay is read by itself, so its writer's marks lose their letter. In the answer to a
    question a number in brackets may be a list or an interval: it stays as it is.

    Args:
        side: the speaker's; in an essay, the side that it argues for.
    """
    if contest == "question":
        return CitingText(text=text, citations=find_citations(text, side))
    marks, earlier = MARKS.find(text), _read_opponent(disclosed, side)
    words = QuotableText(text)
    resolved = [_resolve(mark, words, side, earlier) for mark in marks]
    owners = iter([owner for owner, _ in resolved])
    letters = {**language.marks, side: ""} if contest == "essay" else language.marks
    written = MARKS.rewrite(text, lambda _: letters[next(owners)])
    pairs = zip(MARKS.find(written), resolved, strict=True)
    return CitingText(
        text=written,
        citations=tuple(mark for mark, (_, cites) in pairs if cites),
        lettered=sum(mark.side is None for mark in marks) if contest == "debate" else 0,
    )


def find_citations(
    text: str, side: Side, disclosed: Sequence[Speech] = ()
) -> tuple[CitationMark, ...]:
    """Find the marks of a text that are citations of its speaker's own entries."""
    earlier, words = _read_opponent(disclosed, side), QuotableText(text)
    return tuple(mark for mark in MARKS.find(text) if _resolve(mark, words, side, earlier)[1])


def list_references(
    citations: Sequence[CitationMark], known: Sequence[Reference], *, unknown: bool = True
) -> tuple[Reference, ...]:
    """Return the references that are cited, in the order of first mention.

    Args:
        unknown: whether a number that is not known becomes a reference with `given=False`.

    >>> marks = [CitationMark(number=2, side="pro"), CitationMark(number=7, side="pro")]
    >>> listed = list_references(marks, [Reference(number=2)])
    >>> [(reference.number, reference.given) for reference in listed]
    [(2, True), (7, False)]
    """
    by_number = {reference.number: reference for reference in known}
    first = {mark.number: mark for mark in reversed(citations)}
    return tuple(
        replace(
            by_number.get(number) or Reference(number=number, given=False), side=first[number].side
        )
        for number in dict.fromkeys(mark.number for mark in citations)
        if unknown or number in by_number
    )


def _read_opponent(disclosed: Sequence[Speech], side: Side) -> list[_Earlier]:
    return [
        _Earlier(
            words=QuotableText(speech.text),
            marks=frozenset(
                (mark.side or speech.side, mark.number) for mark in MARKS.find(speech.text)
            ),
        )
        for speech in disclosed
        if speech.side != side
    ]


def _resolve(
    mark: CitationMark, words: QuotableText, side: Side, earlier: Sequence[_Earlier]
) -> tuple[Side, bool]:
    """Return whose entry a mark names, and whether it is a citation."""
    opponent = other_side(side)
    if mark.side == opponent:
        return opponent, False
    for speech in earlier:
        owners = (opponent, side) if mark.side is None else (side,)
        named = [owner for owner in owners if (owner, mark.number) in speech.marks]
        if named and words.quotes(speech.words, start=mark.start, end=mark.end):
            return named[0], False
    return side, True

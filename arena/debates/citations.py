"""The citation marks of a speech: whose entries they name, and which of them are citations.

A mark belongs to the side whose letter it has. A number without a letter belongs to the speaker;
only where it stands in a quotation of the opponent does it belong to whom it belongs to there. A
speech cites what it names of the speaker's own entries, unless it quotes the opponent there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.debates.quoting import QuotableText
from arena.languages import Contest, Language, Side, other_side
from arena.languages.marks import MARKS, Mark
from arena.records import Reference, Speech


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingText:
    """The text of a speech with its marks resolved.

    Attributes:
        citations: the marks that are citations, as they stand in the text.
        lettered: the number of marks that had no letter before.
    """

    text: str
    citations: tuple[Mark, ...]
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
        text: of the speech.
        side: the speaker's; in an essay, the side that it argues for.
        language: of the debate.
        disclosed: the earlier speeches, which the speaker could quote.
        contest: kind of contest.
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


def find_citations(text: str, side: Side, disclosed: Sequence[Speech] = ()) -> tuple[Mark, ...]:
    """Find the marks of a text that are citations of its speaker's own entries."""
    earlier, words = _read_opponent(disclosed, side), QuotableText(text)
    return tuple(mark for mark in MARKS.find(text) if _resolve(mark, words, side, earlier)[1])


def list_references(
    citations: Sequence[Mark], known: Sequence[Reference], *, unknown: bool = True
) -> tuple[Reference, ...]:
    """Return the references that are cited, in the order of first mention.

    Args:
        citations: marks of one speech.
        known: the references that the speaker's searches have returned.
        unknown: whether a number that is not known becomes a reference with `given=False`.

    >>> marks = [Mark(number=2, side="pro"), Mark(number=7, side="pro")]
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
    mark: Mark, words: QuotableText, side: Side, earlier: Sequence[_Earlier]
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

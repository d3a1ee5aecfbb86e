"""Names that are too long for their place: shortened as a set, so that all can be told apart."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

#: A word of a name with what separates it from the one before. What negates a word belongs to it:
#: `no-searcher` and `search-off` are left out as a whole or not at all.
_WORD: Final = re.compile(
    r"""(?P<separator>[-_/ :+@=]*)
    (?P<before>(?:(?:no|not|non|without)[-_ ]+)*)
    [^-_/ :+@=]*
    (?P<after>(?:[-_ =]+(?:off|false|disabled|free|less)(?![^-_/ :+@=]))*)""",
    re.IGNORECASE | re.VERBOSE,
)
#: Where a line may end: behind these.
_BREAK: Final = re.compile(r"[-_/ :+@=…]+")
#: Letters of a word, or around a difference, that are kept as long as others can be left out.
_CONTEXT: Final = 3

_Width: TypeAlias = Callable[[str], float]


def shorten_names(
    names: Iterable[str], longest: float, *, width: _Width = len, lines: int = 1
) -> dict[str, str]:
    """Shorten the names of a set that are too long, so that all of them stay different.

    What tells a name from the others stays; of the rest, the words that most names have are left
    out first.

    >>> names = ["baseline-offline-good-temperature-0.2", "baseline-offline-good-temperature-0.7"]
    >>> list(shorten_names(names, 24).values())
    ['…good-temperature-0.2', '…good-temperature-0.7']
    >>> list(shorten_names(["a4d-good", "a4d-good-no-searcher"], 17).values())
    ['a4d-good', '…good-no-searcher']

    Args:
        width: measures a text; by default in characters.
        lines: 2 for labels that may have two lines, with a line feed between them.

    Returns:
        The label of each name; names that fit are as they were. A line is longer than `longest`
        only where so many different labels do not exist.
    """
    names = list(dict.fromkeys(names))
    fits = _Fit(longest, width, lines)
    if all(map(fits, names)):
        return {name: fits.broken(name) for name in names}
    branches, words = _find_branches(names), {name: list(_split(name)) for name in names}
    shares = Counter(text for own in words.values() for text in {word.text for word in own})
    short: dict[str, str] = {name: name for name in names if fits(name)}
    taken = set(short.values())
    for name in names:
        if name not in short:
            label = name
            for label in _labels(name, words[name], branches[name], shares, fits):
                if label not in taken:
                    break
            short[name] = label if label not in taken else _number(label, taken, fits)
            taken.add(short[name])
    return {name: fits.broken(short[name]) for name in names}


@dataclass(frozen=True, slots=True)
class _Fit:
    """Tells whether a text fits."""

    longest: float
    width: _Width
    lines: int

    def __call__(self, text: str) -> bool:
        return max(map(self.width, self._lines(text))) <= self.longest

    def broken(self, text: str) -> str:
        """Return a text in as many lines as it needs."""
        return "\n".join(self._lines(text))

    def _lines(self, text: str) -> tuple[str, ...]:
        if self.lines == 1 or self.width(text) <= self.longest:
            return (text,)
        ends = [mark.end() for mark in _BREAK.finditer(text) if 0 < mark.end() < len(text)]
        pairs = [(text[:end], text[end:]) for end in ends]
        return min(pairs, key=lambda pair: max(map(self.width, pair)), default=(text,))


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a name: where it stands with and without what separates it, and its negation."""

    start: int
    bare: int
    end: int
    text: str
    before: int
    is_negated: bool


def _split(name: str) -> Iterator[_Word]:
    for found in _WORD.finditer(name):
        if found.group():
            before = len(found["before"])
            yield _Word(
                found.start(),
                found.end("separator"),
                found.end(),
                name[found.end("separator") : found.end()].lower(),
                before,
                bool(before or found["after"]),
            )


def _find_branches(names: Sequence[str]) -> dict[str, list[int]]:
    """Return for each name the places at which others part from it."""
    places: dict[str, list[int]] = {name: [] for name in names}
    groups = [sorted(names)]
    while groups:
        group = groups.pop()
        if len(group) > 1:
            place = len(os.path.commonprefix([group[0], group[-1]]))
            for name in group:
                places[name].append(place)
            parts = groupby(group, key=lambda name: name[place : place + 1])
            groups += [list(part) for _, part in parts]
    return places


def _labels(
    name: str, words: Sequence[_Word], branches: Sequence[int], shares: Counter[str], fits: _Fit
) -> Iterator[str]:
    """Yield labels of a name that fit, the most telling one first."""
    telling = {
        number: max(place for place in branches if word.start <= place < word.end)
        for number, word in enumerate(words)
        if any(word.start <= place < word.end for place in branches)
    } or {0: 0, len(words) - 1: words[-1].bare}

    def rank(number: int) -> tuple[bool, bool, int, int]:
        apart = min(abs(number - other) for other in telling)
        word = words[number]
        return (number in telling, word.is_negated, -shares[word.text], -apart)

    spans = {number: (word.start, word.end) for number, word in enumerate(words)}
    order = sorted(spans, key=rank)
    for number in order:
        if number in telling or fits(_join(name, words, spans)):
            break
        del spans[number]
    for number in [number for number in order if number in spans]:
        label = _cut(name, words, dict(spans), telling, fits)
        if fits(label):
            yield label
        del spans[number]
    yield _cut_middle(name, fits)


def _cut(
    name: str,
    words: Sequence[_Word],
    spans: dict[int, tuple[int, int]],
    telling: dict[int, int],
    fits: _Fit,
) -> str:
    """Return the label of some words, the longest of them cut as far as it must and may be."""
    label = _join(name, words, spans)
    while not fits(label):
        cuts = {
            number: cut
            for number, span in spans.items()
            if (cut := _shorter(words[number], span, telling.get(number, 0))) is not None
        }
        if not cuts:
            break
        longest = max(cuts, key=lambda number: spans[number][1] - spans[number][0])
        spans[longest] = cuts[longest]
        label = _join(name, words, spans)
    return label


def _shorter(word: _Word, span: tuple[int, int], place: int) -> tuple[int, int] | None:
    """Return the span of a word without one more letter; None where all of it is needed."""
    start, end = span
    if word.is_negated and word.before == 0:
        return None
    if end - 1 > max(place, word.bare + word.before + _CONTEXT - 1):
        return start, end - 1
    first = max(start, word.bare) + 1
    return (first, end) if first <= place - _CONTEXT + 1 and not word.is_negated else None


def _join(name: str, words: Sequence[_Word], spans: dict[int, tuple[int, int]]) -> str:
    """Return the spans of a name, with an ellipsis for what is left out between them."""
    label, last = "", 0
    for number in sorted(spans):
        start, end = spans[number]
        if start > last:
            label, start = f"{label}…", max(start, words[number].bare)
        label += name[start:end]
        last = end
    return label if last == len(name) else f"{label}…"


def _cut_middle(name: str, fits: _Fit) -> str:
    """Return as much of both ends of a name as fits."""
    for size in range(len(name) - 1, 1, -1):
        label = f"{name[: size - size // 2]}…{name[len(name) - size // 2 :]}"
        if fits(label):
            return label
    return f"{name[:1]}…"


def _number(label: str, taken: set[str], fits: _Fit) -> str:
    """Return a label with a number that tells it from those that are taken."""
    number, head = 2, label.rstrip("…")
    while (is_long := bool(head) and not fits(f"{head}…{number}")) or f"{head}…{number}" in taken:
        if is_long:
            head = head[:-1]
        else:
            number += 1
    return f"{head}…{number}"

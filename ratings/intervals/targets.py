"""Targets: what a tournament is to settle, and how far it is settled.

A target is measured on a `Confidence`. Whoever stops when a target is reached needs one that holds
at every look, `confidence(..., anytime=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratings.errors import InvalidSetting
from ratings.intervals.confidence import Confidence

_LISTED = 4
Pairs = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a target is reached.

    Attributes:
        settled: how many of the target's questions are settled.
        total: how many it has: pairs of participants, for the widths of intervals participants.
        is_reached: whether the target is reached.
        text: in a sentence.
        open_pairs: pairs of names, the better rated first, whose debates can bring the target
            nearer; those nearest to being settled first.
    """

    settled: int
    total: int
    is_reached: bool
    text: str
    open_pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contenders:
    """The participants that a target is about, with their ratings and intervals.

    Attributes:
        confidence: of all participants.
        order: (k,) positions of the participants that count, the best rated first.
        label: the name to be shown for a participant's name.
    """

    confidence: Confidence
    order: NDArray[np.intp]
    label: Callable[[str], str]

    @classmethod
    def of(
        cls,
        confidence: Confidence,
        *,
        among: Iterable[str] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Contenders:
        """Select the participants that count.

        Args:
            among: names of those that count, for example without those that were withdrawn; all
                by default.
            labels: names to be shown in sentences, by name; the names themselves by default.

        Raises:
            InvalidSetting: a name is not a participant.
        """
        names = confidence.names
        kept = names if among is None else tuple(among)
        _check_names(kept, names)
        order = np.argsort(-confidence.rating, kind="stable")
        mask = np.isin(order, [names.index(name) for name in kept])
        shown = labels or {}
        return cls(
            confidence=confidence, order=order[mask], label=lambda name: shown.get(name, name)
        )

    def name(self, position: int) -> str:
        """Return the label of the participant at a position of `Confidence`."""
        return self.label(self.confidence.names[position])

    def progress(
        self, pairs: Pairs, *, write: Callable[[int, str], str], needed: int | None = None
    ) -> Progress:
        """Return how many pairs are settled, and which are open.

        Args:
            pairs: (n, 2) positions, the better rated first.
            write: returns the sentence from the number of settled pairs and the list of open ones.
            needed: how many have to be settled; all by default.
        """
        sure, (better, worse) = self.confidence, pairs.T
        is_open = ~(sure.above[better, worse] | sure.above[worse, better])
        better, worse = pairs[is_open].T
        nearness = (sure.rating[better] - sure.rating[worse]) / sure.difference[better, worse]
        nearest = pairs[is_open][np.argsort(-nearness, kind="stable")].tolist()
        listed = [f"{self.name(high)} and {self.name(low)}" for high, low in nearest[:_LISTED]]
        more = f" and {len(nearest) - _LISTED} more" if len(nearest) > _LISTED else ""
        settled = len(pairs) - len(nearest)
        return Progress(
            settled=settled,
            total=len(pairs),
            is_reached=settled >= (len(pairs) if needed is None else needed),
            text=write(settled, ", ".join(listed) + more),
            open_pairs=tuple((sure.names[high], sure.names[low]) for high, low in nearest),
        )


def measure_ranking(contenders: Contenders) -> Progress:
    """Return how far the order of all participants is settled: every pair of them.

    >>> from ratings import Comparisons, confidence
    >>> board = Comparisons.of(["a", "a", "b"] * 20, ["b", "c", "c"] * 20, [1, 1, 0.5] * 20)
    >>> progress = measure_ranking(Contenders.of(confidence(board)))
    >>> progress.settled, progress.total, progress.open_pairs
    (2, 3, (('b', 'c'),))
    >>> progress.text
    '2 of 3 pairs are settled. Open: b and c.'
    """
    names = ", ".join(contenders.name(position) for position in contenders.order)

    def write(settled: int, open_pairs: str) -> str:
        if not open_pairs:
            return f"The order is settled: {names}."
        return f"{settled} of {total} pairs are settled. Open: {open_pairs}."

    first, second = np.triu_indices(len(contenders.order), 1)
    total = len(first)
    pairs = np.stack([contenders.order[first], contenders.order[second]], axis=1)
    return contenders.progress(pairs, write=write)


def measure_top(contenders: Contenders, first: int, *, ordered: bool = False) -> Progress:
    """Return how far it is settled who the first few participants are.

    As a set: each of those rated first is settled to be above each of the others. In order: those
    rated first are settled among each other as well.

    >>> from ratings import Comparisons, confidence
    >>> board = Comparisons.of(["a", "a", "b"] * 20, ["b", "c", "c"] * 20, [1, 1, 0.5] * 20)
    >>> measure_top(Contenders.of(confidence(board)), 1).text
    'The first is settled: a.'
    >>> measure_top(Contenders.of(confidence(board)), 2).text
    'The first 2 are not settled: 1 of 2 pairs is. Open: b and c.'

    Args:
        first: how many; the target is reached where there are not more participants.
        ordered: whether their order is to be settled, too.

    Raises:
        InvalidSetting: `first` is below 1.
    """
    if first < 1:
        raise InvalidSetting(f"the first {first} are to be settled; accepted: 1 or more")
    top, rest = contenders.order[:first], contenders.order[first:]
    pairs = np.stack([np.repeat(top, len(rest)), np.tile(rest, len(top))], axis=1)
    if ordered:
        better, worse = np.triu_indices(len(top), 1)
        pairs = np.concatenate([pairs, np.stack([top[better], top[worse]], axis=1)])
    who, are = ("The first", "is") if first == 1 else (f"The first {first}", "are")
    names = ", ".join(contenders.name(position) for position in top)
    kind = "" if ordered or len(top) < 2 else " (their own order may be open)"  # noqa: PLR2004

    def write(settled: int, open_pairs: str) -> str:
        if not open_pairs:
            return f"{who} {are} settled: {names}{kind}."
        verb = "is" if settled == 1 else "are"
        return (
            f"{who} {are} not settled: {settled} of {len(pairs)} pairs {verb}. Open: {open_pairs}."
        )

    return contenders.progress(pairs, write=write)


def measure_newcomer(contenders: Contenders, newcomer: str, places: int) -> Progress:
    """Return how far a participant's rank range is narrowed down to a number of places.

    A range from place 3 to place 5 has three places. It narrows by one with every opponent of whom
    it is settled whether it is above or below the newcomer; which of them does not matter.

    >>> from ratings import Comparisons, confidence
    >>> board = Comparisons.of(["a", "a", "b"] * 20, ["b", "c", "c"] * 20, [1, 1, 0.5] * 20)
    >>> measure_newcomer(Contenders.of(confidence(board)), "b", 2).text
    'b is on place 2 to 3 of 3.'

    Args:
        contenders: of the participants that count, the newcomer among them.
        places: how many places the range may have.

    Raises:
        InvalidSetting: `places` is below 1, or the newcomer is not among the participants.
    """
    if places < 1:
        raise InvalidSetting(f"a rank range of {places} places; accepted: 1 or more")
    names = contenders.confidence.names
    _check_names([newcomer], [names[position] for position in contenders.order])
    own, above, order = names.index(newcomer), contenders.confidence.above, contenders.order
    best = 1 + int(above[order, own].sum())
    worst = len(order) - int(above[own, order].sum())
    where = f"place {best}" if best == worst else f"place {best} to {worst}"
    sentence = f"{contenders.name(own)} is on {where} of {len(order)}"
    others = order[order != own]
    ahead = np.flatnonzero(order == own)[0] > np.arange(len(others))
    pairs = np.stack([np.where(ahead, others, own), np.where(ahead, own, others)], axis=1)

    def write(_: int, open_pairs: str) -> str:
        if worst - best < places:
            return f"{sentence}."
        return f"{sentence}; the target is {places}. Open: {open_pairs}."

    return contenders.progress(pairs, write=write, needed=len(others) - places + 1)


def measure_precision(contenders: Contenders, elo: float) -> Progress:
    """Return how many participants' intervals reach at most so far from their ratings.

    >>> from ratings import Comparisons, confidence
    >>> board = Comparisons.of(["a", "a", "b"] * 20, ["b", "c", "c"] * 20, [1, 1, 0.5] * 20)
    >>> measure_precision(Contenders.of(confidence(board)), 100).text
    '0 of 3 intervals are within ±100 Elo points. Widest: a, ±482.'

    Args:
        elo: half the width that an interval may have, the number after ±, Elo points.

    Raises:
        InvalidSetting: `elo` is not above 0.
    """
    if not elo > 0:
        raise InvalidSetting(f"intervals of ±{elo} Elo points; accepted: above 0")
    sure, order = contenders.confidence, contenders.order
    half = ((sure.upper - sure.lower) / 2)[order]
    wide = half > elo
    first, second = np.triu_indices(len(order), 1)
    matters = wide[first] | wide[second]
    pairs = np.stack([order[first], order[second]], axis=1)[matters]
    widest = int(half.argmax()) if len(half) else 0
    number = int((~wide).sum())
    verb = "is" if number == 1 else "are"
    text = f"{number} of {len(order)} intervals {verb} within ±{elo:g} Elo points."
    if wide.any():
        text += f" Widest: {contenders.name(order[widest])}, ±{half[widest]:.0f}."
    excess = np.where(wide, half, 0)
    widths = (excess[first] + excess[second])[matters]
    return Progress(
        settled=number,
        total=len(order),
        is_reached=not wide.any(),
        text=text,
        open_pairs=tuple(
            (sure.names[better], sure.names[worse])
            for better, worse in pairs[np.argsort(-widths, kind="stable")].tolist()
        ),
    )


def _check_names(names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise InvalidSetting(f"{name!r} is no participant; accepted: {', '.join(known)}")

"""Dealing: the pairs that a schedule asks for become debates with motions, languages and sides."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from arena.records import Debate, digest
from motions import Motion

#: Ids of two participants, sorted.
Pair: TypeAlias = tuple[str, str]
_Option = TypeVar("_Option")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The participants, motions and languages that a tournament's debates are made from.

    Attributes:
        languages: their codes; each is dealt about equally often.
    """

    tournament: str
    seed: int
    participants: Sequence[str]
    motions: Sequence[Motion]
    languages: Sequence[str]


def pair_of(first: str, second: str) -> Pair:
    """Return the sorted pair of two participants."""
    return (first, second) if first < second else (second, first)


def deal(field: Field, meetings: Iterable[Pair], *, stored: Iterable[Debate] = ()) -> list[Debate]:
    """Plan the debates that the stored ones lack, both legs of every matchup.

    Motions are dealt evenly. A pair gets a motion that it has debated least; among these, one of
    the category that it has debated least; then of the category and finally the motion that all
    pairs together have debated least. A hash of seed and pair decides what is left. Stored debates
    count and stay as they are, so a tournament can be extended and its schedule changed.

    Args:
        meetings: pairs in the order of dealing, each as often as it is to meet.
    """
    stored = list(stored)
    played = Counter((debate.pro, debate.con) for debate in stored if debate.leg == 0)
    matchups: Counter[Pair] = Counter()
    for sides, number in played.items():
        matchups[pair_of(*sides)] += number
    wanted: Counter[Pair] = Counter()
    missing: list[Pair] = []
    for pair in meetings:
        wanted[pair] += 1
        if wanted[pair] > matchups[pair]:
            missing.append(pair)
    if not missing:
        return []  # to count what each pair has debated takes long, and is not needed
    dealer = _Dealer(field, stored)
    return [debate for pair in missing for debate in dealer.deal_matchup(pair)]


def missing_legs(stored: Iterable[Debate]) -> list[Debate]:
    """Return the debates that are gone of matchups whose other leg is stored.

    Somebody has removed them. They have the ids that they had, so what their journals hold is not
    paid again.
    """
    stored = list(stored)
    legs = Counter(debate.matchup_id for debate in stored)
    return [
        replace(
            debate,
            debate_id=digest(debate.matchup_id, 1 - debate.leg),
            leg=1 - debate.leg,
            pro=debate.con,
            con=debate.pro,
        )
        for debate in stored
        if legs[debate.matchup_id] == 1
    ]


def deal_wave(
    field: Field,
    pairs: Iterable[Pair],
    *,
    stored: Iterable[Debate] = (),
    retired: Container[str] = (),
) -> list[Debate]:
    """Plan both legs of every matchup of a wave, on top of the stored ones.

    A matchup gets one of the motions that are used least within their category, so that the uses
    of a category's motions differ by at most 1. Among these it is dealt as `deal` does it, so a
    pair debates a motion again only where all of them are known to it. Retired motions are left
    out, unless that would leave none.

    Args:
        pairs: in the order of dealing; each of them is a further matchup.
        retired: the ids of motions that tell nobody apart.
    """
    motions = [motion for motion in field.motions if motion.motion_id not in retired]
    dealer = _Dealer(replace(field, motions=motions or field.motions), stored)
    return [debate for pair in pairs for debate in dealer.deal_matchup(pair, dealer.least_used())]


class _Dealer:
    """The counts of what was dealt, by which the next matchup of a pair is dealt evenly."""

    def __init__(self, field: Field, stored: Iterable[Debate]) -> None:
        self._field = field
        self._category = {motion.motion_id: motion.category for motion in field.motions}
        self._motions: Counter[object] = Counter()
        self._categories: Counter[object] = Counter()
        self._languages: Counter[object] = Counter()
        self._matchups: set[str] = set()
        for debate in stored:
            self._matchups.add(debate.matchup_id)
            if debate.leg == 0:
                self._count(pair_of(debate.pro, debate.con), debate.motion_id, debate.language)

    def least_used(self) -> list[Motion]:
        """Return the motions that are used least within their category."""
        least: dict[object, int] = {}
        for motion in self._field.motions:
            uses = self._motions[motion.motion_id]
            least[motion.category] = min(uses, least.get(motion.category, uses))
        return [
            motion
            for motion in self._field.motions
            if self._motions[motion.motion_id] == least[motion.category]
        ]

    def deal_matchup(self, pair: Pair, motions: Sequence[Motion] = ()) -> list[Debate]:
        """Deal a motion, a language and the sides of the first leg; return both legs.

        Args:
            motions: those that may be dealt; by default all.
        """
        field = self._field
        motion = _least(
            motions or field.motions,
            lambda motion: self._motion_uses(pair, motion),
            lambda motion: self._random(pair, motion.motion_id),
        )
        motion_id = motion.motion_id
        language = _least(
            [code for code in field.languages if code in motion.wordings],
            lambda code: self._language_uses(pair, motion_id, code),
            lambda code: self._random(pair, code),
        )
        # Stored matchups are numbered without gaps, unless somebody has removed one.
        repeat, matchup_id = next(
            (number, matchup_id)
            for number in itertools.count(self._motions[pair, motion_id, language])
            if (matchup_id := digest(field.tournament, motion_id, language, sorted(pair), number))
            not in self._matchups
        )
        self._count(pair, motion_id, language)
        first, second = pair if int(self._random(pair, matchup_id), 16) % 2 else pair[::-1]
        return [
            Debate(
                debate_id=digest(matchup_id, leg),
                matchup_id=matchup_id,
                tournament=field.tournament,
                motion_id=motion_id,
                language=language,
                leg=leg,
                repeat=repeat,
                pro=pro,
                con=con,
            )
            for leg, (pro, con) in enumerate([(first, second), (second, first)])
        ]

    def _motion_uses(self, pair: Pair, motion: Motion) -> tuple[int, ...]:
        category = motion.category
        return (
            self._motions[pair, motion.motion_id],
            self._categories[pair, category],
            self._categories[category],
            self._motions[motion.motion_id],
        )

    def _language_uses(self, pair: Pair, motion_id: str, code: str) -> tuple[int, ...]:
        return (
            self._languages[pair, code],
            self._languages[code],
            self._languages[motion_id, code],
        )

    def _count(self, pair: Pair, motion_id: str, language: str) -> None:
        category = self._category.get(motion_id)
        self._motions.update([motion_id, (pair, motion_id), (pair, motion_id, language)])
        self._categories.update([category, (pair, category)])
        self._languages.update([language, (pair, language), (motion_id, language)])

    def _random(self, *parts: object) -> str:
        return digest(self._field.seed, *parts)


def _least(
    options: Sequence[_Option],
    uses: Callable[[_Option], tuple[int, ...]],
    chance: Callable[[_Option], str],
) -> _Option:
    """Return the option that is used least; among equals, chance decides, which takes longer."""
    counts = [uses(option) for option in options]
    fewest = min(counts)
    equals = [option for option, count in zip(options, counts, strict=True) if count == fewest]
    return equals[0] if len(equals) == 1 else min(equals, key=chance)

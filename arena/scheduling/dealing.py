"""Dealing: meetings that a schedule asks for become debates with motions, languages and sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arena.records import Debate, digest
from motions import Motion

#: Ids of two participants, sorted.
Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What pairings are made from.

    Attributes:
        participants: ids of all who take part.
        motions: all motions that may be dealt.
        languages: codes; dealt in turn.
    """

    tournament: str
    seed: int
    participants: Sequence[str]
    motions: Sequence[Motion]
    languages: Sequence[str]


def pair_of(one: str, other: str) -> Pair:
    """Two participants as a pair, in whatever order they were named."""
    return (one, other) if one < other else (other, one)


def deal(field: Field, meetings: Iterable[Pair], *, stored: Iterable[Debate] = ()) -> list[Debate]:
    """The debates that are still to be planned, both legs of every matchup.

    Motions are dealt evenly: to each pair those that it has met least, of the category that it
    has met least, then those that all have met least; what is left is decided by a hash of seed
    and pair. Stored pairings count as meetings and stay as they are, so a tournament can be
    extended, and its schedule changed.

    Args:
        field: what they are made from.
        meetings: who meets whom, in the order of dealing; a pair as often as it is to meet.
        stored: the tournament's debates so far.
    """
    hand = _Hand(field, stored)
    earlier = Counter(hand.played)
    asked: Counter[Pair] = Counter()
    planned: list[Debate] = []
    for pair in meetings:
        asked[pair] += 1
        if asked[pair] > earlier[pair]:
            planned += hand.matchup(pair)
    return planned


class _Hand:
    def __init__(self, field: Field, stored: Iterable[Debate]) -> None:
        self._field = field
        self._category = {motion.motion_id: motion.category for motion in field.motions}
        self.played: Counter[Pair] = Counter()
        self._motions: Counter[object] = Counter()
        self._categories: Counter[object] = Counter()
        self._languages: Counter[object] = Counter()
        for debate in stored:
            if debate.leg == 0:
                self._count(pair_of(debate.pro, debate.con), debate.motion_id, debate.language)

    def matchup(self, pair: Pair) -> list[Debate]:
        chosen = min(self._field.motions, key=lambda one: self._order(pair, one))
        motion = chosen.motion_id
        language = min(
            [code for code in self._field.languages if code in chosen.wordings],
            key=lambda code: (
                self._languages[pair, code],
                self._languages[code],
                self._languages[motion, code],
                self._chance(pair, code),
            ),
        )
        repeat = self._motions[pair, motion, language]
        self._count(pair, motion, language)
        identity = digest(self._field.tournament, motion, language, sorted(pair), repeat)
        first, second = pair if int(self._chance(pair, identity), 16) % 2 else pair[::-1]
        return [
            Debate(
                debate_id=digest(identity, leg),
                matchup_id=identity,
                tournament=self._field.tournament,
                motion_id=motion,
                language=language,
                leg=leg,
                repeat=repeat,
                pro=pro,
                con=con,
            )
            for leg, (pro, con) in enumerate([(first, second), (second, first)])
        ]

    def _order(self, pair: Pair, motion: Motion) -> tuple[object, ...]:
        category = motion.category
        return (
            self._motions[pair, motion.motion_id],
            self._categories[pair, category],
            self._categories[category],
            self._motions[motion.motion_id],
            self._chance(pair, motion.motion_id),
        )

    def _count(self, pair: Pair, motion: str, language: str) -> None:
        category = self._category.get(motion)
        self.played[pair] += 1
        self._motions.update([motion, (pair, motion), (pair, motion, language)])
        self._categories.update([category, (pair, category)])
        self._languages.update([language, (pair, language), (motion, language)])

    def _chance(self, *parts: object) -> str:
        return digest(self._field.seed, *parts)

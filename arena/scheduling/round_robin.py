"""Round robin: every pair meets equally often, each time in two legs with the sides swapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.records import Debate, digest
from motions import Motion


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


def round_robin(
    field: Field, *, matchups_per_pair: int, stored: Iterable[Debate] = ()
) -> list[Debate]:
    """The debates that are still to be planned, both legs of every matchup.

    Motions are dealt evenly: to each pair those that it has met least, of the category that it
    has met least, then those that all have met least; what is left is decided by a hash of seed
    and pair. Stored pairings count and stay as they are, so a tournament can be extended.
    """
    deal = _Deal(field, stored)
    planned: list[Debate] = []
    for matchup in range(matchups_per_pair):
        for pair in sorted(combinations(sorted(field.participants), 2)):
            if deal.played[pair] <= matchup:
                planned += deal.matchup(pair)
    return planned


class _Deal:
    def __init__(self, field: Field, stored: Iterable[Debate]) -> None:
        self._field = field
        self._category = {motion.motion_id: motion.category for motion in field.motions}
        self.played: Counter[tuple[str, str]] = Counter()
        self._motions: Counter[object] = Counter()
        self._categories: Counter[object] = Counter()
        self._languages: Counter[object] = Counter()
        for debate in stored:
            if debate.leg == 0:
                self._count(_pair(debate.pro, debate.con), debate.motion_id, debate.language)

    def matchup(self, pair: tuple[str, str]) -> list[Debate]:
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

    def _order(self, pair: tuple[str, str], motion: Motion) -> tuple[object, ...]:
        category = motion.category
        return (
            self._motions[pair, motion.motion_id],
            self._categories[pair, category],
            self._categories[category],
            self._motions[motion.motion_id],
            self._chance(pair, motion.motion_id),
        )

    def _count(self, pair: tuple[str, str], motion: str, language: str) -> None:
        category = self._category.get(motion)
        self.played[pair] += 1
        self._motions.update([motion, (pair, motion), (pair, motion, language)])
        self._categories.update([category, (pair, category)])
        self._languages.update([language, (pair, language), (motion, language)])

    def _chance(self, *parts: object) -> str:
        return digest(self._field.seed, *parts)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)

"""What a simulated model knows beforehand: the motions that it was given, and their arguments."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from arena.languages import Side
from arena.simulator.phrases.cues import AGAINST, FAVOURABLE, UNFAVOURABLE
from arena.simulator.reading.words import content
from motions import Answers, Motion, Point

_NOTHING: Mapping[Side, tuple[Point, ...]] = {"pro": (), "con": ()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A motion as far as it is known: its text and each side's points."""

    text: str
    points: Mapping[Side, tuple[Point, ...]]

    def remembered(self, side: Side, *, model: str, share: float) -> tuple[Point, ...]:
        """The points of a side that a model remembers: always the same ones."""
        return tuple(one for one in self.points[side] if chance(model, one.claim) < share)

    def leans(self, text: str) -> Side | None:
        """The side that a text supports, as a good reader would see it; `None` if unclear."""
        heard = content(text)
        closeness = {side: self._closeness(heard, side) for side in self.points}
        if abs(closeness["pro"] - closeness["con"]) > 0.1:
            return "pro" if closeness["pro"] > closeness["con"] else "con"
        return _cued(text, self.text)

    def _closeness(self, heard: frozenset[str], side: Side) -> float:
        shares = (_share(heard, f"{one.claim} {one.evidence}") for one in self.points[side])
        return max(shares, default=0.0)


class Knowledge:
    """General knowledge: topics by the wording of their motions."""

    def __init__(self, motions: Iterable[Motion] = ()) -> None:
        motions = tuple(motions)
        self._topics = {
            _plain(wording.text): Topic(
                text=wording.text, points={"pro": wording.brief.pro, "con": wording.brief.con}
            )
            for motion in motions
            for wording in motion.wordings.values()
        }
        self._answers = {
            _plain(wording.text): wording.answers
            for motion in motions
            for wording in motion.wordings.values()
            if wording.answers
        }

    def topic(self, motion: str) -> Topic:
        """What is known of a motion; an unknown one has no points."""
        return self._topics.get(_plain(motion)) or Topic(text=motion, points=_NOTHING)

    def answers(self, question: str) -> Answers | None:
        """What is known of a question; `None` of an unknown one."""
        return self._answers.get(_plain(question))

    def spot(self, text: str) -> str:
        """The known motion that stands in a text, or ""."""
        where = _plain(text)
        return next((one.text for key, one in self._topics.items() if key in where), "")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .。“”\"'")


@lru_cache(maxsize=65536)
def chance(*parts: str) -> float:
    """A number from 0 to 1 that depends on some texts alone."""
    seen = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(seen, "big") / 2**64


def _share(heard: frozenset[str], point: str) -> float:
    words = content(point)
    return len(heard & words) / max(1, min(len(heard), len(words)))


def _cued(text: str, motion: str) -> Side | None:
    balance = len(FAVOURABLE.findall(text)) - len(UNFAVOURABLE.findall(text))
    if AGAINST.search(motion):
        balance = -balance
    if balance == 0:
        return None
    return "pro" if balance > 0 else "con"

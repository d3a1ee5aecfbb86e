"""General knowledge of the simulated models: motions with their arguments, and questions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from arena.languages import Side
from arena.simulator.wording import CUES
from arena.simulator.words import content_words, overlap
from motions import Answers, Motion, Point

_NOTHING: Mapping[Side, tuple[Point, ...]] = {"pro": (), "con": ()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The knowledge about one motion: its text and each side's points."""

    text: str
    points: Mapping[Side, tuple[Point, ...]]

    def recalled_points(self, side: Side, *, model: str, share: float) -> tuple[Point, ...]:
        """Return the points of a side that a model remembers, the same ones every time."""
        return tuple(point for point in self.points[side] if chance(model, point.claim) < share)

    def supported_side(self, text: str) -> Side | None:
        """Return the side that a text supports, as a good reader would say; None if unclear."""
        words = content_words(text)
        lead = self._similarity(words, "pro") - self._similarity(words, "con")
        if abs(lead) <= 0.1:
            lead = len(CUES["favourable"].findall(text)) - len(CUES["unfavourable"].findall(text))
            lead = -lead if CUES["against"].search(self.text) else lead
        return ("pro" if lead > 0 else "con") if lead else None

    def _similarity(self, words: frozenset[str], side: Side) -> float:
        texts = (f"{point.claim} {point.evidence}" for point in self.points[side])
        return max((overlap(words, content_words(text)) for text in texts), default=0.0)


class Knowledge:
    """All topics and questions that the simulated models may know, by their wording."""

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
        """Return the topic of a motion; that of an unknown motion has no points."""
        return self._topics.get(_plain(motion)) or Topic(text=motion, points=_NOTHING)

    def answers(self, question: str) -> Answers | None:
        """Return the answers of a question; None of an unknown one."""
        return self._answers.get(_plain(question))

    def find_motion(self, text: str) -> str:
        """Return the first known motion that a text contains, or ""."""
        plain = _plain(text)
        return next((topic.text for key, topic in self._topics.items() if key in plain), "")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .。“”\"'")


@lru_cache(maxsize=65536)
def chance(*parts: str) -> float:
    """Return a pseudo-random number from 0 to 1 that depends on the given texts alone."""
    key = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(key, "big") / 2**64

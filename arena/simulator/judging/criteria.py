"""The simulated judge with six criteria: scores from 1 to 20 for both sides of a whole debate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.languages import SIDES, Side
from arena.simulator.judging.analysis import notes_from
from arena.simulator.judging.verdicts import both, mark_of, word_of
from arena.simulator.mind import Mind
from arena.simulator.phrases.judge import words_of

_LEAST, _MOST = 1, 20
#: How far a score scatters: a fixed part, and a part by the judge's noise; references are sure.
_SPREAD = (0.3, 1.2)
_SURE = (0.05, 0.2)
#: Scores of 20 that essays come to: the ends of a scale of five.
_OF_ESSAYS = (6, 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What a side's speeches come to.

    Attributes:
        points: distinct points with a reason.
        answered: answers to points of the other side.
        argument, source, language: marks from 1 to 10, as a judge of that dimension gives them.
        sourced: what its references came to.
        style: mean of its speeches' wording, 0 to 1.
    """

    points: int
    answered: int
    argument: float
    source: float
    language: float
    sourced: float
    style: float


def criteria(mind: Mind) -> Mapping[str, Any]:
    """A score card of the speeches in the prompt."""
    return _card(_counts(mind), mind)


def review(mind: Mind) -> Mapping[str, Any]:
    """A score card, and for each advocate what was counted for its side."""
    counts = _counts(mind)
    pro, con = (_counted(side, counts[side], mind) for side in SIDES)
    return {**_card(counts, mind), **both("{}_feedback", pro, con)}


def totals(mind: Mind) -> Mapping[str, Any]:
    """A juror's scores of both sides, 6 to 120, or its vote for the higher one."""
    counts = _counts(mind)
    pro, con = (sum(_scores(counts[side], mind).values()) for side in SIDES)
    ahead = mind.rng.choice((-1, 1)) if pro == con else pro - con
    return {
        "judgement": _told(counts, mind),
        **both("{}_score", pro, con),
        "winner": word_of("pro" if ahead > 0 else "con", mind),
    }


def mark(mind: Mind) -> Mapping[str, Any]:
    """Relevance and preference of the one essay in the prompt, 1 to 5."""
    count = _counts(mind)["pro"]
    scores = _scores(count, mind)
    liked = fmean(scores[name] for name in ("depth", "clarity", "reasoning"))
    return {
        "reason": _counted("pro", count, mind),
        "relevance": _of_five(scores["relevance"], mind),
        "preference": _of_five(liked, mind),
    }


def _of_five(score: float, mind: Mind) -> int:
    """Bring a score to 1-5, scattered by up to half a mark, so that means of many tell it."""
    low, high = _OF_ESSAYS
    brought = 1 + 4 * (score - low) / (high - low) + mind.rng.uniform(-0.5, 0.5)
    return min(5, max(1, round(brought)))


def _card(counts: Mapping[Side, Count], mind: Mind) -> Mapping[str, Any]:
    pro, con = (_scores(counts[side], mind) for side in SIDES)
    return {"judgement": _told(counts, mind), **both("{}", pro, con)}


def _counts(mind: Mind) -> dict[Side, Count]:
    heard = mind.situation.heard
    argued, sourced, worded = (
        notes_from(heard, mind, measure=measure) for measure in ("argument", "source", "language")
    )
    counts: dict[Side, Count] = {}
    for side in SIDES:
        own = [note for note in argued if note.side == side]
        sources = [note.strength for note in sourced if note.side == side]
        words = [note.strength for note in worded if note.side == side]
        counts[side] = Count(
            points=sum(len(note.points) for note in own),
            answered=sum(len(note.answered) for note in own),
            argument=mark_of("argument", [note.strength for note in own]),
            source=mark_of("source", sources),
            language=mark_of("language", words),
            sourced=sum(sources),
            style=fmean(words) if words else 0.0,
        )
    return counts


def _scores(count: Count, mind: Mind) -> dict[str, int]:
    marks = {
        "relevance": 3 + 6 * (1 - math.exp(-count.points / 3)),
        "accuracy": count.source,
        "depth": 2 + 7 * (1 - math.exp(-count.points / 5)),
        "clarity": count.language,
        "reasoning": count.argument,
        "effectiveness": 2 + 7 * (1 - math.exp(-count.answered / 4)),
    }
    return {name: _score(mark, name, mind) for name, mark in marks.items()}


def _score(mark: float, name: str, mind: Mind) -> int:
    fixed, by_noise = _SURE if name == "accuracy" else _SPREAD
    scattered = 2 * mark + mind.rng.gauss(0, fixed + by_noise * mind.skill.noise)
    return min(_MOST, max(_LEAST, round(scattered)))


def _told(counts: Mapping[Side, Count], mind: Mind) -> str:
    return "\n".join(_counted(side, counts[side], mind) for side in SIDES)


def _counted(side: Side, count: Count, mind: Mind) -> str:
    language = mind.situation.language
    return words_of(language).counted.format(
        side=language.sides[side],
        points=count.points,
        answered=count.answered,
        strength=count.sourced,
        style=count.style,
    )

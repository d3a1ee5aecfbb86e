"""The simulated judge with six criteria: scores from 1 to 20 for both sides of a whole debate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from arena.languages import SIDES, Side
from arena.simulator.judging.counts import Count, count_speeches
from arena.simulator.judging.defences import count_defences
from arena.simulator.judging.verdicts import side_fields, winner_word
from arena.simulator.mind import Mind
from arena.simulator.phrases.judgements import words_of

_LEAST, _MOST = 1, 20
#: Standard deviation of a score: a fixed part, and a part times the judge's noise.
_SPREAD = (0.3, 1.2)
#: The same for accuracy, which is counted from references and varies less.
_ACCURACY_SPREAD = (0.05, 0.2)
#: The scores (1 to 20) of essays that become marks of 1 and of 5.
_ESSAY_SCORES = (6, 16)


def criteria(mind: Mind) -> Mapping[str, Any]:
    """Score both sides on all criteria."""
    return _card(count_speeches(mind), mind)


def defences(mind: Mind) -> Mapping[str, Any]:
    """Score both sides' defences on all criteria."""
    return _card(count_defences(mind), mind)


def review(mind: Mind) -> Mapping[str, Any]:
    """Score both sides on all criteria, and give each advocate feedback on its side."""
    return _review(count_speeches(mind), mind)


def review_defences(mind: Mind) -> Mapping[str, Any]:
    """Score both sides' defences on all criteria, and give each advocate feedback."""
    return _review(count_defences(mind), mind)


def _review(counts: Mapping[Side, Count], mind: Mind) -> Mapping[str, Any]:
    pro, con = (_format_count(side, counts[side], mind) for side in SIDES)
    return {**_card(counts, mind), **side_fields("{}_feedback", pro, con)}


def totals(mind: Mind) -> Mapping[str, Any]:
    """Give a juror's total scores of both sides, 6 to 120, and its vote for the higher one."""
    counts = count_speeches(mind)
    pro, con = (sum(_scores(counts[side], mind).values()) for side in SIDES)
    ahead = mind.rng.choice((-1, 1)) if pro == con else pro - con
    return {
        "judgement": _format_counts(counts, mind),
        **side_fields("{}_score", pro, con),
        "winner": winner_word("pro" if ahead > 0 else "con", mind),
    }


def mark(mind: Mind) -> Mapping[str, Any]:
    """Mark the relevance and preference of the one essay in the prompt, 1 to 5."""
    count = count_speeches(mind)["pro"]
    scores = _scores(count, mind)
    preference = fmean(scores[name] for name in ("depth", "clarity", "reasoning"))
    return {
        "reason": _format_count("pro", count, mind),
        "relevance": _scale_to_five(scores["relevance"], mind),
        "preference": _scale_to_five(preference, mind),
    }


def _scale_to_five(score: float, mind: Mind) -> int:
    """Scale a score to 1-5; noise before rounding lets the mean of many marks show the score."""
    low, high = _ESSAY_SCORES
    scaled = 1 + 4 * (score - low) / (high - low) + mind.rng.uniform(-0.5, 0.5)
    return min(5, max(1, round(scaled)))


def _card(counts: Mapping[Side, Count], mind: Mind) -> Mapping[str, Any]:
    pro, con = (_scores(counts[side], mind) for side in SIDES)
    return {"judgement": _format_counts(counts, mind), **side_fields("{}", pro, con)}


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
    fixed, by_noise = _ACCURACY_SPREAD if name == "accuracy" else _SPREAD
    score = 2 * mark + mind.rng.gauss(0, fixed + by_noise * mind.skill.noise)
    return min(_MOST, max(_LEAST, round(score)))


def _format_counts(counts: Mapping[Side, Count], mind: Mind) -> str:
    return "\n".join(_format_count(side, counts[side], mind) for side in SIDES)


def _format_count(side: Side, count: Count, mind: Mind) -> str:
    language = mind.situation.language
    return words_of(language).counted.format(
        side=language.sides[side],
        points=count.points,
        answered=count.answered,
        strength=count.sourced,
        style=count.style,
    )

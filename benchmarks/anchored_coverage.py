"""Anchored intervals, comparison bars, and boards that a newcomer joins, on simulated fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.fields import SIZE, Field, Setting, field
from ratings import Comparisons, Ratings, confidence
from ratings.intervals.sandwich import estimate_covariance
from ratings.model.fitting import ELO_PER_GAMMA, fit_point
from ratings.model.reference import refer
from ratings.model.terms import PAPER

Row = Mapping[str, object]
Floats = NDArray[np.float64]
#: What the newcomer won: matchups of two legs, by all three votes.
_WINS = 3
_CLEAR = 0.953


@dataclass(frozen=True, slots=True, kw_only=True)
class _Anchored:
    """One field, with each participant as the anchor once; shares of the others.

    Attributes:
        covered: with the interval of the difference to the anchor.
        shifted: with the interval of the distance to the mean, shifted.
        width, shifted_width: of these, Elo points.
        excluding: number of shifted intervals without 1000.
        contradicting: number of these whose difference's own interval has 0 in it.
        apart: share of pairs for which the bars overlap if and only if that interval has 0 in it.
        bars: share of pairs whose true difference is within the sum of two bars of the estimated.
    """

    covered: float
    shifted: float
    width: float
    shifted_width: float
    excluding: int
    contradicting: int
    apart: float
    bars: float


def anchored_table(fields: int) -> Iterator[Row]:
    """Yield how often anchored intervals contain the true anchored rating, by matchups."""
    for matchups in (15, 50, 150):
        found = [
            _measure_anchors(field(Setting(matchups=matchups), seed)) for seed in range(fields)
        ]
        covered = [each.covered for each in found]
        excluding = sum(each.excluding for each in found)
        yield {
            "case": f"{matchups} matchups",
            "covered": float(np.mean(covered)),
            "error": float(np.std(covered) / fields**0.5),
            "width": float(np.mean([each.width for each in found])),
            "shifted": float(np.mean([each.shifted for each in found])),
            "shifted_width": float(np.mean([each.shifted_width for each in found])),
            "contradicting": sum(each.contradicting for each in found) / max(excluding, 1),
            "bars": float(np.mean([each.bars for each in found])),
            "bars_agree": float(np.mean([each.apart for each in found])),
        }


def _measure_anchors(simulated: Field) -> _Anchored:
    sure, truth = confidence(simulated.comparisons), simulated.truth
    rating, half = sure.ratings.rating, _plain_half_widths(simulated.comparisons)
    gap, true = rating[:, None] - rating, truth[:, None] - truth
    others = ~np.eye(SIZE, dtype=np.bool_)
    shifted = np.broadcast_to(half[:, None], gap.shape)
    excludes = (np.abs(gap) > shifted) & others
    bars = sure.comparison.half[:, None] + sure.comparison.half
    differs = np.abs(gap) > sure.difference
    return _Anchored(
        covered=float((np.abs(gap - true) <= sure.difference)[others].mean()),
        shifted=float((np.abs(gap - true) <= shifted)[others].mean()),
        width=float(2 * sure.difference[others].mean()),
        shifted_width=float(2 * shifted[others].mean()),
        excluding=int(excludes.sum()),
        contradicting=int((excludes & ~differs).sum()),
        apart=float((differs == (np.abs(gap) > bars))[others].mean()),
        bars=float((np.abs(gap - true) <= bars)[others].mean()),
    )


def _plain_half_widths(comparisons: Comparisons) -> Floats:
    """Return half the widths of intervals of distances to the mean of all, (K,), Elo points."""
    errors = estimate_covariance(fit_point(comparisons, PAPER))
    return ELO_PER_GAMMA * errors.half_widths(0.95)[: len(comparisons.names)]


def newcomer_table(fields: int) -> Iterator[Row]:
    """Yield what three wins of a newcomer over the last do to a board, by matchups."""
    for matchups in (50, 150, 450):
        rows = [_join_newcomer(field(Setting(matchups=matchups), seed)) for seed in range(fields)]
        yield {
            "case": f"{matchups} matchups",
            **{name: float(np.mean([row[name] for row in rows])) for name in rows[0]},
        }


def _join_newcomer(simulated: Field) -> dict[str, float]:
    """Compare a board before and after a newcomer won three matchups over the last."""
    before = simulated.comparisons
    last = int(confidence(before).ratings.rating.argmin())
    after = _with_newcomer(before, last)
    then, now = confidence(before), confidence(after)
    plain = _plain_half_widths(after)[:SIZE]
    mean = refer(simulated.truth, now.ratings.matchups[:SIZE])
    return {
        "width before": float((then.upper - then.lower).mean()),
        "width, plain mean": float(2 * plain.mean()),
        "width": float((now.upper - now.lower)[:SIZE].mean()),
        "moved, plain mean": _moved(then.ratings, now.ratings.gamma[:SIZE] * ELO_PER_GAMMA + 1000),
        "moved": _moved(then.ratings, now.ratings.rating[:SIZE]),
        "covered": float(((now.lower[:SIZE] <= mean) & (mean <= now.upper[:SIZE])).mean()),
        "highest rating": float(now.ratings.rating.argmax() == SIZE),
        "named first": float(now.order[0] == SIZE),
        "provisional": float(now.provisional[SIZE]),
    }


def _with_newcomer(comparisons: Comparisons, last: int) -> Comparisons:
    new = len(comparisons.names)
    own, other = np.full(2 * _WINS, new), np.full(2 * _WINS, last)
    is_pro = np.arange(2 * _WINS) % 2 == 0
    clusters = np.repeat(np.arange(_WINS), 2) + comparisons.cluster.max() + 1
    return replace(
        comparisons,
        names=(*comparisons.names, "z"),
        first=np.append(comparisons.first, np.where(is_pro, own, other)),
        second=np.append(comparisons.second, np.where(is_pro, other, own)),
        outcome=np.append(comparisons.outcome, np.where(is_pro, 1.0, 0.0)),
        weight=np.append(comparisons.weight, np.full(2 * _WINS, _CLEAR)),
        cluster=np.append(comparisons.cluster, clusters),
        times=np.append(comparisons.times, np.ones(2 * _WINS, dtype=np.intp)),
    )


def _moved(then: Ratings, now: Floats) -> float:
    """Return by how much the ratings of those from before moved together, Elo points."""
    return float(abs((now - then.rating).mean()))

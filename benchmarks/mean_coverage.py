"""Coverage of intervals of a mean of points, of few matchups with two debates each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from ratings import clustered_mean, interval_level

Points = NDArray[np.float64]
Row = Mapping[str, object]


def means_table(fields: int) -> Iterator[Row]:
    """Yield the coverage of each method, by expected share of the points and by matchups."""
    for share in (0.5, 0.8):
        for matchups in (3, 5, 6, 8, 10, 28, 60):
            yield from mean_intervals(matchups, share, fields)


def mean_intervals(matchups: int, share: float, fields: int) -> Iterator[Row]:
    """Yield the coverage of each method for a mean of points out of three.

    Args:
        matchups: of each simulated field, two debates each.
        share: of the points, expected; it differs from matchup to matchup by a standard
            deviation of 0.2.
        fields: simulated.
    """
    rng = np.random.default_rng([matchups, fields])
    chances = np.clip(rng.normal(share, 0.2, (fields, matchups, 1)), 0, 1)
    simulated = rng.binomial(3, np.broadcast_to(chances, (fields, matchups, 2))).astype(float)
    truth = 3 * float(np.clip(np.random.default_rng(0).normal(share, 0.2, 10**6), 0, 1).mean())
    methods = {
        "percentile bootstrap": _percentiles,
        "Student's": _students,
        "sign-flip test": _not_rejected,
    }
    for name, method in methods.items():
        ends = np.array([method(points, rng) for points in simulated])
        inside = (ends[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= ends[:, 1])
        yield {
            "case": f"{truth:.1f} points, {matchups} matchups",
            "method": name,
            "nominal": interval_level(matchups) if method is _not_rejected else 0.95,
            "coverage": float(inside.mean()),
            "error": float(inside.std() / fields**0.5),
            "width": float((ends[:, 1] - ends[:, 0]).mean()),
        }


def _percentiles(points: Points, rng: np.random.Generator) -> tuple[float, float]:
    """Return the percentiles of a bootstrap over matchups; points are (matchups, 2)."""
    replicates = points[rng.integers(len(points), size=(2000, len(points)))].mean(axis=(1, 2))
    lower, upper = np.quantile(replicates, [0.025, 0.975])
    return float(lower), float(upper)


def _students(points: Points, _: np.random.Generator) -> tuple[float, float]:
    """Return Student's interval of the matchups' means."""
    means = points.mean(axis=1)
    half = t.ppf(0.975, len(means) - 1) * means.std(ddof=1) / len(means) ** 0.5
    return float(means.mean() - half), float(means.mean() + half)


def _not_rejected(points: Points, rng: np.random.Generator) -> tuple[float, float]:
    """Return the range of means that the sign-flip test does not reject."""
    mean = clustered_mean(points.ravel(), np.repeat(np.arange(len(points)), 2), rng)
    return mean.lower, mean.upper

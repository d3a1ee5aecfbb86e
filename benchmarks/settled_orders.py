"""How many orders step-down settles beside one cut-off for all pairs, and how often it is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.fields import Setting, field
from benchmarks.mean_coverage import Row
from ratings import PAPER, Comparisons, confidence
from ratings.intervals.planned_orders import draw_errors
from ratings.intervals.sandwich import estimate_covariance
from ratings.intervals.stepdown import find_largest
from ratings.model.fitting import fit_point

_EQUAL = 1e-9  # Elo points


def settled_table(fields: int) -> Iterator[Row]:
    """Yield a row for each number of matchups and spread of the abilities."""
    for spread in (0.8, 0.0):
        for matchups in (50, 150, 450):
            yield settled_orders(Setting(matchups=matchups, spread=spread), fields)


def settled_orders(setting: Setting, fields: int) -> Row:
    """Measure the share of pairs that are settled, and of fields with a false order."""
    shares, false = np.empty((fields, 2)), np.empty((fields, 2))
    for seed in range(fields):
        board = field(setting, seed)
        gap = board.truth[:, None] - board.truth[None, :] if setting.spread else np.zeros((1, 1))
        for rule, above in enumerate(_both_rules(board.comparisons)):
            shares[seed, rule] = above.sum() / (len(above) * (len(above) - 1) / 2)
            false[seed, rule] = (above & (gap < _EQUAL)).any()
    spread = "abilities spread" if setting.spread else "all equal"
    error = false.std(axis=0) / fields**0.5
    return {
        "case": f"{spread}, {setting.matchups} matchups",
        "fields": fields,
        "settled_single": float(shares[:, 0].mean()),
        "settled": float(shares[:, 1].mean()),
        "more": float(shares[:, 1].mean() / max(shares[:, 0].mean(), 1e-12) - 1),
        "false_single": float(false[:, 0].mean()),
        "false_single_error": float(error[0]),
        "false": float(false[:, 1].mean()),
        "false_error": float(error[1]),
    }


def _both_rules(comparisons: Comparisons) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return who is settled to be above whom, (K, K), by one cut-off and by step-down."""
    point = fit_point(comparisons, PAPER)
    size, errors = len(comparisons.names), estimate_covariance(point)
    deviation = errors.pairs(size).deviation
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    largest, _ = find_largest(draw_errors(errors, size), scale)
    gap = point.parameters[:size, None] - point.parameters[:size]
    single = (gap > np.quantile(largest, 0.95) * deviation) & (deviation > 0)
    return single, confidence(comparisons).above

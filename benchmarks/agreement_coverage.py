"""Coverage of intervals of kappa and alpha, of few matchups with two debates each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from judges.studies.statistics.agreement import (
    cohen_kappa,
    coincidences,
    confusion,
    count_meetings,
    count_values,
    krippendorff_alpha,
)
from judges.studies.statistics.estimates import AgreementEstimate, estimate_agreement

Array = NDArray[np.float64]
Row = Mapping[str, object]
Statistic = Callable[[Array], AgreementEstimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """How the verdicts of judges come about.

    Attributes:
        noise: standard deviation of a judge's error, in those of the strength of two participants.
        lean: what Pro is ahead by in every debate, in the same unit.
    """

    noise: float
    lean: float = 0.0


CASES: Mapping[str, Verdicts] = {
    "middling": Verdicts(noise=1.0),
    "close": Verdicts(noise=0.25),
    "one side favoured": Verdicts(noise=0.7, lean=1.2),
}


def agreement_table(fields: int) -> Iterator[Row]:
    """Yield the coverage of each method, by statistic, verdicts and matchups."""
    for judges in (2, 4):
        for name, verdicts in CASES.items():
            for matchups in (3, 6, 8, 10, 28):
                yield agreement_intervals(name, verdicts, judges, matchups, fields=fields)


def agreement_intervals(
    name: str, verdicts: Verdicts, judges: int, matchups: int, *, fields: int
) -> Row:
    """Return the coverage and mean width of each method.

    Args:
        name: of the case.
        verdicts: how they come about.
        judges: two have Cohen's kappa, more have Krippendorff's ordinal alpha.
        matchups: of each simulated field, two debates each.
        fields: simulated; a few in which the coefficient is undefined are left out.
    """
    rng = np.random.default_rng([judges, matchups, fields])
    statistic = cohen_kappa if judges == 2 else _ordinal_alpha
    large = _draw_tables(verdicts, judges, 100_000, np.random.default_rng(0))[0]
    truth = float(statistic(large.sum(axis=0)).coefficient)
    drawn = [_draw_tables(verdicts, judges, matchups, rng) for _ in range(fields)]
    known = [pair for pair in drawn if np.isfinite(statistic(pair[0].sum(axis=0)).coefficient)]
    row: dict[str, object] = {
        "case": f"{'kappa' if judges == 2 else 'alpha'} {truth:.2f}, {name}, {matchups} matchups"
    }
    for method, interval in METHODS.items():
        ends = np.array([interval(*pair, statistic, rng) for pair in known])
        inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        row |= {
            method: float(inside.mean()),
            f"{method}, width": float(np.ptp(ends, axis=1).mean()),
        }
    return row | {"error": (0.95 * 0.05 / len(known)) ** 0.5}


def _ordinal_alpha(tables: Array) -> AgreementEstimate:
    return krippendorff_alpha(tables, level="ordinal")


def _draw_tables(
    verdicts: Verdicts, judges: int, matchups: int, rng: np.random.Generator
) -> tuple[Array, float]:
    """Return the tables of some matchups, and the number of compared verdicts in them."""
    strength = rng.normal(size=(matchups, 1)) * [1, -1]
    debates = (strength + rng.normal(0, 0.7, (matchups, 2)) + verdicts.lean).reshape(-1, 1)
    leads = debates + rng.normal(0, verdicts.noise, (2 * matchups, judges))
    outcomes = (np.sign(np.where(np.abs(leads) < 0.3, 0, leads)) + 1) / 2
    counts = count_values(outcomes)
    tables = confusion(outcomes[:, 0], outcomes[:, 1]) if judges == 2 else coincidences(counts)
    return tables.reshape(matchups, 2, 3, 3).sum(axis=1), float(count_meetings(counts).sum())


def _percentiles(
    tables: Array, _: float, statistic: Statistic, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the percentiles of a bootstrap over matchups."""
    size = len(tables)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=1000).astype(float)
    replicates = statistic(np.tensordot(drawn, tables, axes=1)).coefficient
    lower, upper = np.nanquantile(replicates, [0.025, 0.975])
    return float(lower), float(upper)


def _jackknife(
    tables: Array, _: float, statistic: Statistic, __: np.random.Generator
) -> tuple[float, float]:
    """Return Student's interval with the standard error of a jackknife over matchups."""
    size, total = len(tables), tables.sum(axis=0)
    value = float(statistic(total).coefficient)
    moves = np.nan_to_num(statistic(total - tables).coefficient - value)
    half = float(t.ppf(0.975, size - 1)) * ((size - 1) * moves.var()) ** 0.5
    return value - half, min(1.0, value + half)


def _subsets(
    tables: Array, _: float, statistic: Statistic, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the range of all subsets' values without 2.5 % at either end, as of means."""
    size = len(tables)
    if size <= 10:
        chosen = (np.arange(1, 2**size)[:, None] >> np.arange(size) & 1).astype(float)
    else:
        chosen = rng.integers(2, size=(1999, size)).astype(float)
    values = np.sort(statistic(np.tensordot(chosen, tables, axes=1)).coefficient)
    values = values[np.isfinite(values)]
    cut = max(1, int(0.025 * (len(values) + 1)))
    return float(values[cut - 1]), float(values[-cut])


def _shipped(
    tables: Array, comparisons: float, statistic: Statistic, _: np.random.Generator
) -> tuple[float, float]:
    estimate = estimate_agreement(tables, statistic, count=2 * len(tables), comparisons=comparisons)
    return estimate.lower, estimate.upper


METHODS: Mapping[str, Callable[[Array, float, Statistic, np.random.Generator], tuple[float, float]]]
METHODS = {
    "percentile bootstrap": _percentiles,
    "jackknife": _jackknife,
    "subsets": _subsets,
    "Wilson's": _shipped,
}

"""How often intervals contain what they should, by simulation with fixed seeds.

    python benchmarks/coverage.py [--json] [--short] [--table intervals|side|means]

Fields of 10 participants, connected random draws, matchups of two legs, three ballots a debate
that agree more than chance (intraclass correlation 0.21), a side worth 80 Elo points. Two
estimands, both named in the table: for the paper's weighted model its own pseudo-true values (the
ratings it would find if every pair met endlessly; the weights stretch them), for the model with
side and ties the abilities that generated the ballots.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.fields import Field, Setting, field  # noqa: E402 - the project, run as a script
from benchmarks.reporting import report  # noqa: E402
from ratings import (  # noqa: E402
    Model,
    bootstrap,
    clustered_mean,
    confidence,
    cross_validate,
    interval_level,
)
from ratings.intervals.sandwich import Spread, spread  # noqa: E402
from ratings.model.fitting import ELO_PER_GAMMA, Fitted, fitted  # noqa: E402
from ratings.model.terms import Penalty  # noqa: E402

Ends = tuple[NDArray[np.float64], NDArray[np.float64]]
Points = NDArray[np.float64]
Row = Mapping[str, object]
Methods = Mapping[str, tuple[Callable[[Field, Model], Ends], tuple[Penalty, ...]]]

PAPER = Model()
WITH_SIDE = Model(side=True, ties="davidson")
ROUNDS = 400


def percentile(one: Field, model: Model) -> Ends:
    """Take the percentiles of a bootstrap over matchups."""
    found = bootstrap(one.comparisons, model, rounds=ROUNDS, seed=one.seed)
    return found.lower, found.upper


def studentised(one: Field, model: Model) -> Ends:
    """Put Student's quantile around the fit, with the bootstrap's standard deviation."""
    found = bootstrap(one.comparisons, model, rounds=ROUNDS, seed=one.seed)
    freedom = spread(fitted(one.comparisons, model)).freedom[: len(found.names)]
    half = t.ppf(0.975, freedom) * found.replicates.std(axis=0)
    return found.rating - half, found.rating + half


def plain(one: Field, model: Model) -> Ends:
    """Take the uncorrected sandwich with the normal quantile."""
    point = fitted(one.comparisons, model)
    return _around(point, float(norm.ppf(0.975)), spread(point, corrected=False))


def corrected(one: Field, model: Model) -> Ends:
    """Take the sandwich with leverages and Student's quantile, without the prior's part."""
    point = fitted(one.comparisons, model)
    found = spread(point)
    quantile = np.asarray(t.ppf(0.975, found.freedom[: len(one.truth)]))
    return _around(point, quantile, found)


def whole(one: Field, model: Model) -> Ends:
    """Take the package's intervals: the corrected sandwich, and the prior's part."""
    found = confidence(one.comparisons, model)
    return found.lower, found.upper


METHODS: Methods = {
    "percentile bootstrap": (percentile, ("adaptive",)),
    "studentised bootstrap": (studentised, ("adaptive",)),
    "sandwich": (plain, ("adaptive", "firth")),
    "corrected sandwich": (corrected, ("adaptive", "firth")),
    "corrected sandwich and prior": (whole, (150.0, 200.0, 300.0, 500.0, "adaptive")),
}


def intervals(
    setting: Setting, base: Model, fields: int, methods: Methods = METHODS
) -> Iterator[Row]:
    """Measure methods: coverage, and width in Elo points."""
    drawn = [field(setting, seed) for seed in range(fields)]
    for name, (method, penalties) in methods.items():
        for penalty in penalties:
            if penalty == "firth" and base.ties == "davidson":
                continue  # Firth's penalty is for ties as half wins
            ends = [method(one, replace(base, penalty=penalty)) for one in drawn]
            inside = [
                (low <= one.truth) & (one.truth <= high)
                for one, (low, high) in zip(drawn, ends, strict=True)
            ]
            yield {
                "case": f"{_named(base)}, {setting.matchups} matchups{_wide(setting)}",
                "method": name,
                "penalty": str(penalty),
                "coverage": float(np.mean(inside)),
                "error": float(np.mean(inside, axis=1).std() / fields**0.5),
                "width": float(np.mean([high - low for low, high in ends])),
            }


def ranks(setting: Setting, fields: int) -> Row:
    """Measure how often all ranks are right at once, and any order is false."""
    right = []
    for seed in range(fields):
        one = field(setting, seed)
        found = confidence(one.comparisons)
        rank = 1 + (one.truth[None, :] > one.truth[:, None] + 1e-9).sum(axis=1)
        worst = len(rank) - (one.truth[None, :] < one.truth[:, None] - 1e-9).sum(axis=1)
        right.append(bool(((found.rank_low <= rank) & (worst <= found.rank_high)).all()))
        if setting.spread == 0:
            right[-1] = not found.above.any()
    equal = "all equal" if setting.spread == 0 else "abilities spread"
    return {
        "case": f"ranks, {equal}, {setting.matchups} matchups",
        "method": "no false order" if setting.spread == 0 else "every rank in its interval",
        "penalty": "adaptive",
        "coverage": float(np.mean(right)),
        "error": float(np.std(right) / fields**0.5),
        "width": None,
    }


def losers(setting: Setting, fields: int) -> Row:
    """Measure the intervals of participants that lost every debate."""
    inside, widths = [], []
    for seed in range(fields):
        one = field(setting, seed)
        given, found = one.comparisons, confidence(one.comparisons)
        won = np.bincount(given.first, given.outcome, len(given.names))
        won += np.bincount(given.second, 1 - given.outcome, len(given.names))
        lost = won == 0
        inside += ((found.lower <= one.truth) & (one.truth <= found.upper))[lost].tolist()
        widths += (found.upper - found.lower)[lost].tolist()
    return {
        "case": f"who lost every debate ({len(inside)}), {setting.matchups} matchups",
        "method": "corrected sandwich and prior",
        "penalty": "adaptive",
        "coverage": float(np.mean(inside)) if inside else None,
        "error": float(np.std(inside) / len(inside) ** 0.5) if inside else None,
        "width": float(np.mean(widths)) if widths else None,
    }


def sides(setting: Setting, fields: int) -> Row:
    """Measure the interval of the side's advantage against what it is."""
    found = [
        confidence(field(setting, seed).comparisons, WITH_SIDE).effects[0] for seed in range(fields)
    ]
    inside = [one.lower <= setting.side <= one.upper for one in found]
    return {
        "case": f"a side worth {setting.side:.0f}, {setting.matchups} matchups",
        "method": "corrected sandwich and prior",
        "penalty": "adaptive",
        "coverage": float(np.mean(inside)),
        "error": float(np.std(inside) / fields**0.5),
        "width": float(np.mean([one.upper - one.lower for one in found])),
    }


def side_terms(setting: Setting, fields: int) -> Row:
    """Measure how a term for the side is covered and claimed, and what it saves when held out."""
    covered, claimed, seeing, blind = [], [], [], []
    for seed in range(fields):
        given = field(setting, seed).comparisons
        own = confidence(given, WITH_SIDE).effects[0]
        covered.append(own.lower <= setting.side <= own.upper)
        claimed.append(not own.lower <= 0 <= own.upper)
        seeing.append(cross_validate(given, WITH_SIDE, seed=seed).log_loss)
        blind.append(cross_validate(given, replace(WITH_SIDE, side=False), seed=seed).log_loss)
    saved = np.subtract(blind, seeing)
    return {
        "case": f"a side worth {setting.side:.0f}, {setting.matchups} matchups",
        "fields": fields,
        "covered": float(np.mean(covered)),
        "claimed": float(np.mean(claimed)),
        "claimed_error": float(np.std(claimed) / fields**0.5),
        "log_loss": float(np.mean(seeing)),
        "log_loss_without": float(np.mean(blind)),
        "saved": float(saved.mean()),
        "saved_error": float(saved.std() / fields**0.5),
    }


def side_table(fields: int) -> Iterator[Row]:
    """Measure the term for the side."""
    for side in (80.0, 0.0):
        for matchups in (50, 150):
            setting = Setting(matchups=matchups, side=side, tie=0.3, paper=False)
            yield side_terms(setting, fields)


def _bootstrapped(points: Points, drawn: np.random.Generator) -> tuple[float, float]:
    replicates = points[drawn.integers(len(points), size=(2000, len(points)))].mean(axis=(1, 2))
    lower, upper = np.quantile(replicates, [0.025, 0.975])
    return float(lower), float(upper)


def _students(points: Points, _: np.random.Generator) -> tuple[float, float]:
    own = points.mean(axis=1)
    half = t.ppf(0.975, len(own) - 1) * own.std(ddof=1) / len(own) ** 0.5
    return float(own.mean() - half), float(own.mean() + half)


def _unrejected(points: Points, drawn: np.random.Generator) -> tuple[float, float]:
    found = clustered_mean(points.ravel(), np.repeat(np.arange(len(points)), 2), drawn)
    return found.lower, found.upper


def means(matchups: int, share: float, fields: int) -> Iterator[Row]:
    """Measure intervals of a mean of points out of three, two debates a matchup."""
    drawn = np.random.default_rng([matchups, fields])
    draws = np.clip(drawn.normal(share, 0.2, (fields, matchups, 1)), 0, 1)
    fields_of = drawn.binomial(3, np.broadcast_to(draws, (fields, matchups, 2))).astype(float)
    truth = 3 * float(np.clip(np.random.default_rng(0).normal(share, 0.2, 10**6), 0, 1).mean())
    methods = {
        "percentile bootstrap": _bootstrapped,
        "Student's": _students,
        "sign-flip test": _unrejected,
    }
    for name, method in methods.items():
        ends = np.array([method(points, drawn) for points in fields_of])
        inside = (ends[:, 0] <= truth + 1e-9) & (truth - 1e-9 <= ends[:, 1])
        yield {
            "case": f"{truth:.1f} points, {matchups} matchups",
            "method": name,
            "nominal": interval_level(matchups) if method is _unrejected else 0.95,
            "coverage": float(inside.mean()),
            "error": float(inside.std() / fields**0.5),
            "width": float((ends[:, 1] - ends[:, 0]).mean()),
        }


def means_table(fields: int) -> Iterator[Row]:
    """Measure means of few matchups."""
    for share in (0.5, 0.8):
        for matchups in (3, 5, 6, 8, 10, 28, 60):
            yield from means(matchups, share, fields)


def measure(fields: int) -> Iterator[Row]:
    """Measure everything, on so many fields each."""
    ballots = {"tie": 0.3, "paper": False}
    for matchups in (15, 50, 150):
        yield from intervals(Setting(matchups=matchups), PAPER, fields)
    for matchups in (15, 50, 150):
        yield from intervals(Setting(matchups=matchups, **ballots), WITH_SIDE, fields)  # type: ignore[arg-type]
    whole_only: Methods = {"corrected sandwich and prior": (whole, (300.0, 500.0, "adaptive"))}
    for matchups in (15, 50, 150):
        yield from intervals(Setting(matchups=matchups, spread=1.6), PAPER, fields, whole_only)
    for spread_ in (0.8, 0.0):
        for matchups in (15, 50, 150):
            yield ranks(Setting(matchups=matchups, spread=spread_), fields)
    for matchups in (15, 50):
        yield losers(Setting(matchups=matchups), fields)
    for side in (80.0, 0.0):
        yield sides(Setting(matchups=50, side=side, **ballots), fields)  # type: ignore[arg-type]


def _around(point: Fitted, quantile: float | NDArray[np.float64], found: Spread) -> Ends:
    size = len(point.objective.problem.names)
    half = quantile * ELO_PER_GAMMA * np.sqrt(np.diag(found.sampling)[:size])
    rating = 1000 + ELO_PER_GAMMA * point.parameters[:size]
    return rating - half, rating + half


def _named(model: Model) -> str:
    return "side and ties" if model.side else "paper's model"


def _wide(setting: Setting) -> str:
    return "" if setting.spread == 0.8 else f", spread {setting.spread}"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: 20 fields.")
@click.option("--fields", default=500, show_default=True, help="Simulated fields per case.")
@click.option(
    "--side-fields",
    default=1000,
    show_default=True,
    help="The same in the table of the term for the side, whose claims are few.",
)
@click.option("--table", type=click.Choice(["intervals", "side", "means"]), help="One alone.")
def main(as_json: bool, short: bool, fields: int, side_fields: int, table: str | None) -> None:
    """Measure coverage."""
    if table in (None, "intervals"):
        report(measure(20 if short else fields), as_json=as_json)
    if table in (None, "side"):
        report(side_table(20 if short else side_fields), as_json=as_json)
    if table in (None, "means"):
        report(means_table(20 if short else 4 * fields), as_json=as_json)


if __name__ == "__main__":
    main()

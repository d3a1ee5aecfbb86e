"""Simulated fields that are like a stored tournament: its judges' noise and bias, and its costs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena.boards.judge_effort import LEAST_DEBATES, measure_noise
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.scheduling.meetings import Asked
from arena.scheduling.simulation.field import FieldPlan, Judging
from arena.store.database import Store
from arena.tournament.forecast import Price
from arena.tournament.list_prices import ListPrices, list_prices
from arena.tournament.waves import read_comparisons
from ratings import confidence
from ratings.diagnostics.runs import spread_of
from ratings.model.fitting import ELO_PER_GAMMA

#: Standard errors on either side of a rating in a 95 % interval.
_NORMAL = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarField:
    """What is like a stored tournament.

    Attributes:
        plan: what is measured, and defaults for what is not.
        assumed: what is not measured, in words: the names of the quantities.
        debates: how many judged debates it rests on.
    """

    plan: FieldPlan
    assumed: tuple[str, ...]
    debates: int


def measure_field(store: Store, resolved: ResolvedConfig, *, price: Price) -> SimilarField:
    """Measure the participants, the deciding judges and the costs of a stored tournament.

    The noise with which a judge sees differences is not told apart from small differences: the
    strengths are as spread as its verdicts show them.

    Args:
        store: holds the tournament.
        resolved: its configuration.
        price: looks up a model's list price.

    Raises:
        ConfigError: nothing of it is judged, or it was imported.
    """
    asked = Asked.of(resolved)
    selection = Selection(tournament=resolved.name, bench=asked.bench)
    noise = None if resolved.imported else measure_noise(store, resolved, selection)
    compared = None if noise is None else read_comparisons(resolved, store, asked)
    if noise is None or compared is None or not len(compared.comparisons):
        raise ConfigError(
            f"{resolved.name!r} has no debates that bench {asked.bench!r} has judged in full, so "
            "nothing can be measured in it. Play it first, or name another tournament; `arena "
            "list` shows them"
        )
    estimate = confidence(compared.comparisons)
    errors = (estimate.upper - estimate.lower) / (2 * _NORMAL)
    debates = tuple(sorted(compared.rows["debate_id"]))
    prices = list_prices(store, resolved, debates, price=price)
    runs = next(bench.runs for bench in resolved.benches if bench.name == asked.bench)
    is_measured = noise.debates >= LEAST_DEBATES and math.isfinite(noise.icc)
    usd, ballot = _costs(prices, runs)
    given = Judging()
    judging = Judging(
        runs=runs,
        icc=min(1.0, max(0.0, noise.icc)) if is_measured else given.icc,
        side=noise.side,
        tie=noise.tie,
        usd=ballot if usd else given.usd,
    )
    plan = FieldPlan(
        participants=len(resolved.participants),
        spread=spread_of(estimate.ratings.rating, errors) / ELO_PER_GAMMA,
        usd=usd,
        judging=judging,
    )
    assumed = (*(() if is_measured else ("ICC",)), *(() if usd else ("prices",)))
    return SimilarField(plan=plan, assumed=assumed, debates=len(debates))


def _costs(prices: ListPrices, runs: int) -> tuple[tuple[float, ...], float]:
    """Return the prices of sides and of a ballot; no prices of sides where nobody costs anything.

    What is free among what costs counts as a hundredth of the mean: nothing can be planned by
    gain per dollar otherwise.
    """
    sides = list(prices.sides.values())
    if not any(sides):
        return (), 0.0
    least = 0.01 * sum(sides) / len(sides)
    return tuple(max(least, side) for side in sides), prices.judging / runs

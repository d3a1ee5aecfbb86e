"""Pairs of answers that were judged in both orders: whether the winner hangs on the order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judges.studies.agreement.material import Material
from judges.studies.agreement.statistics import Measured, by_cluster, measured, share
from ratings import TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The ballots of one bench that were taken in both orders.

    Attributes:
        ballots: how many.
        flipped: share of ballots with one winner in one order and the other in the other.
        one_sided: share of ballots with a winner in one order and a tie in the other.
        first: the share, ties half, of whoever stands first; each answer does so once, so which
            is better plays no part.
    """

    bench: str
    ballots: int
    flipped: Measured
    one_sided: Measured
    first: Measured


def orders(material: Material) -> Iterator[Orders]:
    """Every bench that judged anything in both orders."""
    for bench in material.benches:
        taken = material.orders[material.orders["bench"] == bench.name]
        if taken.empty:
            continue
        given, exchanged = (taken[one].to_numpy(dtype=float) for one in ("given", "exchanged"))
        named = (given != TIE).astype(int) + (exchanged != TIE)
        rng = material.rng(bench.name, "orders")
        yield Orders(
            bench=bench.name,
            ballots=len(taken),
            flipped=_share(taken, np.abs(given - exchanged) == 1, rng),
            one_sided=_share(taken, named == 1, rng),
            first=_share(taken, (given + 1 - exchanged) / 2, rng),
        )


def _share(taken: pd.DataFrame, values: object, rng: np.random.Generator) -> Measured:
    given = np.asarray(values, dtype=float)
    items = np.column_stack([given, np.ones(len(given))])
    clustered = by_cluster(items, pd.factorize(taken["matchup_id"])[0])
    return measured(clustered, share, count=len(given), rng=rng)

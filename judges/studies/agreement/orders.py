"""Pairs of answers that were judged in both orders: whether the order decides the winner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from arena.console.tables import Table
from judges.studies.agreement.material import Material
from judges.studies.cells import format_percent
from judges.studies.statistics.bootstrap import Estimate, bootstrap_mean
from ratings import TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderBias:
    """The effect of the order on one bench's ballots that were taken in both orders.

    Attributes:
        ballots: number of them.
        flipped: share of ballots with one winner in one order and the other in the other.
        one_sided: share of ballots with a winner in one order and a tie in the other.
        first: the share, a tie as half, of the answer that stands first; each answer does so once,
            so which of the two is better plays no part.
    """

    bench: str
    ballots: int
    flipped: Estimate
    one_sided: Estimate
    first: Estimate


def measure_order_biases(material: Material) -> Iterator[OrderBias]:
    """Yield the effect of the order on every bench that judged anything in both orders."""
    for bench in material.benches:
        ballots = material.orders[material.orders["bench"] == bench.name]
        if ballots.empty:
            continue
        given = ballots["given"].to_numpy(dtype=float)
        exchanged = ballots["exchanged"].to_numpy(dtype=float)
        winners = (given != TIE).astype(int) + (exchanged != TIE)
        mean = partial(
            bootstrap_mean,
            clusters=pd.factorize(ballots["matchup_id"])[0],
            rng=material.rng(bench.name, "orders"),
        )
        yield OrderBias(
            bench=bench.name,
            ballots=len(ballots),
            flipped=mean(np.abs(given - exchanged) == 1),
            one_sided=mean(winners == 1),
            first=mean((given + 1 - exchanged) / 2),
        )


def order_biases_table(biases: Sequence[OrderBias]) -> Table:
    """Lay out a row per bench."""
    rows = tuple(
        (
            bias.bench,
            f"{bias.ballots:,}",
            *map(format_percent, (bias.flipped, bias.one_sided, bias.first)),
        )
        for bias in biases
    )
    note = (
        "`flipped`: the winner changes when the two answers change places; the ballot counts as a "
        "tie. `in one order only`: a winner in one order and a tie in the other, which also "
        "counts as a tie. `first's share`: how often the answer shown first wins, a tie counting "
        "as half; without a position bias it is 50, whichever answer is better."
    )
    head = ("bench", "ballots", "flipped", "in one order only", "first's share")
    return Table(title="Both orders of a pair, %", head=head, rows=rows, notes=(note,))

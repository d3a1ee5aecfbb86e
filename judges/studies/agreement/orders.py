"""Pairs of answers that were judged in both orders: whether the order decides the winner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arena.console.tables import Table
from arena.report.interval_text import format_interval_method
from judges.studies.agreement.material import Material
from judges.studies.cells import format_percent
from judges.studies.statistics.estimates import Estimate, estimate_mean, estimate_share
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
        matchups = ballots["matchup_id"]
        rng = material.rng(bench.name, "orders")
        yield OrderBias(
            bench=bench.name,
            ballots=len(ballots),
            flipped=estimate_share(np.abs(given - exchanged) == 1, matchups),
            one_sided=estimate_share(winners == 1, matchups),
            first=estimate_mean((given + 1 - exchanged) / 2, matchups, rng),
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
        "as half; without a position bias it is 50, whichever answer is better. Its interval: "
        f"{format_interval_method('matchup', (bias.first.clusters for bias in biases))}; those of "
        "the other shares are Wilson's, clustered by matchup."
    )
    head = ("bench", "ballots", "flipped", "in one order only", "first's share")
    return Table(title="Both orders of a pair, %", head=head, rows=rows, notes=(note,))

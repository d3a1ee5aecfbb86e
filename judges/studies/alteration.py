"""How often an alteration changes a judge's verdict, beyond what judging again changes.

`probes` measures planted defects like this, and `labelled` the wording of prompts. Each study says
what counts as a change: another outcome, or a lead that moves by some marks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from arena.output.tables import Column
from judges.studies.tables import format_p, format_range
from ratings import clustered_mean, clustered_share, clustered_test


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterationEffect:
    """The effect of an alteration, compared with that of chance.

    Each item has three readings: two of the original and one of the altered item.

    Attributes:
        readings: number of items with all three readings.
        moved: on how many of these the altered reading has changed against the first.
        share, lower, upper: of `moved`, with its 95 % interval, by clusters; NaN of no items.
        noise: on how many the second reading of the original has.
        net, net_lower, net_upper: share of `moved` minus share of `noise`, paired, with the 95 %
            interval, by clusters; the ends are NaN with fewer than two clusters.
        clusters: number of clusters that the items belong to.
        p: `ratings.clustered_test` of moved against noise, two-sided.
    """

    readings: int
    moved: int
    share: float
    lower: float
    upper: float
    noise: int
    net: float
    net_lower: float
    net_upper: float
    clusters: int
    p: float


_Effect = TypeVar("_Effect", bound=AlterationEffect)


def measure_alteration(
    moved: Sequence[bool], noise: Sequence[bool], clusters: Sequence[str], rng: np.random.Generator
) -> AlterationEffect:
    """Measure the effect of an alteration beyond chance.

    The altered and the second reading differ from the first by chance alike; only the altered
    one also differs by the alteration. So an alteration has an effect if it changes more.

    Args:
        moved: (items,) whether the altered reading has changed against the first.
        noise: (items,) whether the second reading of the original has.
        clusters: (items,) labels.
        rng: draws the clusters.
    """
    net = np.asarray(moved, dtype=np.float64) - np.asarray(noise, dtype=np.float64)
    share, mean = clustered_share(moved, clusters), clustered_mean(net, clusters, rng)
    return AlterationEffect(
        readings=len(net),
        moved=sum(moved),
        share=share.mean,
        lower=share.lower,
        upper=share.upper,
        noise=sum(noise),
        net=mean.mean,
        net_lower=mean.lower,
        net_upper=mean.upper,
        clusters=mean.clusters,
        p=clustered_test(net, clusters, rng).p,
    )


def effect_columns(
    heads: tuple[str, str, str, str],
    name: Callable[[_Effect], str],
    further: Mapping[str, Callable[[_Effect], object]],
    *,
    empty: str,
) -> list[Column[_Effect]]:
    """Declare the columns of effects.

    Args:
        heads: of the name, the number of items, those that moved, and those that moved by chance.
        further: the last columns, by their heading.
        empty: stands for all that an effect without readings does not tell.
    """
    of_name, of_items, of_moved, of_noise = heads
    cells: dict[str, Callable[[_Effect], object]] = {
        of_moved: lambda effect: f"{effect.moved} ({effect.share:.0%})",
        "95 % interval": lambda effect: f"{effect.lower:.0%} to {effect.upper:.0%}",
        of_noise: lambda effect: effect.noise,
        "net": lambda effect: f"{effect.net:+.0%}",
        "95 % of net": lambda effect: format_range(
            effect.net_lower, effect.net_upper, "+.0%", empty=empty
        ),
        "p": lambda effect: format_p(effect.p),
        **further,
    }

    def read(cell: Callable[[_Effect], object], effect: _Effect) -> object:
        return cell(effect) if effect.readings else empty

    return [
        Column(head=of_name, read=name, label=True),
        Column(head=of_items, read=lambda effect: effect.readings),
        *(Column(head=head, read=partial(read, cell)) for head, cell in cells.items()),
    ]

"""How often readings of something altered differ, beyond those of the same thing again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judges.studies.mcnemar import mcnemar
from ratings import clustered_mean, clustered_share


@dataclass(frozen=True, slots=True, kw_only=True)
class Beyond:
    """What an alteration moves, and what chance does.

    Attributes:
        readings: of how many there are three: the first, the second, and one of the altered.
        moved: how many of these the altered reading moved against the first.
        share, lower, upper: of `moved`, with its 95 % interval, by clusters; NaN without any.
        noise: how many the second reading moved as much, which nothing was altered for.
        net, net_lower, net_upper: share moved minus share of noise, paired, with the 95 %
            interval, by clusters; NaN ends with fewer than two.
        clusters: that the readings belong to.
        p: two-sided exact test of McNemar (1947, doi:10.1007/BF02295996) of moved against noise.
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


def beyond(
    moved: Sequence[bool], noise: Sequence[bool], clusters: Sequence[str], rng: np.random.Generator
) -> Beyond:
    """What an alteration moves beyond chance.

    The altered and the second reading differ from the first by chance alike; only the altered
    one also differs by the alteration. So it has an effect where it moves more often.

    Args:
        moved: (n,) whether the altered reading moved.
        noise: (n,) whether the second reading did.
        clusters: (n,) what each belongs to.
        rng: draws the clusters.
    """
    net = np.asarray(moved, dtype=np.float64) - np.asarray(noise, dtype=np.float64)
    share, mean = clustered_share(moved, clusters), clustered_mean(net, clusters, rng)
    return Beyond(
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
        p=mcnemar(int((net > 0).sum()), int((net < 0).sum())),
    )

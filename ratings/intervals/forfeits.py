"""Forfeits that are not alike: whether some fail more often than others by more than chance.

Whoever fails where it is about to lose is rated too high, and nothing in the verdicts tells.
Where all fail alike, that raises nobody above another.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ratings.comparisons import Comparisons
from ratings.model.newton import Floats
from ratings.model.reference import count_matchups

#: Forfeits are not alike if chance would spread them so unevenly with this probability at most.
_LEVEL: Final = 0.05
_DRAWS: Final = 2000


def are_uneven(comparisons: Comparisons) -> bool:
    """Return whether some forfeit more often than others by more than chance.

    Pearson's statistic of the matchups in which each has failed, with its matchups as expectation,
    is compared with draws from the multinomial distribution: both legs of a matchup, and all
    benches, count once, because whoever cannot speak on a motion fails on all of them.

    >>> from dataclasses import replace
    >>> met = Comparisons.of("aab" * 9, "bcc" * 9, [1, 0, 1] * 9)
    >>> alike = Comparisons.of("abc", "bca", [0, 0, 0], cluster=[30, 31, 32])
    >>> are_uneven(replace(met, forfeits=alike))
    False
    """
    lost = comparisons.forfeits
    if lost is None:
        return False
    size = len(comparisons.names)
    failed = np.where(lost.outcome == 0, lost.first, lost.second)
    once = np.unique(np.stack([failed, lost.cluster]), axis=1)[0]
    counts = np.bincount(once, minlength=size).astype(np.float64)
    played = count_matchups(comparisons.with_losses())
    expected = len(once) * played / played.sum()
    drawn = np.random.default_rng(0).multinomial(len(once), played / played.sum(), _DRAWS)
    # the squares of the counts by their expectations are Pearson's statistic but for a constant
    share = np.divide(1.0, expected, out=np.zeros(size), where=expected > 0)
    return bool((drawn**2 @ share >= counts**2 @ share - 1e-9).mean() <= _LEVEL)


def less_sure(one: Floats, other: Floats) -> Floats:
    """Return of two probabilities the one nearer to ½; ½ where they are on both sides of it.

    >>> less_sure(np.array([0.9, 0.9, 0.2]), np.array([0.7, 0.4, 0.4])).tolist()
    [0.7, 0.5, 0.4]
    """
    side, others_side = one - 0.5, other - 0.5
    nearer = np.sign(side) * np.minimum(np.abs(side), np.abs(others_side))
    return np.where(side * others_side > 0, 0.5 + nearer, 0.5)

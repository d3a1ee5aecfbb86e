"""Retirement: motions on which nobody can be told from anybody are dealt no more."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.waves import Situation
from ratings import Comparisons

#: The probability that any good motion is ever retired by chance.
_ERROR: Final = 0.05
_LEGS: Final = 2


def find_retired(situation: Situation) -> frozenset[str]:
    """Return the motions that were retired before, and those that are to be retired now."""
    before = frozenset(motion for wave in situation.waves for motion in wave.retired)
    return before | find_indifferent(situation.comparisons)


def find_indifferent(comparisons: Comparisons) -> frozenset[str]:
    """Return the motions that give neither of two participants more points than the other.

    On such a motion, all debates were ties or were won by the same side, so both participants of
    every matchup have as many points. A good motion does this once with a probability of at most
    p, and n times running with pⁿ. A motion is retired when pⁿ is at most 0.05 divided by the
    number of motions. The inverse of pⁿ is a test martingale, so by Ville's inequality (J. Ville
    1939, Étude critique de la notion de collectif) the bound holds however often one looks. p is
    estimated from the matchups on all other motions, with one drawn and one decided added.

    Args:
        comparisons: with motions; without them nothing is retired. Only matchups of which both
            debates were judged count.
    """
    if comparisons.motion is None or not len(comparisons):
        return frozenset()
    motion, drawn, same_side = _matchups(comparisons)
    size = len(comparisons.motions)
    played = np.bincount(motion, minlength=size)
    without_winner = np.bincount(motion, drawn, size)
    others = (drawn.sum() - without_winner + 1) / (len(motion) - played + 2)
    indifferent = (played > 0) & (without_winner == played) & same_side
    surprising = -played * np.log(others) >= math.log((played > 0).sum() / _ERROR)
    return frozenset(
        comparisons.motions[index] for index in np.flatnonzero(indifferent & surprising).tolist()
    )


def _matchups(
    comparisons: Comparisons,
) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the matchups of two debates, and what is known of each motion.

    Returns:
        The motion of each matchup, (N,); whether both had as many points, (N,); whether all
        debates on a motion that had a winner were won by the same side, (M,).
    """
    assert comparisons.motion is not None
    _, first_row, matchup, legs = np.unique(
        comparisons.cluster, return_index=True, return_inverse=True, return_counts=True
    )
    half = comparisons.decided - 0.5
    sign = np.where(comparisons.first < comparisons.second, 1.0, -1.0)
    lead = np.bincount(matchup, sign * half, len(legs))
    whole = legs == _LEGS
    size = len(comparisons.motions)
    pro, con = (np.bincount(comparisons.motion, side * half > 0, size) > 0 for side in (1.0, -1.0))
    return comparisons.motion[first_row][whole], lead[whole] == 0, ~(pro & con)

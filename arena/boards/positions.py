"""Whether verdicts of an imported log follow who is named first, and not only who is better."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from arena.text import counted
from ratings import CON_WINS, PRO_WINS, Comparisons, wilson_interval

#: The share of decided battles that the first named, or the second, must surely (95 %) have won.
_LEAST_SHARE: Final = 2 / 3


def position_notes(comparisons: Comparisons) -> Iterator[str]:
    """Yield how often the first named has won, if that is far from half.

    Only pairs that met in both orders are counted: between them, strengths cancel out. Where there
    are none, all are, and the note says that it can also be their strengths.
    """
    pairs = comparisons.first * len(comparisons.names) + comparisons.second
    turned = comparisons.second * len(comparisons.names) + comparisons.first
    both = np.isin(pairs, turned)
    compared = both if both.any() else ~both
    first, second = (
        int(comparisons.times[compared & (comparisons.outcome == outcome)].sum())
        for outcome in (PRO_WINS, CON_WINS)
    )
    decided, most = first + second, max(first, second)
    if not decided:
        return
    share = most / decided
    variance = share * (1 - share) / decided
    ends = wilson_interval(share, variance, observations=decided, clusters=decided)
    if ends[0] < _LEAST_SHARE:
        return
    who = "first" if first > second else "second"
    among = " between pairs that met in both orders" if both.any() else ""
    meaning = (
        "verdicts follow the order in which the two are named, and ratings leave that out; "
        "--side rates with a term for it"
        if both.any()
        else "no pair met in both orders, so whether order or strength decided cannot be told"
    )
    yield (
        f"the {who} named won {most:,} of {counted(decided, 'decided battle', style=',')}{among} "
        f"({100 * share:.0f} %): {meaning}"
    )

"""How often judges are right about labelled pairs, and whether two of them differ in that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from judges.studies.mcnemar import mcnemar
from ratings import TIE, clustered_share

#: Totals of the two answers, round by round, of one run in one order.
Totals = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One bench's verdict on one pair, over all of its runs.

    Attributes:
        label: the first answer's outcome as people see it.
        outcome: the same as the bench sees it, by the sum of its runs.
        gap: mean distance of the totals of its ballots, 0 to 114; NaN where it gives none.
        flips, orders: ballots whose winner changed with the order, of those in both orders.
        rounds: where it judges in rounds, the totals of each run and order.
        usd, tokens: of all runs, with what failed askings cost.
    """

    bench: str
    item: str
    question: str
    category: str
    label: float
    outcome: float
    gap: float
    flips: int
    orders: int
    rounds: tuple[Totals, ...]
    usd: float
    tokens: float

    @property
    def counts(self) -> bool:
        """Whether people have named a winner, so that a verdict is right or wrong."""
        return self.label != TIE

    @property
    def right(self) -> bool:
        """Whether the bench names the winner that people name; a tie is not right."""
        return self.outcome == self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How often one bench is right.

    Attributes:
        pairs: judged ones that people have named a winner of.
        right: on how many of these the bench names the same.
        ties: on how many of these it names none.
        share, lower, upper: of `right`, with the 95 % interval of `clustered_share`; NaN of no
            pairs.
        even: judged pairs that people call a tie.
        even_right: on how many of these the bench does too.
        missing: pairs without a valid ballot of every run.
        flip_rate: share of ballots in both orders whose winner changed; NaN of none.
        usd_per_right, tokens_per_right: of all ballots on `pairs`, per right verdict; NaN of none.
    """

    bench: str
    pairs: int
    right: int
    ties: int
    share: float
    lower: float
    upper: float
    even: int
    even_right: int
    missing: int
    flip_rate: float
    usd: float
    usd_per_right: float
    tokens_per_right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two benches on the pairs that both have judged and people have named a winner of.

    Attributes:
        difference: the second's accuracy minus the first's; NaN of no pairs.
        t, t_p: paired t-test of that difference, two-sided; NaN where it does not vary.
        only_first, only_second: pairs that one alone is right about.
        mcnemar_p: exact two-sided test of McNemar (1947, doi:10.1007/BF02295996) on these.
    """

    first: str
    second: str
    pairs: int
    difference: float
    t: float
    t_p: float
    only_first: int
    only_second: int
    mcnemar_p: float

    def turned(self) -> Contrast:
        """The same with the second named first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            t=-self.t,
            only_first=self.only_second,
            only_second=self.only_first,
        )


def accuracy(bench: str, found: Sequence[Judged], *, missing: int) -> Accuracy:
    """How often a bench is right.

    Args:
        bench: its name.
        found: its verdicts.
        missing: pairs that it has no verdict on.
    """
    told = [one for one in found if one.counts]
    even = [one for one in found if not one.counts]
    right = sum(one.right for one in told)
    share = clustered_share([one.right for one in told], [one.question for one in told])
    usd, orders = sum(one.usd for one in told), sum(one.orders for one in found)
    return Accuracy(
        bench=bench,
        pairs=len(told),
        right=right,
        ties=sum(one.outcome == TIE for one in told),
        share=share.mean,
        lower=share.lower,
        upper=share.upper,
        even=len(even),
        even_right=sum(one.right for one in even),
        missing=missing,
        flip_rate=_per(sum(one.flips for one in found), orders),
        usd=sum(one.usd for one in found),
        usd_per_right=_per(usd, right),
        tokens_per_right=_per(sum(one.tokens for one in told), right),
    )


def contrasts(benches: Sequence[str], found: Sequence[Judged]) -> Iterator[Contrast]:
    """Every two benches, on the pairs that both have judged."""
    right = {
        name: {one.item: float(one.right) for one in found if one.bench == name and one.counts}
        for name in benches
    }
    for first, second in combinations(benches, 2):
        both = [item for item in right[first] if item in right[second]]
        yield contrast(
            first,
            second,
            [right[first][item] for item in both],
            [right[second][item] for item in both],
        )


def contrast(first: str, second: str, one: ArrayLike, other: ArrayLike) -> Contrast:
    """Two benches on the same pairs.

    Args:
        first: the name of one.
        second: that of the other.
        one: (n,) 1 where the first is right, else 0.
        other: (n,) the same of the second.
    """
    apart = np.asarray(other, dtype=np.float64) - np.asarray(one, dtype=np.float64)
    only = int((apart < 0).sum()), int((apart > 0).sum())
    statistic, p = paired_t(apart)
    return Contrast(
        first=first,
        second=second,
        pairs=len(apart),
        difference=_per(float(apart.sum()), len(apart)),
        t=statistic,
        t_p=p,
        only_first=only[0],
        only_second=only[1],
        mcnemar_p=mcnemar(*only),
    )


def paired_t(differences: ArrayLike) -> tuple[float, float]:
    """Student's t of paired differences and its two-sided p.

    Returns:
        NaN twice where there are fewer than two, or all are the same.
    """
    given = np.asarray(differences, dtype=np.float64)
    if len(given) < 2 or np.ptp(given) == 0:
        return float("nan"), float("nan")
    statistic = given.mean() / (given.std(ddof=1) / sqrt(len(given)))
    return float(statistic), float(2 * stdtr(len(given) - 1, -abs(statistic)))


def _per(one: float, other: float) -> float:
    return one / other if other else float("nan")

"""Rank correlations: how similarly the boards of two benches order the participants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """The rank correlations of two benches' ratings.

    Attributes:
        kendall: tau-b (Kendall 1945, doi 10.2307/2332303), -1 to 1.
        spearman: rho (Spearman 1904, doi 10.2307/1412159), -1 to 1.
        participants: the number of participants that both have rated.
    """

    first: str
    second: str
    kendall: float
    spearman: float
    participants: int


def correlations(ratings: Mapping[str, Mapping[str, float]]) -> list[Correlation]:
    """Correlate the ratings of every two benches.

    A pair of benches is left out if they have fewer than two participants in common, or if one of
    them rates all of these equally and so has no order.

    Args:
        ratings: by bench and participant, in Elo points.
    """
    # Imported late: it takes a second, and most boards are shown without another bench's.
    from scipy.stats import kendalltau, spearmanr  # noqa: PLC0415

    computed = []
    for first, second in combinations(ratings, 2):
        common = sorted(ratings[first].keys() & ratings[second].keys())
        x, y = ([ratings[bench][name] for name in common] for bench in (first, second))
        if min(len(set(x)), len(set(y))) < 2:
            continue
        computed.append(
            Correlation(
                first=first,
                second=second,
                kendall=float(kendalltau(x, y).statistic),
                spearman=float(spearmanr(x, y).statistic),
                participants=len(common),
            )
        )
    return computed


def format_correlation(correlation: Correlation) -> str:
    """Format a rank correlation as a sentence."""
    return (
        f"Rank correlation of {correlation.first} and {correlation.second}: Kendall "
        f"{correlation.kendall:.2f}, Spearman {correlation.spearman:.2f} "
        f"({correlation.participants} participants)."
    )

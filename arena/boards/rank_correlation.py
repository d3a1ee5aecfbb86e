"""How alike the boards of two benches order the participants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Two benches' ratings of the participants that both have rated.

    Attributes:
        kendall: tau-b (Kendall 1945, doi 10.2307/2332303), -1 to 1.
        spearman: rho (Spearman 1904, doi 10.2307/1412159), -1 to 1.
        participants: how many both have rated.
    """

    first: str
    second: str
    kendall: float
    spearman: float
    participants: int


def correlations(ratings: Mapping[str, Mapping[str, float]]) -> list[Correlation]:
    """Compare every two benches.

    Left out are those with fewer than two participants in common, and those of which one rates all
    of these alike: it has no order.

    Args:
        ratings: by bench, the rating of each participant, in Elo points.
    """
    # Takes a second to import, and most boards stand alone.
    from scipy.stats import kendalltau, spearmanr  # noqa: PLC0415

    found = []
    for first, second in combinations(ratings, 2):
        common = sorted(ratings[first].keys() & ratings[second].keys())
        one, other = ([ratings[bench][name] for name in common] for bench in (first, second))
        if min(len(set(one)), len(set(other))) < 2:
            continue
        found.append(
            Correlation(
                first=first,
                second=second,
                kendall=float(kendalltau(one, other).statistic),
                spearman=float(spearmanr(one, other).statistic),
                participants=len(common),
            )
        )
    return found


def correlation_said(one: Correlation) -> str:
    """How alike two benches order the participants, in a sentence."""
    return (
        f"Rank correlation of {one.first} and {one.second}: Kendall {one.kendall:.2f}, "
        f"Spearman {one.spearman:.2f} ({one.participants} participants)."
    )

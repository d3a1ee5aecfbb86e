"""Scores of several advocates, aggregated by a softmax with a temperature.

Bandi and Harrasse 2024 (arXiv 2410.04663), section 3.3: as the temperature tau goes to 0, the
softmax becomes the highest score alone. Two aggregates have that limit. The mean with the softmax
as weights never exceeds the highest score, and reaches it only in the limit. The log-sum-exp is
never below it, which is what the paper calls the aggregation property; it also rises with the
number of advocates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from arena.languages import Side
from judges.methods.criteria import CRITERIA, TOTAL, Card, Scores


def normalise(totals: Sequence[float]) -> NDArray[np.float64]:
    """Return totals from 6 to 120 as scores from 0 to 1.

    >>> normalise([6.0, 63.0, 120.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    low, high = TOTAL
    return (np.asarray(totals, dtype=np.float64) - low) / (high - low)


def softmax_weights(totals: Sequence[float], tau: float) -> NDArray[np.float64]:
    """Return the weights of some totals, which sum to 1; the highest weighs most.

    >>> softmax_weights([60.0, 60.0], 0.05).tolist(), softmax_weights([60.0, 80.0], 1e-4).tolist()
    ([0.5, 0.5], [0.0, 1.0])

    Args:
        totals: 6 to 120, one per advocate.
        tau: above 0, on the scale of scores from 0 to 1.
    """
    return np.asarray(softmax(normalise(totals) / tau), dtype=np.float64)


def weighted_total(totals: Sequence[float], tau: float) -> float:
    """Return the mean of totals, weighted by their softmax: between their mean and the highest."""
    return float(softmax_weights(totals, tau) @ np.asarray(totals, dtype=np.float64))


def log_sum_exp_total(totals: Sequence[float], tau: float) -> float:
    """Return the log-sum-exp of totals: the highest, or above it by at most tau * log n * 114."""
    low, high = TOTAL
    return low + (high - low) * tau * float(logsumexp(normalise(totals) / tau))


def weighted_scores(scores: Sequence[Scores], weights: NDArray[np.float64]) -> Scores:
    """Return the weighted mean of each criterion; its total is that of the totals."""
    return Scores(
        **{
            name: float(np.clip(weights @ np.array([getattr(s, name) for s in scores]), 1, 20))
            for name in CRITERIA
        }
    )


def aggregate_cards(cards: Sequence[Card], weights: Mapping[Side, NDArray[np.float64]]) -> Card:
    """Return one card of several, with the reasons of the one that weighs most.

    Args:
        cards: one per two advocates.
        weights: (cards,) of each side, `pro` and `con`.
    """
    heaviest = int(np.argmax(weights["pro"] + weights["con"]))
    return Card(
        judgement=cards[heaviest].judgement,
        pro=weighted_scores([card.pro for card in cards], weights["pro"]),
        con=weighted_scores([card.con for card in cards], weights["con"]),
    )

"""Intervals and settled orders that hold however often somebody looks at the data.

An interval of a fixed sample holds for one look. Whoever looks after every wave and stops at the
first "settled" meets a false one sooner or later. The statements made here are right at all looks
at once, with the probability `level`, whatever the rule is by which pairs are chosen and play
stops.

Let g be an estimated difference, v its variance and x = r²/v. Under θ = 0, and for increments that
are normal, as sums over many matchups are,

    E = (1 + x)^(−½) · exp(½ · g²/v · x/(1 + x))

is a martingale in the growing information 1/v: the likelihood ratio of θ = 0 against θ drawn from
a normal distribution of standard deviation r (Robbins 1970, doi 10.1214/aoms/1177696786). So it
ever reaches 1/α with a probability of at most α (Ville), and the interval of the θ for which it
is below 1/α holds at all looks. With estimated variances this is an asymptotic confidence sequence
(Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, doi 10.1214/24-AOS2408).

For the order of a pair the mixture has positive θ only, so that E tests θ_row ≤ θ_column.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri, stdtr, stdtrit

from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.newton import Floats

#: The standard deviation r of the mixture, Elo points: differences of this size are settled with
#: the least loss. It is a constant, because r may not depend on the data.
MIXTURE: Final = 200.0
#: Its variance, log-odds².
MIXTURE_VARIANCE: Final = (MIXTURE / ELO_PER_GAMMA) ** 2
#: The part of ln E that depends on the mean of the mixture, and that mean.
_MEANS: Final = np.linspace(-1.0, 40.0, 8201)
_EVIDENCE: Final = 0.5 * _MEANS**2 + log_ndtr(_MEANS)


def half_widths(variance: Floats, freedom: Floats, level: float) -> Floats:
    """Return half the widths of intervals that hold at all looks, log-odds.

    While the variance is above r², the intervals have as many standard errors as at r².

    >>> wide = half_widths(np.array([0.01]), np.array([1e6]), 0.95)
    >>> round(float(wide[0] / 0.1), 2)  # standard errors; 1.96 for a single look
    3.31

    Args:
        variance: of the estimates, log-odds², any shape.
        freedom: Student's degrees of freedom of the variances, of the same shape.
        level: nominal coverage at all looks.
    """
    known = variance > 0
    x = np.maximum(MIXTURE_VARIANCE / np.where(known, variance, 1.0), 1.0)
    normal = np.sqrt((1 + 1 / x) * (np.log1p(x) - 2 * np.log1p(-level)))
    student = -stdtrit(freedom, ndtr(-normal))
    return np.where(known, student * np.sqrt(np.maximum(variance, 0.0)), 0.0)


def log_evidence(gap: Floats, deviation: Floats, freedom: Floats) -> Floats:
    """Return ln E of each ordered pair, (K, K), against row ≤ column.

    Args:
        gap: (K, K) estimated ability of the row minus that of the column, log-odds.
        deviation: (K, K) standard errors of these differences.
        freedom: (K, K) Student's degrees of freedom of their variances.
    """
    known = deviation > 0
    error = np.where(known, deviation, 1.0)
    tail = stdtr(freedom, -np.abs(gap) / error)
    normal = -np.sign(gap) * ndtri(np.maximum(tail, np.finfo(float).tiny))
    return np.where(known, mix_evidence(normal, MIXTURE_VARIANCE / error**2), -np.inf)


def log_score_evidence(score: Floats, variance: Floats) -> Floats:
    """Return ln E of pairs, (R,), against first ≤ second, from their scores where they are equal.

    The mixture has the same standard deviation, now of what multiplies the score, so that x is
    r² times the variance. For two participants this is exact: the scores of matchups are then as
    likely to be positive as negative, and exp(λ Σ s − ½ λ² Σ s²) is a supermartingale for any such
    s, however few (de la Peña 1999, doi 10.1214/aop/1022677271).

    >>> log_score_evidence(np.array([12.0]), np.array([12.0])).round(2).tolist()  # 12 wins of 1
    [4.92]

    Args:
        score: (R,) sums over clusters, 1/log-odds.
        variance: (R,) of these sums.
    """
    known = variance > 0
    spread = np.where(known, variance, 1.0)
    return np.where(known, mix_evidence(score / np.sqrt(spread), MIXTURE_VARIANCE * spread), 0.0)


def mix_evidence(normal: Floats, x: Floats) -> Floats:
    """Return ln E of standardised differences under a mixture with positive θ only."""
    share = x / (1 + x)
    mean = normal * np.sqrt(share)
    return np.asarray(np.log(2) - 0.5 * np.log1p(x) + 0.5 * mean**2 + log_ndtr(mean))


def errors_of_evidence(variance: Floats, evidence: float) -> Floats:
    """Return how many standard errors apart two must be for so much evidence, of any shape.

    >>> z = errors_of_evidence(np.array([0.01]), np.log(40.0))
    >>> round(float(mix_evidence(z, MIXTURE_VARIANCE / 0.01)[0]), 3), round(float(np.log(40)), 3)
    (3.689, 3.689)

    Args:
        variance: of the estimated difference, log-odds², above 0.
        evidence: ln E.
    """
    x = MIXTURE_VARIANCE / variance
    wanted = evidence - np.log(2) + 0.5 * np.log1p(x)
    return np.asarray(np.interp(wanted, _EVIDENCE, _MEANS) * np.sqrt((1 + x) / x))


def settle_at_any_time(
    evidence: Floats, level: float, asked: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Return whether the row is above the column, (K, K), at all looks and for all pairs at once.

    The hypotheses of the ordered pairs are rejected by Holm's step-down (Holm 1979,
    doi 10.2307/4615733): the strongest evidence has to reach their number divided by 1 − level, and
    each further one only the number of those that are left.

    >>> settle_at_any_time(np.log([[1, 35.0], [0.01, 1]]), 0.95).tolist()
    [[False, False], [False, False]]
    >>> settle_at_any_time(np.log([[1, 45.0], [0.01, 1]]), 0.95).tolist()
    [[False, True], [False, False]]

    Args:
        evidence: (K, K) ln E of the ordered pairs; the diagonal does not matter.
        level: probability that no settled order is ever false.
        asked: (K, K) the pairs that are asked about; all by default. No other is settled.
    """
    pairs = ~np.eye(len(evidence), dtype=np.bool_)
    if asked is not None:
        pairs &= asked
    strongest = np.sort(evidence[pairs])[::-1]
    left = len(strongest) - np.arange(len(strongest))
    short = strongest < np.log(left / (1 - level))
    number = int(short.argmax()) if short.any() else len(short)
    settled = np.zeros(evidence.shape, dtype=np.bool_)
    if number:
        settled[pairs] = evidence[pairs] >= strongest[number - 1]
    return settled

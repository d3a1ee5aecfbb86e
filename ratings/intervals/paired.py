"""A test of paired differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.errors import InvalidComparisons

#: Up to this number of differences, all 2^n assignments of signs are tried.
EXACT = 14
#: The number of random assignments that are tried for more differences.
FLIPS = 20_000
#: Whole differences of at most this total size are counted exactly, whatever their number.
_MOST_COUNTED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """A two-sided test of whether differences have the mean 0.

    Attributes:
        p: the p-value: the probability of a sum at least as far from 0 if signs are random.
        exact: whether all assignments of signs count, not a sample.
    """

    p: float
    exact: bool
    differences: int


def sign_flip_test(differences: ArrayLike, rng: np.random.Generator) -> PairedTest:
    """Test paired differences by flipping their signs.

    If the two are equally good, each difference was as likely to have the other sign. The p-value
    is the share of all 2^n assignments of signs whose sum is at least as far from 0 as the
    observed one. Where differences are whole numbers, the sums are counted; where all are -1, 0 or
    1, this is McNemar's exact test. For more than 14 other differences m = 20,000 random
    assignments are tried, and p is twice the smaller tail's (b + 1) / (m + 1), where b counts sums
    at least as extreme; so p is never 0.

    Sources: R. A. Fisher, The Design of Experiments (1935), section 21; McNemar 1947,
    doi:10.1007/BF02295996; for the sampled p-value, Phipson and Smyth 2010,
    doi:10.2202/1544-6115.1585.

    >>> sign_flip_test([3, 3, 3], np.random.default_rng(0)).p
    0.25

    Args:
        differences: (n,) first minus second, one for each independent meeting.

    Raises:
        InvalidComparisons: there are no differences, or one is not a finite number.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise InvalidComparisons(
            f"differences of shape {values.shape} for a paired test; accepted: one finite number "
            "for each meeting, at least one"
        )
    if (values == np.rint(values)).all() and np.abs(values).sum() <= _MOST_COUNTED:
        return PairedTest(p=_count_sums(values.astype(int)), exact=True, differences=len(values))
    if len(values) == 1:
        return PairedTest(p=1.0, exact=True, differences=1)
    exact = len(values) <= EXACT
    # Imported here because it takes a second, and nothing else needs it.
    from scipy.stats import permutation_test  # noqa: PLC0415

    test = permutation_test(
        (values,),
        _sums,
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**EXACT if exact else FLIPS,
        batch=1000,
        rng=rng,
    )
    return PairedTest(p=float(test.pvalue), exact=exact, differences=len(values))


def _count_sums(values: NDArray[np.int_]) -> float:
    """Return the p-value by the distribution of the sum of whole numbers with random signs."""
    chances = np.ones(1)  # of the sums -total to total
    for size in np.abs(values[values != 0]):
        still = np.zeros(2 * size)
        chances = (np.append(chances, still) + np.append(still, chances)) / 2
    sums = np.arange(len(chances)) - len(chances) // 2
    return min(1.0, float(chances[np.abs(sums) >= abs(values.sum())].sum()))


def _sums(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    return np.asarray(values.sum(axis=axis))

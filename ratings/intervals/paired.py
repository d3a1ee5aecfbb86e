"""Two who met several times: whether they differ at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.errors import InvalidComparisons

#: Up to so many meetings, all 2^n assignments of signs are tried.
EXACT = 14
#: Beyond that, so many random ones stand for them.
FLIPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """A two-sided test of whether differences have the mean 0.

    Attributes:
        p: the probability of a sum at least as far from 0, were the signs chance.
        exact: all assignments of signs were tried, not a sample of them.
        differences: how many there were.
    """

    p: float
    exact: bool
    differences: int


def sign_flip_test(differences: ArrayLike, rng: np.random.Generator) -> PairedTest:
    """Test paired differences by flipping their signs.

    If the two are equally good, each difference could as well have had the other sign. The
    p-value is the share of all 2^n assignments of signs whose sum is at least as far from 0 as
    the observed one. Beyond 14 differences 20,000 random assignments stand for all, and p
    is twice the smaller of both tails' (b + 1) / (m + 1), so that it is never 0.

    Source: R. A. Fisher, The Design of Experiments (1935), section 21; the sampled p-value:
    Phipson and Smyth 2010, doi:10.2202/1544-6115.1585.

    >>> sign_flip_test([3, 3, 3], np.random.default_rng(0)).p
    0.25

    Args:
        differences: (n,) first minus second, one for each independent meeting.
        rng: draws the assignments where not all are tried.

    Raises:
        InvalidComparisons: there are none, or one is not a finite number.
    """
    given = np.asarray(differences, dtype=np.float64)
    if given.ndim != 1 or not len(given) or not np.isfinite(given).all():
        raise InvalidComparisons(
            f"differences of shape {given.shape} for a paired test; accepted: one finite number "
            "for each meeting, at least one"
        )
    exact = len(given) <= EXACT
    if len(given) == 1 or not given.any():  # every assignment is as far from 0
        return PairedTest(p=1.0, exact=True, differences=len(given))
    # The one user of a package that takes a second to import.
    from scipy.stats import permutation_test  # noqa: PLC0415

    found = permutation_test(
        (given,),
        _sums,
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**EXACT if exact else FLIPS,
        batch=1000,
        rng=rng,
    )
    return PairedTest(p=float(found.pvalue), exact=exact, differences=len(given))


def _sums(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    return np.asarray(values.sum(axis=axis))

"""Newton's method for many Bradley-Terry problems at once.

The objective of one problem, over γ of K participants with weighted wins W:

    f(γ) = Σ_ij W_ij ln P_ij − precision/2 · Σ_i (γ_i − mean γ)²,   P_ij = 1 / (1 + exp(γ_j − γ_i))

is concave, and along a direction d its third derivative is at most r = max d − min d times its
second, so the step ln(1 + r)/r · d climbs from anywhere and tends to the full Newton step: no line
search (generalised self-concordance: Bach 2010, doi 10.1214/09-EJS521; Sun & Tran-Dinh 2019,
arXiv 1703.04599).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ratings.errors import NotConverged

MAX_ITERATIONS: Final = 200
STEP_TOLERANCE: Final = 1e-8  # of the last step in γ; convergence is quadratic, so what is left
# after that step is of the order of its square


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Maxima of R problems.

    Attributes:
        gamma: (R, K), each row of mean 0.
        iterations: (R,) Newton steps used by each.
    """

    gamma: NDArray[np.float64]
    iterations: NDArray[np.intp]


def solve(
    wins: NDArray[np.float64], *, precision: float, start: NDArray[np.float64] | None = None
) -> Solution:
    """Maximise R problems of K participants.

    Args:
        wins: (R, K, K) weighted wins, row beats column.
        precision: strength of the penalty, in 1/γ²; with 0 the caller sees to it that every
            maximum exists.
        start: (K,) where to start from; zeros where left out.

    Raises:
        NotConverged: a problem did not reach its maximum in 200 steps.
    """
    rounds, size = wins.shape[:2]
    gamma = np.tile(np.zeros(size) if start is None else start, (rounds, 1))
    iterations = np.zeros(rounds, dtype=np.intp)
    active = np.arange(rounds)
    while active.size and iterations[active[0]] < MAX_ITERATIONS:
        step = _step(gamma[active], wins[active], precision)
        reach = np.ptp(step, axis=1)
        gamma[active] += _damping(reach)[:, None] * step
        iterations[active] += 1
        active = active[~(reach <= STEP_TOLERANCE)]  # so that NaN counts as not converged
    if active.size:
        raise NotConverged(
            f"{active.size} of {rounds} fits did not converge in {MAX_ITERATIONS} Newton steps; "
            "look for extreme weights, or use a stronger penalty"
        )
    return Solution(gamma=_centred(gamma), iterations=iterations)


def gradient(
    gamma: NDArray[np.float64], wins: NDArray[np.float64], precision: float
) -> NDArray[np.float64]:
    """Differentiate the objective: (R, K) and (R, K, K) to (R, K)."""
    upset = wins * _probability(gamma).swapaxes(1, 2)  # W_ij · P_ji: no cancellation near P = 1
    slope: NDArray[np.float64] = upset.sum(axis=2) - upset.sum(axis=1)
    return slope - precision * _centred(gamma)


def _step(
    gamma: NDArray[np.float64], wins: NDArray[np.float64], precision: float
) -> NDArray[np.float64]:
    slope = gradient(gamma, wins, precision)
    try:
        step = np.linalg.solve(_information(gamma, wins, precision), slope[..., None])[..., 0]
    except np.linalg.LinAlgError as error:
        raise NotConverged(
            "the information matrix became singular; look for extreme weights, "
            "or use a stronger penalty"
        ) from error
    return np.asarray(step)


def _information(
    gamma: NDArray[np.float64], wins: NDArray[np.float64], precision: float
) -> NDArray[np.float64]:
    """Return minus the Hessian, (R, K, K), made regular along (1, …, 1), where f is flat."""
    size = gamma.shape[1]
    chance = _probability(gamma)
    matrix = -(wins + wins.swapaxes(1, 2)) * chance * chance.swapaxes(1, 2)
    diagonal = np.arange(size)
    matrix[:, diagonal, diagonal] -= matrix.sum(axis=2) - precision
    level = np.trace(matrix, axis1=1, axis2=2) / size**2
    return np.asarray(matrix + np.where(level > 0, level, 1.0)[:, None, None])


def _probability(gamma: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(expit(gamma[:, :, None] - gamma[:, None, :]))


def _centred(gamma: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(gamma - gamma.mean(axis=1, keepdims=True))


def _damping(reach: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ln(1 + r)/r, 1 at r = 0."""
    safe = np.where(reach == 0, 1.0, reach)
    return np.where(reach == 0, 1.0, np.log1p(safe) / safe)

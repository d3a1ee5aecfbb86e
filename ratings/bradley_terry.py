"""The weighted Bradley-Terry model of the Agent4Debate paper (arXiv 2408.04472), made finite.

P(A beats B) = e^γA / (e^γA + e^γB); a comparison of weight w counts w times, a tie gives w/2 to
each side (Bradley & Terry 1952, doi 10.2307/2334029).
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.cells import pair_wins
from ratings.comparisons import Comparisons
from ratings.connectivity import require_identified
from ratings.errors import InvalidSetting
from ratings.newton import solve

MEAN_RATING: Final = 1000.0
ELO_PER_GAMMA: Final = 400 / math.log(10)
DEFAULT_PENALTY: Final = 500.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
    """A fitted model and its diagnostics.

    Attributes:
        names: K participants.
        rating: (K,) Elo points.
        gamma: (K,) log-strengths, mean 0.
        iterations: Newton steps used.
        converged: always true; a fit that did not converge raises.
        n_comparisons: N.
        penalty: prior standard deviation, Elo points; infinite when off.
        data_hash: of the comparisons.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    gamma: NDArray[np.float64]
    iterations: int
    converged: bool
    n_comparisons: int
    penalty: float
    data_hash: str


def fit(
    comparisons: Comparisons,
    *,
    penalty: float | None = DEFAULT_PENALTY,
    anchor: str | None = None,
) -> Ratings:
    """Fit by penalised maximum likelihood.

    The penalty is a Gaussian prior on every γ around their mean. It makes the maximum finite and
    unique whatever the comparisons; who has none is rated at the mean, and groups that no
    comparison links are each centred there (`connectivity` tells). The default, a standard
    deviation of 500 Elo points, is weak: it says as much as 0.48 of an evenly matched comparison
    of weight 1.

    Args:
        comparisons: N comparisons of K participants.
        penalty: the prior's standard deviation in Elo points; None or infinity turns it off.
        anchor: the participant rated exactly 1000; where left out, the mean rating is 1000.

    Raises:
        NotIdentified: the penalty is off and the maximum does not exist.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: the penalty is not positive, or the anchor is not a participant.
    """
    precision = precision_of(penalty)
    shift_to = position_of(anchor, comparisons.names)
    wins = pair_wins(comparisons)
    if precision == 0:
        require_identified(comparisons.names, wins)
    solution = solve(wins[None], precision=precision)
    gamma = solution.gamma[0]
    return Ratings(
        names=comparisons.names,
        rating=elo(gamma, origin=0.0 if shift_to is None else gamma[shift_to]),
        gamma=gamma,
        iterations=int(solution.iterations[0]),
        converged=True,
        n_comparisons=len(comparisons),
        penalty=math.inf if penalty is None else penalty,
        data_hash=comparisons.data_hash,
    )


def elo(gamma: NDArray[np.float64], *, origin: float = 0.0) -> NDArray[np.float64]:
    """Turn log-strengths of any shape into Elo points, `origin` into 1000."""
    return np.asarray(MEAN_RATING + ELO_PER_GAMMA * (gamma - origin))


def precision_of(penalty: float | None) -> float:
    """Turn a prior standard deviation in Elo points into a precision in 1/γ²; 0 is off.

    Raises:
        InvalidSetting: it is not positive.
    """
    if penalty is None:
        return 0.0
    if not penalty > 0:
        raise InvalidSetting(
            f"penalty is {penalty}; accepted: a positive number of Elo points (the prior's "
            "standard deviation), or None for no penalty"
        )
    return (ELO_PER_GAMMA / penalty) ** 2


def position_of(anchor: str | None, names: tuple[str, ...]) -> int | None:
    """Find the anchor among the participants.

    Raises:
        InvalidSetting: it is not one of them.
    """
    if anchor is None:
        return None
    if anchor not in names:
        raise InvalidSetting(f"anchor is {anchor!r}; accepted: one of {', '.join(names)}")
    return names.index(anchor)

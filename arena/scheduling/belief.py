"""What is believed of participants' strengths: estimates, their covariance, and what a debate adds.

The belief is the posterior of the default model (Bradley-Terry with its prior), approximated by
a normal distribution around the fit. A participant without data has the prior's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.dealing import Pair
from arena.scheduling.waves import Situation
from ratings import PAPER
from ratings.intervals.sandwich import difference_variances, estimate_covariance
from ratings.model.fitting import ELO_PER_GAMMA, PointFit, fit_point
from ratings.model.terms import LEAST_SPREAD

Floats = NDArray[np.float64]
Index = NDArray[np.intp]

#: The lower quartile of the square of a standard normal variable.
_LOWER_QUARTILE: Final = 0.1015
#: How many times errors count: the variance of differences is known from few pairs.
_STRICT: Final = 1.5
#: The weight of a matchup before any was judged: two debates whose runs agree in part.
UNPLAYED_WEIGHT: Final = 1.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Belief:
    """A normal distribution of the strengths of K participants, of which differences matter only.

    Attributes:
        names: K ids, sorted.
        strength: (K,) estimates, log-odds.
        covariance: (K, K) of their errors, open matchups that are awaited included.
        weight: of a matchup: how many comparisons of weight 1 it is worth.
        reliability: the share of the variance of estimated differences that is not error, 0 to 1.
    """

    names: tuple[str, ...]
    strength: Floats
    covariance: Floats
    weight: float
    reliability: float = 0.0

    def of(self, names: tuple[str, ...]) -> Belief:
        """Return the same belief of some participants, sorted."""
        kept = np.array([name in names for name in self.names], dtype=np.bool_)
        return replace(
            self,
            names=names,
            strength=self.strength[kept],
            covariance=self.covariance[np.ix_(kept, kept)],
        )

    def relying_on(self, reliability: float) -> Belief:
        """Return the same belief with another reliability."""
        return replace(self, reliability=reliability)

    def gaps(self) -> Floats:
        """Return estimated differences, (K, K), row minus column, log-odds."""
        return np.asarray(self.strength[:, None] - self.strength[None, :])

    def variances(self) -> Floats:
        """Return the variances of the errors of the differences, (K, K)."""
        return difference_variances(self.covariance)

    def information(self, gap: Floats, variance: Floats) -> Floats:
        """Return the expected information of matchups between participants some gap apart.

        It is the weight times p(1 − p), averaged over what the gap may be: with the logistic
        function at a gap that is shrunk by κ = 1/√(1 + πv/8) (MacKay 1992,
        doi:10.1162/neco.1992.4.5.720).

        Args:
            gap: (…) estimated differences, log-odds.
            variance: (…) variances of their errors.
        """
        shrunk = 1 / np.sqrt(1 + math.pi * variance / 8)
        slope = 0.25 - 0.25 * np.tanh(shrunk * gap / 2) ** 2
        return np.asarray(self.weight * shrunk * slope)


def form_belief(situation: Situation) -> Belief:
    """Fit the judged debates, and count awaited matchups as if they had been judged already."""
    rows = situation.comparisons
    point = fit_point(rows, PAPER)
    position = {name: index for index, name in enumerate(rows.names)}
    chosen = np.array([position[name] for name in situation.participants], dtype=np.intp)
    inverse = point.inverse()
    weight = float(rows.weight.sum()) / rows.clusters if len(rows) else UNPLAYED_WEIGHT
    belief = Belief(
        names=situation.participants,
        strength=point.parameters[chosen],
        covariance=inverse[np.ix_(chosen, chosen)],
        weight=weight,
        reliability=_reliability(point, chosen),
    )
    return _expect(belief, situation.awaited())


def form_even_belief(situation: Situation, belief: Belief) -> Belief:
    """Return what would be believed of the same participants if they were equals.

    It depends on who met whom, and not on the results.

    Args:
        belief: the real one, of some or all participants.
    """
    matchups = situation.matchups
    pairs = [*(matchups[number] for number in situation.judged), *situation.awaited()]
    names = sorted({*situation.participants, *(name for pair in pairs for name in pair)})
    position = {name: index for index, name in enumerate(names)}
    met = np.zeros((len(names), len(names)))
    for pair in pairs:
        first, second = (position[name] for name in pair)
        met[first, second] += 1
        met[second, first] += 1
    information = belief.weight / 4 * (np.diag(met.sum(axis=1)) - met)
    prior = (ELO_PER_GAMMA / LEAST_SPREAD) ** 2
    inverse = np.linalg.inv(information + prior * np.eye(len(names)))
    kept = np.array([position[name] for name in belief.names], dtype=np.intp)
    return replace(
        belief,
        strength=np.zeros(len(kept)),
        covariance=np.asarray(inverse, dtype=np.float64)[np.ix_(kept, kept)],
        reliability=0.0,
    )


def _reliability(point: PointFit, chosen: Index) -> float:
    """Return the share of the variance of estimated differences that is not error, 0 to 1.

    It is 1 − 1.5 V / D, with V the mean variance of the differences' errors, cluster-robust, D the
    variance of the differences themselves (the reliability of classical test theory: Lord & Novick
    1968, ch. 3). D is the least of the mean square and what the lower quartile of the squares says
    of normal abilities. So equals stay equals beside somebody who is far from all of them: results
    that guide who meets whom among them would pair them by chance, and stretch their ratings.

    Args:
        chosen: positions of the participants that are planned for.
    """
    first, second = np.triu_indices(len(chosen), 1)
    first, second = chosen[first], chosen[second]
    if not len(first):
        return 0.0
    errors = estimate_covariance(point).pairs(len(point.objective.problem.names)).deviation
    return _share_not_error(
        (point.parameters[first] - point.parameters[second]) ** 2, errors[first, second] ** 2
    )


def measure_reliability(belief: Belief) -> float:
    """Return the reliability by the errors that the model expects, not cluster-robust ones."""
    first, second = np.triu_indices(len(belief.names), 1)
    if not len(first):
        return 0.0
    return _share_not_error(belief.gaps()[first, second] ** 2, belief.variances()[first, second])


def _share_not_error(squares: Floats, errors: Floats) -> float:
    """Return the share of the variance of differences that is not error, 0 to 1.

    Args:
        squares: of the estimated differences of all pairs.
        errors: the variances of their errors.
    """
    variance = min(float(squares.mean()), float(np.quantile(squares, 0.25)) / _LOWER_QUARTILE)
    error = _STRICT * float(errors.mean())
    return max(0.0, 1 - error / variance) if variance else 0.0


def _expect(belief: Belief, pairs: Sequence[Pair]) -> Belief:
    """Return the belief once some matchups are judged; their results are not known yet."""
    position = {name: index for index, name in enumerate(belief.names)}
    covariance = belief.covariance.copy()
    for pair in pairs:
        if all(name in position for name in pair):
            first, second = (position[name] for name in pair)
            shift = covariance[first] - covariance[second]
            variance = np.array(shift[first] - shift[second])
            gap = np.array(belief.strength[first] - belief.strength[second])
            information = float(belief.information(gap, variance))
            covariance -= np.outer(shift, shift) * information / (1 + information * variance)
    return replace(belief, covariance=covariance)

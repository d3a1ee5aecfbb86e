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
from ratings.model.fitting import fit_point

Floats = NDArray[np.float64]

#: The weight of a matchup before any was judged: two debates whose runs agree in part.
_WEIGHT: Final = 1.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Belief:
    """A normal distribution of the strengths of K participants, of which differences matter only.

    Attributes:
        names: K ids, sorted.
        strength: (K,) estimates, log-odds.
        covariance: (K, K) of their errors, open matchups that are awaited included.
        weight: of a matchup: how many comparisons of weight 1 it is worth.
    """

    names: tuple[str, ...]
    strength: Floats
    covariance: Floats
    weight: float

    def of(self, names: tuple[str, ...]) -> Belief:
        """Return the same belief of some participants, sorted."""
        kept = np.array([name in names for name in self.names], dtype=np.bool_)
        return replace(
            self,
            names=names,
            strength=self.strength[kept],
            covariance=self.covariance[np.ix_(kept, kept)],
        )

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


def difference_variances(covariance: Floats) -> Floats:
    """Return the variances of differences, (K, K), from a covariance, (K, K)."""
    own = np.diag(covariance)
    return np.asarray(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0))


def form_belief(situation: Situation) -> Belief:
    """Fit the judged debates, and count awaited matchups as if they had been judged already.

    Raises:
        NotConverged: the solver did not reach the maximum.
    """
    rows = situation.comparisons
    point = fit_point(rows, PAPER)
    position = {name: index for index, name in enumerate(rows.names)}
    chosen = np.array([position[name] for name in situation.participants], dtype=np.intp)
    inverse = np.asarray(np.linalg.inv(point.information()))
    weight = float(rows.weight.sum()) / rows.clusters if len(rows) else _WEIGHT
    belief = Belief(
        names=situation.participants,
        strength=point.parameters[chosen],
        covariance=inverse[np.ix_(chosen, chosen)],
        weight=weight,
    )
    return _expect(belief, situation.awaited())


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

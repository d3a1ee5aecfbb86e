"""How much strengths differ from motion to motion, and what that adds to the errors of ratings.

On motion m the strength of participant k is θ_k + u_km, where u_km is normal with variance σ². The
clusters on one motion then err together, and ratings for motions in general are less certain than
ratings for the motions at hand. With s_g the score of cluster g, H_g its information, H_m = Σ H_g
over the clusters on a motion, V the inverse of −Hessian, φ the scores' variance as a multiple of
the model's, E_m = H_m² − Σ_{g∈m} H_g², J = Σ_m E_m and Q = Σ_m H_m²,

    E Σ_m Σ_{g≠g'∈m} s_gᵀs_g' = σ² tr(J − 2 V Σ_m H_m E_m + V Q V J) − φ tr(V J)

to first order; all but σ² tr J comes of the scores' being those at the fit, s_g − H_g V Σ s. This
gives σ² by the method of moments, as for random effects in a meta-analysis (DerSimonian & Laird
1986, doi 10.1016/0197-2456(86)90046-2). The variance of ratings for motions in general gains
σ² V J V over the sandwich of clusters. A sandwich whose clusters are motions needs no σ², but has
only as many observations as there are motions, and no higher rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ratings.comparisons import Comparisons
from ratings.model.family import curve
from ratings.model.fitting import PointFit
from ratings.model.newton import Floats
from ratings.model.problem import Matrix, separate_kinds
from ratings.model.terms import Model
from ratings.patterns import Index, number_kinds

_ROUNDING: Final = 1e-9  # of the information's squares
_LEAST: Final = 0.05  # of the shared information: with less, motions look like participants


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionVariance:
    """The variance of the strengths of K participants between motions.

    Attributes:
        variance: σ², log-odds²; 0 where the clusters on a motion agree no more than by chance,
            or nothing can be said (a single motion, or others' participants on each).
        freedom: Student's degrees of freedom of σ²: Satterthwaite's, but not fewer than motions
            less one, as fewer widen intervals to which σ² adds little; infinite where it is 0.
        shared: (K, K) matrix J.
    """

    motions: int
    variance: float
    freedom: float
    shared: NDArray[np.float64]


def estimate_motion_variance(
    comparisons: Comparisons, model: Model, point: PointFit
) -> MotionVariance | None:
    """Estimate the variance of strengths between motions; None for these motions alone.

    Args:
        comparisons: of K participants.
    """
    if comparisons.motion is None or not (comparisons.over_motions and len(comparisons)):
        return None
    number, size = len(np.unique(comparisons.motion)), len(comparisons.names)
    units = _add_units(comparisons, comparisons.motion, model, point)
    together = units.add_by_motion()
    apart = np.asarray((units.rows.T @ units.rows.multiply(units.times[:, None])).todense())
    squares = np.asarray((together.rows.T @ together.rows).todense())
    shared = squares - apart
    none = MotionVariance(motions=number, variance=0.0, freedom=np.inf, shared=shared)
    inverse = point.inverse()[:size, :size]
    mean = inverse.mean(axis=0)
    inverse = inverse - mean - mean[:, None] + mean.mean()  # without its part along (1, …, 1)
    own, trace = float(units.times @ units.scores**2), float(units.times @ units.diagonal)
    ratio = own / max(trace - float((inverse * apart).sum()), _ROUNDING * trace)
    excess = (
        float(together.scores @ together.scores) - own + ratio * float((inverse * shared).sum())
    )
    if number == 1 or excess <= 0 or np.trace(shared) <= _ROUNDING * np.trace(squares):
        return none
    # Σ_m H_m E_m, (K, K), and Σ_m tr H_m² E_m
    of_motions, of_units = together.square(), units.add(units.square())
    cubes = np.asarray((together.rows.T @ of_motions - together.rows.T @ of_units).todense())
    fourth = float((of_motions.data**2).sum() - of_motions.multiply(of_units).sum())
    corrected = shared - 2 * inverse @ cubes + inverse @ squares @ inverse @ shared
    told_apart = float(np.trace(corrected))
    if told_apart <= _LEAST * np.trace(shared):
        return none
    variance = excess / told_apart
    # Where scores on a motion are normal with covariance φ H_m + σ² H_m², Σ sᵀs' has twice this.
    spread = ratio**2 * np.trace(shared) + 2 * ratio * variance * np.trace(cubes)
    freedom = max(excess**2 / float(spread + variance**2 * fourth), number - 1.0)
    return MotionVariance(motions=number, variance=variance, freedom=freedom, shared=shared)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Stack:
    """Information matrices of groups, one below the other, without the rows that are empty.

    Attributes:
        group: (R,) number of the row's group.
        who: (R,) participant of the row.
        rows: (R, K) information of the group, log-odds⁻².
        scores: (R,) score of the group with respect to the participant.
    """

    group: Index
    who: Index
    rows: Matrix
    scores: Floats

    def square(self) -> Matrix:
        """Return the squares of the matrices, stacked, (R, K)."""
        entries, size = self.rows.tocoo(), self.rows.shape[1]
        place = np.searchsorted(
            self.group * size + self.who, self.group[entries.row] * size + entries.col
        )
        square = (len(self.who), len(self.who))
        return csr_array((entries.data, (entries.row, place)), shape=square) @ self.rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Units(_Stack):
    """The stack of units: what one cluster says about one motion.

    Attributes:
        times: (R,) number of units that are equal to the row's.
        diagonal: (R,) information of the unit on the participant.
        row: (R,) the row's place in the stack of motions.
        motion: (M,) motion of each row of that stack.
        participant: (M,) its participant.
    """

    times: Index
    diagonal: Floats
    row: Index
    motion: Index
    participant: Index

    def add_by_motion(self) -> _Stack:
        """Return the stack of motions."""
        return _Stack(
            group=self.motion,
            who=self.participant,
            rows=self.add(self.rows),
            scores=_sum_by(self.row, self.times * self.scores),
        )

    def add(self, rows: Matrix) -> Matrix:
        """Add up rows of the stack, (R, K), to the rows of motions, (M, K)."""
        where = self.row, np.arange(len(self.row))
        return csr_array((self.times.astype(float), where)) @ rows


def _add_units(comparisons: Comparisons, motion: Index, model: Model, point: PointFit) -> _Units:
    """Add up the comparisons of each unit at a fit; `motion` is that of each row, (N,)."""
    (low, high), residual, information = _read_rows(comparisons, model, point)
    unit, _ = number_kinds([motion, comparisons.cluster])
    participant = np.concatenate([low, high])
    place, example = number_kinds([np.tile(unit, 2), participant])
    own, other = np.split(place, 2)
    entries = np.concatenate([information, information, -information, -information])
    where = np.concatenate([own, other, own, other]), np.concatenate([low, high, high, low])
    who, first = participant[example], example % len(unit)
    row, of_motion = number_kinds([motion[first], who])
    return _Units(
        group=unit[first],
        who=who,
        rows=csr_array((entries, where), shape=(len(who), len(comparisons.names))),
        scores=_sum_by(place, np.concatenate([residual, -residual])),
        times=comparisons.times[first],
        diagonal=_sum_by(place, np.tile(information, 2)),
        row=row,
        motion=motion[first][of_motion],
        participant=who[of_motion],
    )


def _read_rows(
    comparisons: Comparisons, model: Model, point: PointFit
) -> tuple[Index, Floats, Floats]:
    """Return the pair of each row, (2, N), its residual and its information at a fit, (N,) each."""
    problem, kind, _ = separate_kinds(comparisons, model)
    design, parameters = problem.design(), point.parameters[:, None]
    slopes = curve(
        np.asarray(design @ parameters[: design.shape[1]]),
        parameters[-1:] if problem.davidson else None,
    )
    totals = problem.totals.diagonal()
    residual = problem.halves.diagonal() - totals * slopes.eta[:, 0]
    information = totals * slopes.eta_eta[:, 0]
    return problem.columns[kind, :2].T, residual[kind], information[kind]


def _sum_by(group: Index, values: Floats) -> Floats:
    """Return the sum of the values of each group."""
    return np.asarray(np.bincount(group, values), dtype=np.float64)

"""Large fields: what is believed of more participants than a matrix of all pairs has room for.

The information on differences is a sparse matrix there: a number for each pair that has met. Its
inverse is made in place, once for what results say and once for what is known whatever they are,
and of it are kept the blocks of parts of the field, each of which plans its share of a wave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array
from scipy.sparse.linalg import cg
from scipy.special import expit

from arena.scheduling.belief import UNPLAYED_WEIGHT, Belief, Floats, measure_reliability
from arena.scheduling.waves import Situation
from ratings import Comparisons
from ratings.errors import NotConverged
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.newton import MAX_ITERATIONS, STEP_TOLERANCE, damp, find_largest_change
from ratings.model.terms import LEAST_SPREAD

Index = NDArray[np.intp]

#: The largest field that is planned as a whole.
LARGEST_WHOLE: Final = 1_000
#: The most participants of a part of a larger one.
PART: Final = 500
#: The precision of the prior of every strength, in 1/log-odds².
_PRIOR: Final = (ELO_PER_GAMMA / LEAST_SPREAD) ** 2
_TOLERANCE: Final = 1e-12


def split_field(
    names: Sequence[str], always: Sequence[str], rng: np.random.Generator
) -> list[tuple[str, ...]]:
    """Split a field by lot into parts of about the same size, each sorted.

    Args:
        always: those whom all others are to meet: there is one part then, of them and of others.
    """
    shuffled = [names[index] for index in rng.permutation(len(names)).tolist()]
    if always:
        first = frozenset(always)
        others = [name for name in shuffled if name not in first]
        return [tuple(sorted([*always, *others[: max(PART - len(always), len(always))]]))]
    parts = -(-len(names) // PART)
    return [tuple(sorted(shuffled[part::parts])) for part in range(parts)]


def form_beliefs(
    situation: Situation, parts: Sequence[tuple[str, ...]]
) -> list[tuple[Belief, Belief]]:
    """Return what is believed of each part of a large field, and what if they were equals.

    They are those of `arena.scheduling.belief`, but for the prior, which is as wide as in a field
    of equals, for matchups that are awaited, which count by the estimated gap of their pair, and
    for the reliability, of which the errors are those that the model expects.
    """
    rows = situation.comparisons
    strength = estimate_strengths(rows)
    place = {name: index for index, name in enumerate(rows.names)}
    weight = float(rows.weight.sum()) / rows.clusters if len(rows) else UNPLAYED_WEIGHT
    matchups = situation.matchups
    judged = [matchups[number] for number in sorted(situation.judged)]
    awaited, met = (
        np.array([[place[name] for name in pair] for pair in pairs if place.keys() >= {*pair}])
        .reshape(-1, 2)
        .T.astype(np.intp)
        for pairs in (situation.awaited(), [*judged, *situation.awaited()])
    )
    chosen = [np.array([place[name] for name in part], dtype=np.intp) for part in parts]
    size = len(rows.names)
    awaited_slope = _slope(strength[awaited[0]] - strength[awaited[1]])
    known = _information(
        size,
        np.concatenate([rows.first, awaited[0]]),
        np.concatenate([rows.second, awaited[1]]),
        np.concatenate([_informs(rows, strength), weight * awaited_slope]),
    )
    covariances = _invert(known, chosen)
    equal = _invert(_information(size, met[0], met[1], np.full(len(met[0]), weight / 4)), chosen)
    beliefs = [
        Belief(names=names, strength=strength[where], covariance=covariance, weight=weight)
        for names, where, covariance in zip(parts, chosen, covariances, strict=True)
    ]
    reliability = float(np.mean([measure_reliability(part) for part in beliefs]))
    return [
        (
            belief.relying_on(reliability),
            Belief(
                names=belief.names,
                strength=np.zeros(len(belief.names)),
                covariance=covariance,
                weight=weight,
            ),
        )
        for belief, covariance in zip(beliefs, equal, strict=True)
    ]


def estimate_strengths(comparisons: Comparisons) -> Floats:
    """Return the strengths of a large field, (K,), log-odds, under the prior of a field of equals.

    They maximise what `ratings.fit` maximises for that prior, by Newton's method, of which each
    step is found by conjugate gradients.

    Raises:
        NotConverged: no step was small enough.
    """
    rows, size = comparisons, len(comparisons.names)
    strength = np.zeros(size)
    weight = rows.weight * rows.times
    for _ in range(MAX_ITERATIONS):
        surprise = weight * (rows.outcome - expit(strength[rows.first] - strength[rows.second]))
        slope = np.bincount(rows.first, surprise, size) - np.bincount(rows.second, surprise, size)
        information = _information(size, rows.first, rows.second, _informs(rows, strength))
        step, _ = cg(information, slope - _PRIOR * strength, rtol=_TOLERANCE, atol=0.0)
        change = step[rows.first] - step[rows.second]
        strength += damp(find_largest_change(change[:, None], None))[0] * step
        if np.abs(step).max(initial=0.0) <= STEP_TOLERANCE:
            return np.asarray(strength - strength.mean())
    raise NotConverged(
        f"the strengths of {size} participants did not converge in {MAX_ITERATIONS} steps"
    )


def _informs(rows: Comparisons, strength: Floats) -> Floats:
    """Return the information of each comparison, (N,)."""
    gap = strength[rows.first] - strength[rows.second]
    return np.asarray(rows.weight * rows.times * _slope(gap))


def _slope(gap: Floats) -> Floats:
    chance = expit(gap)
    return np.asarray(chance * (1 - chance))


def _information(size: int, first: Index, second: Index, amount: Floats) -> csr_array[np.float64]:
    """Return the information matrix of some pairs, (K, K), with the prior."""
    own = np.bincount(first, amount, size) + np.bincount(second, amount, size) + _PRIOR
    everybody = np.arange(size)
    values = np.concatenate([own, -amount, -amount])
    rows = np.concatenate([everybody, first, second])
    columns = np.concatenate([everybody, second, first])
    return csr_array((values, (rows, columns)), shape=(size, size))


def _invert(information: csr_array[np.float64], parts: Sequence[Index]) -> list[Floats]:
    """Return the blocks of some parts, sorted positions, of the inverse of an information matrix.

    It is made in place, so there is one matrix of all pairs at a time.
    """
    matrix, failed = dpotrf(information.toarray(order="F"), lower=True, overwrite_a=True)
    inverse, singular = dpotri(matrix, lower=True, overwrite_c=True)
    assert not failed and not singular, "the prior makes it regular"
    blocks = []
    for part in parts:
        lower = np.tril(inverse[np.ix_(part, part)])
        blocks.append(lower + np.tril(lower, -1).T)
    return blocks

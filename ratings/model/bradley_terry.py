"""The weighted Bradley-Terry model of Zhang et al. 2024 (arXiv 2408.04472), with a penalty.

P(A beats B) = e^γA / (e^γA + e^γB); a comparison of weight w counts w times, a tie gives w/2 to
each side (Bradley & Terry 1952, doi 10.2307/2334029). `Model` lists the terms that can be added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.model.fitting import ELO_PER_GAMMA, PointFit, fit_point
from ratings.model.reference import count_matchups, find_origin
from ratings.model.terms import PAPER, Model

MEAN_RATING: Final = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An estimated term of a model other than the abilities.

    Attributes:
        name: "side", the name of a covariate, or "motion …" for a motion's deviation from "side".
        elo: advantage of the first named per unit of the term, Elo points.
    """

    name: str
    elo: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
    """A fitted model and its diagnostics.

    Attributes:
        names: K participants.
        rating: (K,) Elo points.
        gamma: (K,) log-strengths, mean 0.
        matchups: (K,) number of matchups of each participant (`count_matchups`).
        effects: the other terms of the model.
        tie: Davidson's ν, the odds of a tie against a win between equals; None without the term.
        converged: always true; a fit that does not converge raises.
        penalty: standard deviation of the prior, Elo points; infinite where there is none.
        data_hash: hash of the comparisons, `Comparisons.data_hash`; without their motions, unless
            the model has a term for them.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    gamma: NDArray[np.float64]
    matchups: NDArray[np.intp]
    effects: tuple[Effect, ...]
    tie: float | None
    model: Model
    iterations: int
    converged: bool
    n_comparisons: int
    penalty: float
    data_hash: str


def fit(
    comparisons: Comparisons,
    model: Model = PAPER,
    *,
    anchor: str | None = None,
) -> Ratings:
    """Estimate ratings by penalised maximum likelihood.

    The penalty is a normal prior on every γ around their mean. It makes the maximum finite and
    unique for any comparisons: a participant without comparisons is rated at the mean, and groups
    that no comparison links are each centred there (`connectivity` lists them). The default prior
    has a standard deviation of 300 Elo points, as informative as 1.3 evenly matched comparisons
    of weight 1, or more where the ratings spread wider. It was chosen by the coverage of the
    intervals (docs/coverage.md).

    >>> ratings = fit(Comparisons.of(["a", "a", "b"], ["b", "b", "a"], [1, 1, 1]))
    >>> dict(zip(ratings.names, ratings.rating.round().tolist()))
    {'a': 1048.0, 'b': 952.0}

    Args:
        comparisons: of K participants.
        model: the terms and the penalty; by default the paper's, which has abilities alone.
        anchor: the participant rated exactly 1000; by default the mean rating is 1000, in which
            those with few matchups weigh less or nothing (`weigh_reference`).

    Raises:
        NotIdentified: the penalty is off and no finite maximum exists.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: the anchor is not a participant or has no comparison, or the comparisons
            lack a term of the model.
    """
    origin = find_anchor(anchor, comparisons)
    point = fit_point(comparisons, model)
    return to_ratings(comparisons, point, model=model, origin=origin)


def to_ratings(
    comparisons: Comparisons,
    point: PointFit,
    *,
    model: Model,
    origin: int | None,
) -> Ratings:
    """Convert a fit to Elo points; `origin` is the position of the anchor."""
    size = len(comparisons.names)
    gamma, others = point.parameters[:size], point.parameters[size:]
    matchups = count_matchups(comparisons)
    terms = dict(zip(point.objective.problem.terms, others.tolist(), strict=True))
    tie = terms.pop("tie") if model.ties == "davidson" else None
    return Ratings(
        names=comparisons.names,
        rating=to_elo(gamma, origin=find_origin(gamma, matchups, origin)),
        gamma=gamma,
        matchups=matchups,
        effects=tuple(
            Effect(name=name, elo=ELO_PER_GAMMA * value) for name, value in terms.items()
        ),
        tie=None if tie is None else math.exp(tie),
        model=model,
        iterations=point.iterations,
        converged=True,
        n_comparisons=len(comparisons),
        penalty=point.penalty,
        data_hash=hash_data(comparisons, model),
    )


def hash_data(comparisons: Comparisons, model: Model) -> str:
    """Return the hash of what a model is fitted to."""
    if model.motion_spread is None:
        comparisons = replace(comparisons, motion=None, motions=())
    return comparisons.data_hash


def to_elo(gamma: NDArray[np.float64], *, origin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert log-strengths of any shape to Elo points; `origin` becomes 1000."""
    return np.asarray(MEAN_RATING + ELO_PER_GAMMA * (gamma - origin))


def find_anchor(anchor: str | None, comparisons: Comparisons) -> int | None:
    """Return the anchor's position among the names, None without an anchor.

    Raises:
        InvalidSetting: the anchor is not a participant, or others were compared and it was not.
    """
    if anchor is None:
        return None
    names, matchups = comparisons.names, count_matchups(comparisons)
    if anchor not in names:
        raise InvalidSetting(f"anchor is {anchor!r}; accepted: one of {', '.join(names)}")
    position = names.index(anchor)
    if matchups.any() and not matchups[position]:
        compared = [name for name, number in zip(names, matchups, strict=True) if number]
        raise InvalidSetting(
            f"anchor is {anchor!r}, which has no comparison here, so nothing tells how far the "
            f"others are from it; accepted: one of {', '.join(compared)}"
        )
    return position


def paper_weight(delta: ArrayLike) -> NDArray[np.float64]:
    """Return the weights of comparisons by score difference: w = 1 / (1 + exp(-|delta|)).

    Source: Zhang et al. 2024, the Agent4Debate paper, arXiv 2408.04472.

    >>> paper_weight([0, 1, 2, -3]).round(3).tolist()
    [0.5, 0.731, 0.881, 0.953]

    Args:
        delta: score differences, any shape; the sign does not matter.

    Returns:
        Weights in [0.5, 1], of the shape of `delta`. NaN stays NaN, which `Comparisons` refuses.
    """
    return np.asarray(expit(np.abs(np.asarray(delta, dtype=np.float64))), dtype=np.float64)

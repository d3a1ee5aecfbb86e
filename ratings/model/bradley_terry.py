"""The weighted Bradley-Terry model of the Agent4Debate paper (arXiv 2408.04472), made finite.

P(A beats B) = e^γA / (e^γA + e^γB); a comparison of weight w counts w times, a tie gives w/2 to
each side (Bradley & Terry 1952, doi 10.2307/2334029). `Model` adds terms to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.model.fitting import ELO_PER_GAMMA, PointFit, fit_point
from ratings.model.terms import PAPER, Model

MEAN_RATING: Final = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A term of a model beside the abilities.

    Attributes:
        name: "side", the name of a covariate, or "motion …" (its difference from the side).
        elo: what one unit of it is worth to the first named, Elo points.
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
        effects: the other terms of the model.
        tie: Davidson's ν, the odds of a tie against a win between equals; None without the term.
        model: what was fitted.
        iterations: Newton steps used.
        converged: always true; a fit that did not converge raises.
        n_comparisons: N.
        penalty: prior standard deviation, Elo points; infinite where there is none.
        data_hash: of the comparisons.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    gamma: NDArray[np.float64]
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
    """Fit by penalised maximum likelihood.

    The penalty is a Gaussian prior on every γ around their mean. It makes the maximum finite and
    unique whatever the comparisons; who has none is rated at the mean, and groups that no
    comparison links are each centred there (`connectivity` tells). The default has a
    standard deviation of 300 Elo points, which says as much as 1.3 evenly matched comparisons of
    weight 1, and more where the ratings spread wider; it was chosen by the coverage of intervals
    (docs/coverage.md).

    Args:
        comparisons: N comparisons of K participants.
        model: the terms beside the abilities, and the penalty; the paper's model has no terms.
        anchor: the participant rated exactly 1000; where left out, the mean rating is 1000.

    Raises:
        NotIdentified: the penalty is off and the maximum does not exist.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: the anchor is not a participant, or the comparisons lack a term of the
            model.
    """
    shift_to = find_anchor(anchor, comparisons.names)
    found = fit_point(comparisons, model)
    return summary(comparisons, found, model=model, shift_to=shift_to)


def summary(
    comparisons: Comparisons,
    found: PointFit,
    *,
    model: Model,
    shift_to: int | None,
) -> Ratings:
    """Express a maximum in Elo points."""
    size = len(comparisons.names)
    gamma, others = found.parameters[:size], found.parameters[size:]
    named = dict(zip(found.objective.problem.terms, others.tolist(), strict=True))
    tie = named.pop("tie") if model.ties == "davidson" else None
    return Ratings(
        names=comparisons.names,
        rating=to_elo(gamma, origin=0.0 if shift_to is None else gamma[shift_to]),
        gamma=gamma,
        effects=tuple(
            Effect(name=name, elo=ELO_PER_GAMMA * value) for name, value in named.items()
        ),
        tie=None if tie is None else math.exp(tie),
        model=model,
        iterations=found.iterations,
        converged=True,
        n_comparisons=len(comparisons),
        penalty=found.penalty,
        data_hash=comparisons.data_hash,
    )


def to_elo(gamma: NDArray[np.float64], *, origin: float = 0.0) -> NDArray[np.float64]:
    """Turn log-strengths of any shape into Elo points, `origin` into 1000."""
    return np.asarray(MEAN_RATING + ELO_PER_GAMMA * (gamma - origin))


def find_anchor(anchor: str | None, names: tuple[str, ...]) -> int | None:
    """Find the anchor among the participants.

    Raises:
        InvalidSetting: it is not one of them.
    """
    if anchor is None:
        return None
    if anchor not in names:
        raise InvalidSetting(f"anchor is {anchor!r}; accepted: one of {', '.join(names)}")
    return names.index(anchor)

"""The terms of a model and its penalty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ratings.errors import InvalidSetting

Ties = Literal["half", "davidson"]
Penalty = float | Literal["adaptive"] | None

LEAST_SPREAD: Final = 300.0
#: The default K of sequential ratings: the most that one comparison moves a rating, Elo points.
K_FACTOR: Final = 32.0


def _require_positive(name: str, value: object, otherwise: str) -> None:
    if isinstance(value, str) or not (isinstance(value, int | float) and value > 0):
        raise InvalidSetting(
            f"{name} is {value}; accepted: a positive number of Elo points (a standard "
            f"deviation), {otherwise}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The terms of a Bradley-Terry model; the default is the Agent4Debate paper's.

    The log-odds of the first named (in debates: Pro) against the second are

        η = θ_first − θ_second + side + side of the motion + Σ covariate · coefficient

    Attributes:
        ties: "half" counts a tie as half a win for each; "davidson" gives it a probability of its
            own, P(first) : P(tie) : P(second) = e^(η/2) : ν : e^(−η/2) (Davidson 1970,
            doi 10.1080/01621459.1970.10481082).
        side: whether to estimate an advantage of the first named (Agresti 2002, §10.6).
        motion_spread: standard deviation, Elo points, of a normal distribution of that advantage
            over motions; each motion's advantage is shrunk to the overall one. None: no term.
        penalty: standard deviation, Elo points, of a normal prior on every ability around their
            mean, and on the other terms around 0. "adaptive": 300, or more where the abilities
            spread wider (`ratings.model.fitting`). None: no prior, exact maximum likelihood.
        covariates: names of the comparisons' covariates to include.

    Raises:
        InvalidSetting: on construction, if a setting is not acceptable.
    """

    ties: Ties = "half"
    side: bool = False
    motion_spread: float | None = None
    covariates: tuple[str, ...] = ()
    penalty: Penalty = "adaptive"

    def __post_init__(self) -> None:
        """Check the settings."""
        if self.ties not in get_args(Ties):
            raise InvalidSetting(f"ties is {self.ties!r}; accepted: {', '.join(get_args(Ties))}")
        if self.penalty not in (None, "adaptive"):
            _require_positive("penalty", self.penalty, "'adaptive', or None for none")
        if self.motion_spread is not None:
            _require_positive("motion_spread", self.motion_spread, "or None for no such term")


PAPER: Final = Model()


def own_family(
    judge: Iterable[str], first: Iterable[str], second: Iterable[str]
) -> NDArray[np.float64]:
    """Return the covariate of a judge's preference for its own family of models.

    >>> own_family(["x", "x", "y", "x"], ["x", "y", "x", "x"], ["y", "x", "z", "x"]).tolist()
    [1.0, -1.0, 0.0, 0.0]

    Args:
        judge: N families of the judge's model.
        first: N families of the first named's model.
        second: N families of the second named's model.

    Returns:
        (N,): 1 if only the first named is of the judge's family, −1 if only the second is, else 0.
    """
    rows = zip(judge, first, second, strict=True)
    return np.array([float(own == left) - float(own == right) for own, left, right in rows])

"""Log-partition functions of the two models of a comparison, and their derivatives.

Both models are exponential families: a comparison of weight n at log-odds η adds

    s·η + t·ω − n·A(η, ω)

to the log-likelihood, where s is n·(outcome − ½) and t the weight of ties. Ties as half wins:
A = ln(e^(η/2) + e^(−η/2)). Davidson: A = ln(e^(η/2) + e^(−η/2) + e^ω), with ν = e^ω.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TieCurve:
    """Derivatives of A by ω, by η and ω, and twice by ω."""

    omega: Floats
    eta_omega: Floats
    omega_omega: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """First and second derivatives of A; `tie` is None without Davidson's term."""

    eta: Floats
    eta_eta: Floats
    tie: TieCurve | None

    @property
    def omega(self) -> Floats | None:
        """The first derivative by ω."""
        return None if self.tie is None else self.tie.omega


def half_slope(eta: Floats) -> Floats:
    """Return dA/dη where ties are half wins, P(first) − ½, in the precision of η."""
    half = eta.dtype.type(0.5)
    slope = eta * half
    np.tanh(slope, out=slope)  # in place: new memory costs more than the logistic
    slope *= half
    return np.asarray(slope)


def davidson_slopes(eta: Floats, omega: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of Davidson's A by η and by ω, in the precision of η."""
    first, tie, second = chances(eta, omega)
    return (first - second) * eta.dtype.type(0.5), tie


def slopes(eta: Floats, omega: Floats | None) -> tuple[Floats, Floats | None]:
    """Return the derivatives of A by η and by ω; the latter is None where ties are half wins."""
    return (half_slope(eta), None) if omega is None else davidson_slopes(eta, omega)


def curve(eta: Floats, omega: Floats | None) -> Curve:
    """Return the first and second derivatives of A; `omega` is None where ties are half wins."""
    if omega is None:
        slope = half_slope(eta)
        return Curve(eta=slope, eta_eta=0.25 - slope**2, tie=None)
    slope, tie = davidson_slopes(eta, omega)
    ties = TieCurve(omega=tie, eta_omega=-slope * tie, omega_omega=tie * (1 - tie))
    return Curve(eta=slope, eta_eta=0.25 * (1 - tie) - slope**2, tie=ties)


def chances(eta: Floats, omega: Floats) -> tuple[Floats, Floats, Floats]:
    """Return Davidson's probabilities that the first wins, of a tie, that the second wins."""
    half = eta * eta.dtype.type(0.5)
    top = np.maximum(np.abs(half), omega)
    first, tie, second = np.exp(half - top), np.exp(omega - top), np.exp(-half - top)
    total = first + tie + second
    return first / total, tie / total, second / total

"""Recovery: how well the ratings of a simulated tournament show the true order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def kendall_tau(first: Floats, second: Floats) -> float:
    """Return Kendall's τ-b of two lists of K values: 1 for the same order, −1 for the reverse.

    Source: M. G. Kendall 1945, doi:10.1093/biomet/33.3.239.

    >>> kendall_tau(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).__round__(3)
    0.333
    """
    above, other = (np.sign(values[:, None] - values[None, :]) for values in (first, second))
    untied = float(np.sqrt((above**2).sum() * (other**2).sum()))
    return float((above * other).sum()) / untied if untied else 0.0

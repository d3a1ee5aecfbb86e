"""Ratings of verdicts, for what judges are measured by."""

from __future__ import annotations

import pandas as pd

from ratings import Comparisons, fit


def ratings(verdicts: pd.DataFrame, *, weighed: bool = True) -> dict[str, float]:
    """Elo by participant, by the paper's weighted model.

    Args:
        verdicts: columns pro, con, outcome, weight.
        weighed: whether the weights count; else all are alike.
    """
    # Alike comparisons are added up first: the fit is the same, and there are far fewer names.
    cells = verdicts.groupby(["pro", "con", "outcome"])["weight"]
    found = (cells.sum() if weighed else cells.size()).reset_index(name="weight")
    rated = fit(
        Comparisons.of(
            found["pro"],
            found["con"],
            found["outcome"].to_numpy(),
            found["weight"].to_numpy(dtype=float),
        )
    )
    return {name: float(one) for name, one in zip(rated.names, rated.rating, strict=True)}

"""Elo ratings from some benches' verdicts, for the figures that compare ratings."""

from __future__ import annotations

import pandas as pd

from ratings import Comparisons, fit


def rate_participants(verdicts: pd.DataFrame, *, weighted: bool = True) -> dict[str, float]:
    """Return each participant's Elo rating by the default weighted Bradley-Terry model.

    Args:
        verdicts: columns pro, con, outcome, weight.
        weighted: whether the weights count; else each comparison counts once.
    """
    # Equal comparisons are added up first: the fit is the same, and there are far fewer names.
    cells = verdicts.groupby(["pro", "con", "outcome"])["weight"]
    summed = (cells.sum() if weighted else cells.size()).reset_index(name="weight")
    fitted = fit(
        Comparisons.of(
            summed["pro"],
            summed["con"],
            summed["outcome"].to_numpy(),
            summed["weight"].to_numpy(dtype=float),
        )
    )
    return {name: float(rating) for name, rating in zip(fitted.names, fitted.rating, strict=True)}

"""Marks of odd results: upsets, and matchups that were decided by the side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.languages import SIDES
from ratings import PRO_WINS, TIE

#: A result is an upset where the ratings give its winner a smaller share of wins than this.
UPSET = 0.35


def winner_expected(debates: pd.DataFrame, rating: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the share of wins that the ratings give each debate's winner, (debates,).

    It is 1 / (1 + 10^(-d / 400)) for a winner rated d Elo points above the loser. Ties and
    participants without a rating have NaN.

    Args:
        debates: `pro`, `con` (names) and `outcome` (Pro's).
        rating: by participant, in Elo points.
    """
    pro, con = (debates[side].map(rating).astype(float).to_numpy() for side in SIDES)
    expected = 1 / (1 + np.power(10.0, (con - pro) / 400))
    outcome = debates["outcome"].to_numpy(dtype=float)
    share = np.where(outcome == PRO_WINS, expected, 1 - expected)
    return np.where((outcome == TIE) | np.isnan(outcome), np.nan, share)


def is_upset(expected: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each result is an upset, from `winner_expected`, (debates,)."""
    return np.asarray(expected < UPSET)


def decided_by_side(debates: pd.DataFrame) -> NDArray[np.bool_]:
    """Return whether a debate belongs to a matchup of which one side won both legs, (debates,).

    Args:
        debates: `matchup_id`, `pro`, `con` (names) and `outcome` (Pro's); both legs of a matchup.
    """
    decided = debates[debates["outcome"].notna() & (debates["outcome"] != TIE)]
    legs = decided.groupby("matchup_id").agg(
        legs=("outcome", "size"), outcomes=("outcome", "nunique"), speakers=("pro", "nunique")
    )
    ids = legs.index[(legs["legs"] == 2) & (legs["outcomes"] == 1) & (legs["speakers"] == 2)]
    return np.asarray(debates["matchup_id"].isin(ids))

"""Rules of stopping for two participants, computed for many tournaments and all looks at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, stdtrit

from benchmarks.growing import draw_ballots
from ratings import paper_weight
from ratings.intervals.anytime import log_score_evidence
from ratings.model.fitting import ELO_PER_GAMMA

Floats = NDArray[np.float64]
_ALPHA = 0.05
_PRIOR = (ELO_PER_GAMMA / 300) ** 2 / 2  # the prior's part of the variance of a score


def draw_legs(rng: np.random.Generator, gap: float, fields: int, matchups: int) -> Floats:
    """Draw the ballots for the first participant, (fields, matchups, 2 legs, 3 ballots)."""
    signs = np.tile([1.0, -1.0], fields * matchups)
    ballots = draw_ballots(rng, signs * gap / ELO_PER_GAMMA)
    return np.where(signs[:, None] > 0, ballots, 1 - ballots).reshape(fields, matchups, 2, -1)


def weighted_scores(legs: Floats) -> Floats:
    """Return the score of each matchup under the paper's weights, (fields, matchups)."""
    delta = (2 * legs - 1).sum(axis=-1)
    return np.asarray((paper_weight(delta) * np.sign(delta) / 2).sum(axis=-1))


def by_scores(legs: Floats) -> Floats:
    """Return ln of the evidence that `confidence(..., anytime=True)` decides by."""
    scores = weighted_scores(legs)
    total, variance = scores.cumsum(axis=1), (scores**2).cumsum(axis=1) + _PRIOR
    return np.asarray(log_score_evidence(np.abs(total), variance) - np.log(2))


def by_coin(legs: Floats) -> Floats:
    """Return ln of a beta mixture against a fair coin, from the winners of matchups; it is exact.

    Matchups without a winner are left out. The mixture is uniform over the chance to win.
    """
    winner = np.sign((2 * legs - 1).sum(axis=(2, 3)))
    won, lost = ((winner == sign).cumsum(axis=1) for sign in (1, -1))
    return np.asarray(betaln(1 + won, 1 + lost) + (won + lost) * np.log(2))


def universal(outcomes: Floats) -> Floats:
    """Return ln of the likelihood ratio of running estimates to a fair coin, (fields, n).

    The e-process of universal inference (Wasserman, Ramdas & Balakrishnan 2020,
    doi 10.1073/pnas.1922664117), where every outcome, 1 or 0, is taken to be independent; NaN for
    none.
    """
    played = np.isfinite(outcomes)
    won = np.where(played, outcomes, 0.0)
    before = won.cumsum(axis=1) - won
    number = played.cumsum(axis=1) - played
    chance = (before + 0.5) / (number + 1)
    gain = np.where(won > 0, np.log(2 * chance), np.log(2 * (1 - chance)))
    return np.where(played, gain, 0.0).cumsum(axis=1)


def by_matchups(legs: Floats) -> Floats:
    """Return the evidence of universal inference from the winners of matchups."""
    winner = np.sign((2 * legs - 1).sum(axis=(2, 3)))
    return universal(np.where(winner == 0, np.nan, (winner + 1) / 2))


def by_ballots(legs: Floats) -> Floats:
    """Return the evidence of universal inference from ballots as if they were independent."""
    fields, matchups = legs.shape[:2]
    evidence = universal(legs.reshape(fields, -1))
    return evidence[:, np.arange(1, matchups + 1) * (evidence.shape[1] // matchups) - 1]


RULES: Mapping[str, Callable[[Floats], Floats]] = {
    "scores of matchups (ours)": by_scores,
    "coin, beta mixture": by_coin,
    "universal inference, matchups": by_matchups,
    "universal inference, ballots": by_ballots,
}


def stop(evidence: Floats) -> NDArray[np.intp]:
    """Return the matchup at which each field stops, (fields,); 0 where it never does."""
    return first_looks(evidence >= np.log(1 / _ALPHA))


def student(legs: Floats) -> Floats:
    """Return the mean score over its quantile at 5 %, (fields, matchups), from the fifth on."""
    scores = weighted_scores(legs)
    number = np.arange(1, scores.shape[1] + 1)
    total, squares = scores.cumsum(axis=1), (scores**2).cumsum(axis=1)
    variance = (squares - total**2 / number) * number / np.maximum(number - 1, 1)
    quantile = stdtrit(np.maximum(number - 1, 1), 1 - _ALPHA / 2)
    ratio = np.divide(total, quantile * np.sqrt(np.maximum(variance, 1e-12)))
    return np.where(number >= 5, ratio, 0.0)  # noqa: PLR2004


def first_looks(over: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the first look, counted from 1, of each field that is over, (fields,); 0 for none."""
    return np.where(over.any(axis=1), over.argmax(axis=1) + 1, 0)

"""Fields of equals, looked at again and again: when is a false order settled for the first time?

A quick fit of all fields at once tells where nothing can be settled; there the look is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.growing import Growing, looks, random_pairs
from ratings import Model, confidence
from ratings.intervals.anytime import MIXTURE_VARIANCE, mix_evidence
from ratings.model.fitting import ELO_PER_GAMMA

Floats = NDArray[np.float64]
WAVES = (1, 8)
_PRECISION = (ELO_PER_GAMMA / 300) ** 2  # of the prior
_MARGIN = 0.7  # of ln evidence
_STRETCH = 1.3  # of the quick fit's gaps, for what it leaves out
_STEPS = 3


def grow(size: int, model: Model, fields: int, matchups: int) -> list[Growing]:
    """Play tournaments of equals with pairs drawn at random."""
    tournaments = []
    for seed in range(fields):
        rng = np.random.default_rng([seed, size, matchups])
        tournament = Growing(np.zeros(size), rng, paper=not model.side, tie=0.3 * model.side)
        tournament.play(random_pairs(rng, size, matchups))
        tournaments.append(tournament)
    return tournaments


def first_false(
    tournaments: Sequence[Growing], model: Model, *, anytime: bool
) -> dict[int, NDArray[np.intp]]:
    """Return the look at which each field settles anything for the first time, by wave; 0: never.

    Args:
        tournaments: of equals.
        model: the model to fit.
        anytime: whether the rule is that for all looks, else that for a single one.
    """
    first = {wave: np.zeros(len(tournaments), dtype=np.intp) for wave in WAVES}
    threshold = np.log(20 * len(tournaments[0].names) * (len(tournaments[0].names) - 1))
    for look, bound in _bounds(tournaments, shrink=0.75 if model.side else 0.5):
        waves = [wave for wave in WAVES if look % wave == 0]
        near = bound >= threshold - _MARGIN if anytime else np.ones(len(bound), dtype=np.bool_)
        for number in np.flatnonzero(near).tolist():
            undecided = [wave for wave in waves if not first[wave][number]]
            if undecided:
                comparisons = tournaments[number].comparisons(look)
                if confidence(comparisons, model, anytime=anytime).above.any():
                    for wave in undecided:
                        first[wave][number] = look
    return first


def _bounds(tournaments: Sequence[Growing], shrink: float) -> Iterator[tuple[int, Floats]]:
    """Yield each look with a bound of the strongest ln evidence in each field, (fields,).

    Args:
        tournaments: as many matchups each.
        shrink: how much smaller than the model's the variance between matchups may be.
    """
    fields, size, matchups = len(tournaments), len(tournaments[0].names), len(tournaments[0].pairs)
    won, met = np.zeros((fields, size, size)), np.zeros((fields, size, size))
    pairs = np.stack([tournament.pairs for tournament in tournaments])
    score, weight = np.stack([_sum_matchups(t) for t in tournaments], axis=1)
    gamma, before = np.zeros((fields, size)), 0
    for look in looks(matchups):
        part = slice(before, look)
        where = (np.arange(fields)[:, None], pairs[:, part, 0], pairs[:, part, 1])
        np.add.at(won, where, score[:, part])
        np.add.at(met, where, weight[:, part])
        before = look
        gamma, variance = _fit_quickly(won - won.swapaxes(1, 2), met + met.swapaxes(1, 2), gamma)
        error = np.sqrt(shrink * np.maximum(variance, 1e-12))
        gap = _STRETCH * (gamma[:, :, None] - gamma[:, None, :])
        yield (
            look,
            mix_evidence(gap / error, MIXTURE_VARIANCE / error**2).reshape(fields, -1).max(axis=1),
        )


def _sum_matchups(tournament: Growing) -> tuple[Floats, Floats]:
    """Return the score for the first of each matchup and its weight, (matchups,) each."""
    rows, matchups = tournament.comparisons(), len(tournament.pairs)
    sign = np.where(rows.first == np.repeat(tournament.pairs[:, 0], len(rows) // matchups), 1, -1)
    score = sign * rows.weight * (rows.outcome - 0.5)
    return score.reshape(matchups, -1).sum(axis=1), rows.weight.reshape(matchups, -1).sum(axis=1)


def _fit_quickly(won: Floats, met: Floats, gamma: Floats) -> tuple[Floats, Floats]:
    """Return abilities, (fields, K), and variances of differences between equals, (fields, K, K).

    Args:
        won: (fields, K, K) score of the row against the column.
        met: (fields, K, K) weight of the comparisons of the pair.
        gamma: (fields, K) where Newton's method begins.
    """
    size = won.shape[1]
    prior = _PRECISION * (np.eye(size) - 1 / size) + 1 / size
    for _ in range(_STEPS):
        slope = np.tanh((gamma[:, :, None] - gamma[:, None, :]) / 2) / 2
        away = (won - met * slope).sum(axis=2) - _PRECISION * gamma
        information = _laplacian(met * (0.25 - slope**2)) + prior
        gamma = gamma + np.linalg.solve(information, away[:, :, None])[:, :, 0]
        gamma -= gamma.mean(axis=1, keepdims=True)
    inverse = np.linalg.inv(_laplacian(met / 4) + prior)
    variance = np.diagonal(inverse, axis1=1, axis2=2)
    return gamma, variance[:, :, None] + variance[:, None, :] - 2 * inverse


def _laplacian(weight: Floats) -> Floats:
    matrix = -weight
    place = np.arange(weight.shape[1])
    matrix[:, place, place] += weight.sum(axis=2)
    return matrix

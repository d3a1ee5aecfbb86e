"""Simulated tournaments that grow matchup by matchup, for the study of stopping.

Every matchup has two legs with exchanged sides, and every debate three ballots that agree more
than chance, as in `benchmarks.fields`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.fields import BALLOTS, COPIED
from ratings import Comparisons, Confidence, paper_weight
from ratings.model.family import chances
from ratings.model.fitting import ELO_PER_GAMMA

Pairs = NDArray[np.intp]
SIDE = 80.0


class Growing:
    """A tournament that grows.

    Args:
        ability: (K,) log-odds.
        rng: draws ballots.
        paper: whether a debate's ballots become one weighted comparison, as in the paper; if
            false, each ballot is a comparison.
        tie: Davidson's ν of the ballots; 0 for no ties.
    """

    def __init__(
        self,
        ability: NDArray[np.float64],
        rng: np.random.Generator,
        *,
        paper: bool = True,
        tie: float = 0.0,
    ) -> None:
        self.names = tuple(f"p{number:03}" for number in range(len(ability)))
        self.pairs: Pairs = np.empty((0, 2), dtype=np.intp)
        self._ability, self._rng = ability, rng
        self._paper, self._tie = paper, tie
        self._ballots = np.empty((0, BALLOTS))

    def play(self, pairs: Pairs) -> None:
        """Play a matchup of each pair, (n, 2)."""
        pro, con = pairs.ravel(), pairs[:, ::-1].ravel()
        gap = self._ability[pro] - self._ability[con]
        self.pairs = np.concatenate([self.pairs, pairs])
        self._ballots = np.concatenate([self._ballots, draw_ballots(self._rng, gap, self._tie)])

    def comparisons(self, matchups: int | None = None) -> Comparisons:
        """Return the comparisons of the first matchups; of all by default."""
        pairs = self.pairs[:matchups]
        pro, con, ballots = pairs.ravel(), pairs[:, ::-1].ravel(), self._ballots[: 2 * len(pairs)]
        cluster, each = np.repeat(np.arange(len(pairs)), 2), 1 if self._paper else BALLOTS
        delta = (2 * ballots - 1).sum(axis=1)
        return Comparisons(
            names=self.names,
            first=np.repeat(pro, each),
            second=np.repeat(con, each),
            outcome=np.sign(delta) / 2 + 0.5 if self._paper else ballots.ravel(),
            weight=paper_weight(delta) if self._paper else np.ones(ballots.size),
            cluster=np.repeat(cluster, each),
        )


def draw_ballots(
    rng: np.random.Generator, gap: NDArray[np.float64], tie: float = 0.0
) -> NDArray[np.float64]:
    """Draw Pro's outcomes on the ballots of debates, (debates, 3), Pro's side being worth 80."""
    omega = np.full(1, np.log(tie) if tie else -np.inf)
    win, tied, _ = chances(gap + SIDE / ELO_PER_GAMMA, omega)
    shape = (len(gap), BALLOTS)
    copied = rng.random(shape) < COPIED
    drawn = np.where(copied, rng.random((len(gap), 1)), rng.random(shape))
    return np.where(drawn < win[:, None], 1.0, np.where(drawn < (win + tied)[:, None], 0.5, 0.0))


def looks(most: int) -> Iterator[int]:
    """Yield the numbers of matchups after which somebody looks.

    Every one up to 40, every second up to 80, every fourth up to 160, then about every 5 %, always
    a multiple of 8.

    >>> list(looks(200))[-14:-4]
    [128, 132, 136, 140, 144, 148, 152, 156, 160, 168]
    """
    matchups = 1
    while matchups <= most:
        yield matchups
        step = 1 if matchups < 40 else 2 if matchups < 80 else 4 if matchups < 160 else 0  # noqa: PLR2004
        matchups += step or 8 * max(1, int(matchups * 0.05 / 8))


def random_pairs(rng: np.random.Generator, size: int, matchups: int) -> Pairs:
    """Draw pairs at random, (matchups, 2)."""
    first = rng.integers(0, size, matchups)
    return np.stack([first, (first + rng.integers(1, size, matchups)) % size], axis=1)


def round_robin(size: int, start: int, matchups: int) -> Pairs:
    """Return the next pairs of an endless round robin, (matchups, 2)."""
    pairs = np.stack(np.triu_indices(size, 1), axis=1)
    pairs = pairs[np.random.default_rng(size).permutation(len(pairs))]
    return pairs[np.arange(start, start + matchups) % len(pairs)]


def closest_pairs(standing: Confidence, matchups: int) -> Pairs:
    """Return the pairs that tell most by p(1 − p) · Var(difference), (matchups, 2), each once."""
    size = len(standing.ratings.names)
    first, second = np.triu_indices(size, 1)
    gap = (standing.ratings.gamma[first] - standing.ratings.gamma[second]) / 2
    information = standing.difference[first, second] ** 2 / np.cosh(gap) ** 2
    best = np.argsort(-information, kind="stable")[np.arange(matchups) % len(first)]
    return np.stack([first[best], second[best]], axis=1)

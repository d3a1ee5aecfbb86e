"""Simulated fields of participants, for the study of coverage.

Ballots of one debate agree more than by chance, with an intraclass correlation (ICC) of 0.21:
each ballot copies, with probability √ICC, one draw that the debate's ballots share, and else is
drawn on its own. So each ballot follows the model exactly, and the correlation of any two is the
ICC.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from ratings import Comparisons, Model, fit, outcome_of, paper_weight
from ratings.model.family import chances
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.reference import count_matchups, refer

SIZE: Final = 10
BALLOTS: Final = 3
COPIED: Final = 0.21**0.5
NAMES: Final = tuple(f"p{number}" for number in range(SIZE))
_NO_TIES: Final = -np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The parameters of a simulation.

    Attributes:
        matchups: number of matchups, two legs each.
        spread: scale of the abilities, log-odds: their standard deviation where they are normal.
        freedom: degrees of freedom of Student's distribution of the abilities, within ±5 scales;
            0 for a normal distribution.
        side: advantage of Pro, Elo points.
        tie: Davidson's ν of the ballots; 0 for no ties.
        paper: whether a debate's ballots become one weighted comparison, as in the paper; if
            false, each ballot is a comparison.
    """

    matchups: int
    spread: float = 0.8
    freedom: int = 0
    side: float = 80.0
    tie: float = 0.0
    paper: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """One simulated board.

    Attributes:
        comparisons: of SIZE participants.
        truth: (SIZE,) ratings that the intervals should contain, Elo points, on their reference.
        ability: (SIZE,) abilities that generated the ballots, log-odds, mean 0.
        seed: of the simulation.
    """

    comparisons: Comparisons
    truth: NDArray[np.float64]
    ability: NDArray[np.float64]
    seed: int


def field(setting: Setting, seed: int) -> Field:
    """Simulate one field."""
    rng = np.random.default_rng([seed, setting.matchups])
    if setting.freedom:
        ability = setting.spread * rng.standard_t(setting.freedom, SIZE).clip(-5, 5)
    else:
        ability = setting.spread * rng.standard_normal(SIZE)
    ability -= ability.mean()
    pairs = draw_pairs(rng, setting.matchups)
    pro = np.stack([pairs[:, 0], pairs[:, 1]], axis=1).ravel()
    con = np.stack([pairs[:, 1], pairs[:, 0]], axis=1).ravel()
    ballots = draw_ballots(rng, ability[pro] - ability[con], setting)
    truth = limit(ability, setting.side) if setting.paper else 1000 + ELO_PER_GAMMA * ability
    cluster = np.repeat(np.arange(setting.matchups), 2)
    make = make_debates if setting.paper else _single_ballots
    comparisons = make(pro, con, ballots, cluster)
    truth = refer(truth, count_matchups(comparisons))
    return Field(comparisons=comparisons, truth=truth, ability=ability, seed=seed)


def limit(
    ability: NDArray[np.float64],
    side: float,
    meetings: NDArray[np.float64] | None = None,
    *,
    by_motion: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the ratings that the paper's model converges to as pairs meet without end.

    Args:
        ability: (K,) log-odds.
        side: advantage of Pro, Elo points.
        meetings: (K, K) how often each pair meets, symmetric; equally often by default.
        by_motion: (M, K, K) what each motion, all equally frequent, adds to the log-odds of the row
            against the column; nothing by default.
    """
    size = len(ability)
    often = np.ones((size, size)) if meetings is None else meetings
    first, second, outcome, weight = [], [], [], []
    shifts = np.zeros((1, size, size)) if by_motion is None else by_motion
    for pro, con in product(range(size), range(size)):
        if pro != con and often[pro, con]:
            gap = ability[pro] - ability[con] + side / ELO_PER_GAMMA + shifts[:, pro, con]
            for wins, chance in enumerate(_wins(np.asarray(expit(gap))).mean(axis=1).tolist()):
                first.append(pro)
                second.append(con)
                outcome.append(outcome_of(2 * wins - BALLOTS))
                weight.append(often[pro, con] * chance * paper_weight(2 * wins - BALLOTS))
    return fit(
        Comparisons(
            names=tuple(f"p{number:03}" for number in range(size)),
            first=np.array(first),
            second=np.array(second),
            outcome=np.array(outcome),
            weight=np.array(weight),
            cluster=np.arange(len(first)),
        ),
        Model(penalty=None),
    ).rating


def _wins(chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution of Pro's number of votes in debates without ties, (4, M)."""
    distribution = np.zeros((BALLOTS + 1, len(chance)))
    for copies, own in product(range(BALLOTS + 1), range(BALLOTS + 1)):
        free = BALLOTS - copies
        if own <= free:
            ways = comb(BALLOTS, copies) * COPIED**copies * (1 - COPIED) ** free * comb(free, own)
            probability = ways * chance**own * (1 - chance) ** (free - own)
            distribution[own + copies] += probability * chance
            distribution[own] += probability * (1 - chance)
    return distribution


def draw_pairs(rng: np.random.Generator, matchups: int) -> NDArray[np.intp]:
    """Draw pairs until they link all participants: (matchups, 2)."""
    while True:
        drawn = np.array([rng.permutation(SIZE)[:2] for _ in range(matchups)])
        graph = csr_array((np.ones(matchups), (drawn[:, 0], drawn[:, 1])), shape=(SIZE, SIZE))
        if connected_components(graph, directed=False)[0] == 1:
            return drawn


def draw_ballots(
    rng: np.random.Generator, gap: NDArray[np.float64], setting: Setting
) -> NDArray[np.float64]:
    """Draw Pro's outcomes, (debates, BALLOTS)."""
    omega = np.log(setting.tie) if setting.tie else _NO_TIES
    win, tie, _ = chances(gap + setting.side / ELO_PER_GAMMA, np.full(1, omega))
    shape = (len(gap), BALLOTS)
    copied = rng.random(shape) < COPIED
    drawn = np.where(copied, rng.random((len(gap), 1)), rng.random(shape))
    return np.where(drawn < win[:, None], 1.0, np.where(drawn < (win + tie)[:, None], 0.5, 0.0))


def make_debates(
    pro: NDArray[np.intp],
    con: NDArray[np.intp],
    ballots: NDArray[np.float64],
    cluster: NDArray[np.intp],
) -> Comparisons:
    """Make weighted comparisons of debates, as in the paper."""
    delta = (2 * ballots - 1).sum(axis=1)
    return Comparisons(
        names=NAMES,
        first=pro,
        second=con,
        outcome=np.array([outcome_of(difference) for difference in delta]),
        weight=paper_weight(delta),
        cluster=cluster,
    )


def _single_ballots(
    pro: NDArray[np.intp],
    con: NDArray[np.intp],
    ballots: NDArray[np.float64],
    cluster: NDArray[np.intp],
) -> Comparisons:
    return Comparisons(
        names=NAMES,
        first=np.repeat(pro, BALLOTS),
        second=np.repeat(con, BALLOTS),
        outcome=ballots.ravel(),
        weight=np.ones(ballots.size),
        cluster=np.repeat(cluster, BALLOTS),
    )

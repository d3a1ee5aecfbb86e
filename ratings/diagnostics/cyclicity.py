"""Is there rock-paper-scissors? What ratings leave over, pair by pair, and whether it is noise.

The residual flow of a pair is its wins less those that the ratings expect, divided by what one
unit of log-odds would add to them. What no rating can explain of it runs in circles
(`ratings.diagnostics.hodge`). How much noise alone would leave is found by simulating from the
fitted ratings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from ratings.comparisons import Comparisons
from ratings.diagnostics.hodge import Floats, Gradients, Index, Pairs, decompose, triangles
from ratings.errors import InvalidSetting
from ratings.model.bradley_terry import fit
from ratings.model.terms import PAPER, Model
from ratings.patterns import number_keys, number_kinds

_CIRCLES: Final = 5
_CHUNK: Final = 2_000_000  # numbers drawn at once
_OWN_WORD: Final = 10.0  # what the model's own variance counts for, in clusters
_TINY: Final = np.finfo(float).tiny


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    """Three participants, each better against the next than their ratings say.

    Attributes:
        names: the first does better against the second, the second against the third, and the
            third against the first.
        log_odds: how much better, added up around the circle.
        errors: the same in standard errors; of many circles, some have two or three by chance.
    """

    names: tuple[str, str, str]
    log_odds: float
    errors: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cyclicity:
    """What ratings leave over.

    Attributes:
        names: K participants.
        residual: (K, K) log-odds by which the row does better against the column than the ratings
            say, to first order; antisymmetric, NaN where the two have not met.
        surplus: (K, K) the same as a share of their comparisons, weighted: won less expected.
        curl: share, 0 to 1, of all differences in strength between pairs that runs round three
            who have all met.
        harmonic: share that runs in longer circles only.
        expected: the mean of both together where nothing but noise runs in circles.
        p_value: how often noise alone puts as much into circles.
        dispersion: variance between clusters against that of independent comparisons.
        circles: the most certain ones, at most five.
        rounds: simulated.
        seed: of the simulation.
    """

    names: tuple[str, ...]
    residual: NDArray[np.float64]
    surplus: NDArray[np.float64]
    curl: float
    harmonic: float
    expected: float
    p_value: float
    dispersion: float
    circles: tuple[Circle, ...]
    rounds: int
    seed: int

    @property
    def possible(self) -> bool:
        """Whether any have met in a ring: where not, nothing can run in circles."""
        met = ~np.isnan(self.residual)
        components, _ = connected_components(met, directed=False)
        return bool(met.sum() // 2 > len(self.names) - components)

    @property
    def share(self) -> float:
        """How much runs in circles, 0 to 1."""
        return self.curl + self.harmonic


def cyclicity(
    comparisons: Comparisons, model: Model = PAPER, *, rounds: int = 999, seed: int
) -> Cyclicity:
    """Measure how much runs in circles, and compare that with noise (a parametric bootstrap).

    Noise is drawn from the ratings, comparison by comparison, and scaled by how much more, or
    less, the clusters of one pair differ than independent comparisons would, so that ballots of
    one debate that agree do not pass for circles.

    >>> rows = [("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")] * 9
    >>> game = Comparisons.of([a for a, _ in rows], [b for _, b in rows], [1.0] * 27)
    >>> found = cyclicity(game, seed=1)
    >>> round(found.share, 2), found.p_value, found.circles[0].names
    (1.0, 0.001, ('paper', 'rock', 'scissors'))

    Args:
        comparisons: N comparisons of K participants.
        model: with ties as half wins and no terms beside the abilities, which would explain
            comparisons of one pair differently.
        rounds: to simulate.
        seed: of the simulation, not negative.

    Raises:
        InvalidSetting: an argument is not acceptable.
        NotIdentified: the penalty is off and the maximum does not exist.
    """
    _check(model, rounds, seed)
    left = _left_over(comparisons, fit(comparisons, model).gamma)
    parts = decompose(left.pairs, left.flow)
    curl, harmonic, ranked = (
        float(left.pairs.weight @ one**2)
        for one in (parts.curl, parts.harmonic, left.eta + parts.gradient)
    )
    whole = max(curl + harmonic + ranked, _TINY)
    noise = _noise(left, np.random.default_rng(seed), rounds) if left.rows else np.zeros(rounds)
    return Cyclicity(
        names=comparisons.names,
        residual=_matrix(left.pairs, left.flow),
        surplus=_matrix(left.pairs, left.flow * left.pairs.weight / left.total),
        curl=curl / whole,
        harmonic=harmonic / whole,
        expected=float((noise / np.maximum(noise + ranked, _TINY)).mean()),
        p_value=float((1 + (noise >= curl + harmonic).sum()) / (1 + rounds)),
        dispersion=left.dispersion,
        circles=_circles(comparisons.names, left),
        rounds=rounds,
        seed=seed,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LeftOver:
    """What ratings leave over, for E pairs.

    Attributes:
        pairs: their weights are what a unit of log-odds adds to their wins.
        flow: (E,) residual log-odds.
        eta: (E,) rated log-odds.
        total: (E,) weights of their comparisons, added up.
        dispersion: of clusters.
        kind: (D,) pair of each kind of comparison: those of one pair and weight.
        each: (D,) the weight of one.
        count: (D,) comparisons of the kind.
    """

    pairs: Pairs
    flow: Floats
    eta: Floats
    total: Floats
    dispersion: float
    kind: Index
    each: Floats
    count: Index

    @property
    def rows(self) -> int:
        """Count the comparisons."""
        return int(self.count.sum())


def _left_over(given: Comparisons, gamma: Floats) -> _LeftOver:
    low, high = np.minimum(given.first, given.second), np.maximum(given.first, given.second)
    key, pair = number_keys(low * len(given.names) + high)
    low, high = key // len(given.names), key % len(given.names)
    eta = gamma[low] - gamma[high]
    chance = expit(eta)
    won = np.where(given.first == low[pair], given.outcome, 1 - given.outcome)
    missed = given.weight * (won - chance[pair])
    total = np.bincount(pair, given.times * given.weight, len(key)).astype(np.float64)
    information = total * chance * (1 - chance)
    kind, example = number_kinds([pair, given.weight])
    return _LeftOver(
        pairs=Pairs(size=len(given.names), low=low, high=high, weight=information),
        flow=np.bincount(pair, given.times * missed, len(key)) / information,
        eta=eta,
        total=total,
        dispersion=_dispersion(given, pair, missed, (chance * (1 - chance))[pair]),
        kind=pair[example],
        each=given.weight[example],
        count=np.bincount(kind, given.times, len(example)).astype(np.intp),
    )


def _dispersion(given: Comparisons, pair: Index, missed: Floats, variance: Floats) -> float:
    """Compare how clusters of one pair differ with how independent comparisons would.

    Around their own mean, so that what runs in circles does not count as noise; drawn towards 1
    where few pairs have been met by more clusters than one.
    """
    _, entry = number_keys(number_keys(given.cluster)[1] * (int(pair.max(initial=0)) + 1) + pair)
    _, example = number_kinds([entry])
    own, times = pair[example], given.times[example]
    amount, expected = np.bincount(entry, missed), np.bincount(entry, given.weight**2 * variance)
    part = expected / np.bincount(own, times * expected)[own]
    away = amount - part * np.bincount(own, times * amount)[own]
    within = (times * expected * (1 - part)).sum()
    freedom = times.sum() - len(np.unique(own))
    ratio = (times * away**2).sum() / within if freedom else 1.0
    return float((freedom * ratio + _OWN_WORD) / (freedom + _OWN_WORD))


def _noise(left: _LeftOver, rng: np.random.Generator, rounds: int) -> Floats:
    """Simulate how much of noise runs in circles, (rounds,), weights times squares."""
    gradients, weight = Gradients(left.pairs), left.pairs.weight[:, None]
    chance = expit(left.eta)[left.kind, None]
    add_up = _sums(left.kind, left.each, len(left.eta))
    found: list[Floats] = []
    chunk = max(1, _CHUNK // len(left.kind))
    for start in range(0, rounds, chunk):
        size = (len(left.kind), min(chunk, rounds - start))
        won = rng.binomial(left.count[:, None], chance, size=size)
        flow = np.asarray(add_up @ (won - left.count[:, None] * chance)) / weight
        found.append((weight * (flow - gradients.of(flow)) ** 2).sum(axis=0))
    return left.dispersion * np.concatenate(found)


def _sums(kind: Index, each: Floats, size: int) -> csr_array[np.float64]:
    return csr_array((each, (kind, np.arange(len(kind)))), shape=(size, len(kind)))


def _matrix(pairs: Pairs, values: Floats) -> Floats:
    found = np.full((pairs.size, pairs.size), np.nan)
    found[pairs.low, pairs.high] = values
    found[pairs.high, pairs.low] = -values
    return found


def _circles(names: tuple[str, ...], left: _LeftOver) -> tuple[Circle, ...]:
    """Find the triangles whose residuals add up to most, in standard errors."""
    low, high = left.pairs.low, left.pairs.high
    found: list[Circle] = []
    for ij, jk, ik in triangles(left.pairs):
        around = left.flow[ij] + left.flow[jk] - left.flow[ik]
        variance = sum(1 / left.pairs.weight[one] for one in (ij, jk, ik))
        errors = around / np.sqrt(left.dispersion * variance)
        for best in np.argsort(-np.abs(errors), kind="stable")[:_CIRCLES].tolist():
            three = (low[ij[best]], high[ij[best]], high[jk[best]])
            one, other, third = (names[place] for place in three)
            found.append(
                Circle(
                    names=(one, other, third) if around[best] >= 0 else (one, third, other),
                    log_odds=abs(float(around[best])),
                    errors=abs(float(errors[best])),
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.errors, one.names))[:_CIRCLES])


def _check(model: Model, rounds: int, seed: int) -> None:
    if model.side or model.covariates or model.motion_spread or model.ties != "half":
        raise InvalidSetting(
            "the model has terms beside the abilities; accepted: ties as half wins, no side, "
            "no motions, no covariates"
        )
    if rounds < 1:
        raise InvalidSetting(f"rounds is {rounds}; accepted: 1 or more")
    if seed < 0:
        raise InvalidSetting(f"seed is {seed}; accepted: 0 or more")

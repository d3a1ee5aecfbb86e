"""A test for cyclic results (rock-paper-scissors): residuals of ratings that run in circles.

The residual of a pair is its wins minus those that the ratings predict, divided by the number of
wins that one unit of log-odds would add. The part of these residuals that no rating can explain
runs in circles (`ratings.diagnostics.hodge`). Simulations from the fitted ratings show how much of
it noise alone produces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc, expit

from ratings.comparisons import Comparisons
from ratings.diagnostics.hodge import Floats, Gradients, Index, Pairs, decompose, triangles
from ratings.errors import InvalidSetting, check_resampling
from ratings.model.bradley_terry import fit
from ratings.model.terms import PAPER, Model
from ratings.patterns import number_keys, number_kinds

_CIRCLES: Final = 5
_CHUNK: Final = 2_000_000  # numbers drawn at once
_PRIOR_CLUSTERS: Final = 10.0  # weight of clusters that agree in full
#: The p-value up to which results are said to run in circles, or a pair to contradict its ratings.
LEVEL: Final = 0.05
#: Participants up to which circles are looked for beside a board: 300 who have all met take 2 s.
_MOST_TESTED: Final = 300
_CIRCLE_ROUNDS: Final = 199
_PAIR_ROUNDS: Final = 1999
_ROUNDING: Final = 1e-9  # of a sum of residuals
_TINY: Final = np.finfo(float).tiny


@dataclass(frozen=True, slots=True, kw_only=True)
class Circle:
    """A circle of three participants, each better against the next than their ratings predict.

    Attributes:
        names: the first does better against the second, the second against the third, and the
            third against the first.
        log_odds: the sum of the three residuals.
        errors: the same in standard errors; of many circles, some exceed two or three by chance.
    """

    names: tuple[str, str, str]
    log_odds: float
    errors: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cyclicity:
    """Residuals of ratings, and the part of them that runs in circles.

    Attributes:
        names: K participants.
        residual: (K, K) log-odds by which the row does better against the column than the ratings
            predict, to first order; antisymmetric, NaN for pairs without comparisons.
        surplus: (K, K) the same as a weighted share of their comparisons, observed minus
            predicted.
        curl: share, 0 to 1, of all differences in strength between pairs that runs around
            triangles of participants who have all met.
        harmonic: share that runs in longer circles only.
        expected: mean of curl + harmonic if only noise runs in circles.
        p_value: probability that noise alone puts as much into circles.
        dispersion: ratio of the variance between clusters to that of independent comparisons.
        circles: the most significant ones, at most five.
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
        """Whether the graph of who met whom has a cycle; without one nothing can run in circles."""
        met = ~np.isnan(self.residual)
        components, _ = connected_components(met, directed=False)
        return bool(met.sum() // 2 > len(self.names) - components)

    @property
    def share(self) -> float:
        """The share that runs in circles, 0 to 1: curl + harmonic."""
        return self.curl + self.harmonic


@dataclass(frozen=True, slots=True, kw_only=True)
class CircleTest:
    """Whether more runs in circles than noise alone puts there.

    Attributes:
        p_value: probability that noise alone puts as much into circles.
        circle: of the five most significant circles of three, the first in which each does better
            against the next; None where p_value is above 0.05, or there is none.
    """

    p_value: float
    circle: Circle | None

    @property
    def is_significant(self) -> bool:
        """Whether noise alone puts as much into circles on one board of twenty at most."""
        return self.p_value <= LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """Whether the record of a pair contradicts the ratings.

    Attributes:
        predicted: the share that the first wins by the ratings, 0 to 1.
        p_value: probability that what no ratings explain of the record is as much, on either side,
            if ratings hold; 1 where nothing but this record links two parts of the board.
    """

    predicted: float
    p_value: float

    @property
    def is_significant(self) -> bool:
        """Whether that happens to one pair of twenty at most."""
        return self.p_value <= LEVEL


def look_for_circles(comparisons: Comparisons, gamma: Floats, *, seed: int) -> CircleTest | None:
    """Test whether results run in circles, at a price that every board can pay.

    Noise is simulated only where the chi-squared distribution, which knows nothing of few debates
    and lopsided pairs, finds significantly many circles; of both p-values the larger one counts.

    >>> rows = [("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")] * 9
    >>> game = Comparisons.of([a for a, _ in rows], [b for _, b in rows], [1.0] * 27)
    >>> look_for_circles(game, np.zeros(3), seed=1).circle.names
    ('paper', 'rock', 'scissors')

    Args:
        comparisons: of K participants.
        gamma: (K,) log-strengths that were fitted to them, with ties as half wins and no terms
            beside the abilities.
        seed: seed of the simulations, not negative.

    Returns:
        None where nothing can run in circles, or participants are more than 300.
    """
    if not len(comparisons) or len(comparisons.names) > _MOST_TESTED:
        return None
    residuals = _find_residuals(comparisons, gamma)
    if residuals.cycles < 1:
        return None
    gradients, weight = Gradients(residuals.pairs), residuals.pairs.weight
    rest = residuals.flow - gradients.project(residuals.flow[:, None])[:, 0]
    circling = float(weight @ rest**2)
    p_value = float(chdtrc(residuals.cycles, circling / residuals.variance))
    if p_value <= LEVEL:
        rng = np.random.default_rng(seed)
        noise = _simulate_noise(residuals, gradients, rng, _CIRCLE_ROUNDS)
        p_value = max(p_value, float((1 + (noise >= circling).sum()) / (1 + _CIRCLE_ROUNDS)))
    if p_value > LEVEL:
        return CircleTest(p_value=p_value, circle=None)
    ahead = _to_matrix(residuals.pairs, residuals.flow) > 0
    number = {name: k for k, name in enumerate(comparisons.names)}
    for circle in _find_circles(comparisons.names, residuals):
        a, b, c = (number[name] for name in circle.names)
        if ahead[a, b] and ahead[b, c] and ahead[c, a]:
            return CircleTest(p_value=p_value, circle=circle)
    return CircleTest(p_value=p_value, circle=None)


def compare_pair(
    comparisons: Comparisons, gamma: Floats, first: str, second: str, *, seed: int
) -> PairTest | None:
    """Compare the record of a pair with what ratings predict; None where the two have not met.

    Args:
        comparisons: of K participants.
        gamma: (K,) as `look_for_circles` takes it.
        seed: seed of the simulations, not negative.
    """
    low, high = sorted(map(comparisons.names.index, (first, second)))
    residuals = _find_residuals(comparisons, gamma)
    pairs = residuals.pairs
    (met,) = np.nonzero((pairs.low == low) & (pairs.high == high))
    if not len(met):
        return None
    unit = np.zeros(len(pairs.low))
    unit[met] = 1.0
    ranked = Gradients(pairs).project(np.stack([residuals.flow, unit], axis=1))[met[0]]
    surplus, free = np.array([residuals.flow[met[0]], 1.0]) - ranked  # what no ratings take up
    kinds, chance = residuals.kind == met[0], float(expit(residuals.eta[met[0]]))
    each, count = residuals.each[kinds, None], residuals.count[kinds, None]
    won = np.random.default_rng(seed).binomial(count, chance, size=(kinds.sum(), _PAIR_ROUNDS))
    noise = np.abs((each * (won - count * chance)).sum(axis=0))
    noise *= np.sqrt(residuals.dispersion * max(free, 0.0))
    observed = abs(surplus) * pairs.weight[met[0]] if free > _ROUNDING else 0.0
    exceeding = int((noise >= observed * (1 - _ROUNDING)).sum())
    return PairTest(
        predicted=chance if comparisons.names[low] == first else 1 - chance,
        p_value=(1 + exceeding) / (1 + _PAIR_ROUNDS),
    )


def cyclicity(
    comparisons: Comparisons, model: Model = PAPER, *, rounds: int = 999, seed: int
) -> Cyclicity:
    """Measure how much runs in circles, and compare it with noise (a parametric bootstrap).

    Noise is drawn from the ratings for each comparison and scaled by the dispersion of the
    clusters of one pair, so that agreeing ballots of one debate are not mistaken for circles.

    >>> rows = [("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")] * 9
    >>> game = Comparisons.of([a for a, _ in rows], [b for _, b in rows], [1.0] * 27)
    >>> cycles = cyclicity(game, seed=1)
    >>> round(cycles.share, 2), cycles.p_value, cycles.circles[0].names
    (1.0, 0.001, ('paper', 'rock', 'scissors'))

    Args:
        comparisons: of K participants.
        model: with ties as half wins and abilities alone; other terms would make the
            comparisons of one pair differ.
        seed: seed of the simulations, not negative.

    Raises:
        InvalidSetting: an argument is not acceptable.
        NotIdentified: the penalty is off and no finite maximum exists.
    """
    if model.side or model.covariates or model.motion_spread or model.ties != "half":
        raise InvalidSetting(
            "the model has terms beside the abilities; accepted: ties as half wins, no side, "
            "no motions, no covariates"
        )
    check_resampling(rounds, seed)
    residuals = _find_residuals(comparisons, fit(comparisons, model).gamma)
    parts = decompose(residuals.pairs, residuals.flow)
    curl, harmonic, ranked = (
        float(residuals.pairs.weight @ flow**2)
        for flow in (parts.curl, parts.harmonic, residuals.eta + parts.gradient)
    )
    total = max(curl + harmonic + ranked, _TINY)
    noise = np.zeros(rounds)
    if residuals.comparisons:
        gradients, rng = Gradients(residuals.pairs), np.random.default_rng(seed)
        noise = _simulate_noise(residuals, gradients, rng, rounds)
    return Cyclicity(
        names=comparisons.names,
        residual=_to_matrix(residuals.pairs, residuals.flow),
        surplus=_to_matrix(
            residuals.pairs, residuals.flow * residuals.pairs.weight / residuals.total
        ),
        curl=curl / total,
        harmonic=harmonic / total,
        expected=float((noise / np.maximum(noise + ranked, _TINY)).mean()),
        p_value=float((1 + (noise >= curl + harmonic).sum()) / (1 + rounds)),
        dispersion=residuals.dispersion,
        circles=_find_circles(comparisons.names, residuals),
        rounds=rounds,
        seed=seed,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Residuals:
    """Residuals of ratings for E pairs, and D kinds of comparisons by pair and weight.

    Attributes:
        pairs: with the wins that one unit of log-odds adds as weights.
        flow: (E,) residual log-odds.
        eta: (E,) log-odds predicted by the ratings.
        total: (E,) sum of the weights of the pair's comparisons.
        dispersion: of clusters, 1 for independent comparisons.
        kind: (D,) pair of each kind.
        each: (D,) weight of one comparison of each kind.
        count: (D,) number of comparisons of each kind.
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
    def comparisons(self) -> int:
        """The number of comparisons."""
        return int(self.count.sum())

    @property
    def variance(self) -> float:
        """The ratio of the variance of weighted wins between clusters to their information."""
        chance = expit(self.eta)
        squares = self.count * self.each**2 * (chance * (1 - chance))[self.kind]
        return float(self.dispersion * squares.sum() / self.pairs.weight.sum())

    @property
    def cycles(self) -> int:
        """The number of independent cycles in the graph of who met whom."""
        size, low, high = self.pairs.size, self.pairs.low, self.pairs.high
        edges = csr_array((np.ones(len(low)), (low, high)), shape=(size, size))
        components, _ = connected_components(edges, directed=False)
        return int(len(low) - size + components)


def _find_residuals(comparisons: Comparisons, gamma: Floats) -> _Residuals:
    size, times, weight = len(comparisons.names), comparisons.times, comparisons.weight
    low, high = comparisons.low, comparisons.high
    key, pair = number_keys(low * size + high)
    low, high = key // size, key % size
    eta = gamma[low] - gamma[high]
    chance = expit(eta)
    won = np.where(comparisons.first == low[pair], comparisons.outcome, 1 - comparisons.outcome)
    error = weight * (won - chance[pair])
    total = np.bincount(pair, times * weight, len(key)).astype(np.float64)
    information = total * chance * (1 - chance)
    kind, example = number_kinds([pair, weight])
    return _Residuals(
        pairs=Pairs(size=size, low=low, high=high, weight=information),
        flow=np.bincount(pair, times * error, len(key)) / information,
        eta=eta,
        total=total,
        dispersion=_dispersion(comparisons, pair, error, (chance * (1 - chance))[pair]),
        kind=pair[example],
        each=weight[example],
        count=np.bincount(kind, times, len(example)).astype(np.intp),
    )


def _dispersion(comparisons: Comparisons, pair: Index, error: Floats, variance: Floats) -> float:
    """Return the ratio of the variance between clusters of one pair to that of independent rows.

    Clusters vary around the mean of their pair, so that circles do not count as noise. Where few
    pairs have several clusters, the ratio is shrunk to the number of comparisons in a cluster, as
    if these always agreed: with one matchup a pair, legs that agree on their motion are else taken
    for circles. It is 1 at least: a lower ratio is mostly chance.
    """
    _, cluster = number_keys(comparisons.cluster)
    _, entry = number_keys(cluster * (int(pair.max(initial=0)) + 1) + pair)
    _, example = number_kinds([entry])
    own, times = pair[example], comparisons.times[example]
    amount = np.bincount(entry, error)
    expected = np.bincount(entry, comparisons.weight**2 * variance)
    part = expected / np.bincount(own, times * expected)[own]
    away = amount - part * np.bincount(own, times * amount)[own]
    within = (times * expected * (1 - part)).sum()
    freedom = times.sum() - len(np.unique(own))
    ratio = (times * away**2).sum() / within if freedom else 1.0
    agreeing = _PRIOR_CLUSTERS * len(comparisons) / max(comparisons.clusters, 1)
    return max(1.0, float((freedom * ratio + agreeing) / (freedom + _PRIOR_CLUSTERS)))


def _simulate_noise(
    residuals: _Residuals, gradients: Gradients, rng: np.random.Generator, rounds: int
) -> Floats:
    """Simulate how much of pure noise runs in circles, (rounds,), as weighted squares."""
    weight = residuals.pairs.weight[:, None]
    kind, count = residuals.kind, residuals.count[:, None]
    chance = expit(residuals.eta)[kind, None]
    shape = (len(residuals.eta), len(kind))
    sums_by_pair = csr_array((residuals.each, (kind, np.arange(len(kind)))), shape=shape)
    circling: list[Floats] = []
    chunk = max(1, _CHUNK // len(kind))
    for start in range(0, rounds, chunk):
        won = rng.binomial(count, chance, size=(len(kind), min(chunk, rounds - start)))
        flow = np.asarray(sums_by_pair @ (won - count * chance)) / weight
        circling.append((weight * (flow - gradients.project(flow)) ** 2).sum(axis=0))
    return residuals.dispersion * np.concatenate(circling)


def _to_matrix(pairs: Pairs, values: Floats) -> Floats:
    """Return values of pairs, (E,), as an antisymmetric matrix, (K, K), NaN elsewhere."""
    matrix = np.full((pairs.size, pairs.size), np.nan)
    matrix[pairs.low, pairs.high] = values
    matrix[pairs.high, pairs.low] = -values
    return matrix


def _find_circles(names: tuple[str, ...], residuals: _Residuals) -> tuple[Circle, ...]:
    """Return the triangles with the largest sums of residuals, in standard errors."""
    low, high = residuals.pairs.low, residuals.pairs.high
    circles: list[Circle] = []
    for ij, jk, ik in triangles(residuals.pairs):
        around = residuals.flow[ij] + residuals.flow[jk] - residuals.flow[ik]
        variance = sum(1 / residuals.pairs.weight[pair] for pair in (ij, jk, ik))
        errors = around / np.sqrt(residuals.dispersion * variance)
        for best in np.argsort(-np.abs(errors), kind="stable")[:_CIRCLES].tolist():
            corners = (low[ij[best]], high[ij[best]], high[jk[best]])
            a, b, c = (names[position] for position in corners)
            circles.append(
                Circle(
                    names=(a, b, c) if around[best] >= 0 else (a, c, b),
                    log_odds=abs(float(around[best])),
                    errors=abs(float(errors[best])),
                )
            )
    return tuple(sorted(circles, key=lambda circle: (-circle.errors, circle.names))[:_CIRCLES])

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from ratings import Comparisons, Model, confidence
from ratings.intervals.motions import MotionVariance, estimate_motion_variance
from ratings.model.fitting import ELO_PER_GAMMA, fit_point
from tests.ratings.oracles import rows

SIZE = 6


def played(
    seed: int, *, matchups: int, motions: int, spread: float, size: int = SIZE
) -> Comparisons:
    """Matchups of two legs on motions in turn; strengths have a standard deviation between them."""
    rng = np.random.default_rng(seed)
    motion = rng.permutation(matchups) % motions
    left = rng.integers(size, size=matchups)
    right = (left + rng.integers(1, size, size=matchups)) % size
    own = rng.normal(0, spread, (motions, size))
    chance = 1 / (1 + np.exp(own[motion, right] - own[motion, left]))
    won = rng.random((2, matchups)) < chance
    return Comparisons(
        names=tuple(f"p{number}" for number in range(size)),
        first=np.concatenate([left, right]),
        second=np.concatenate([right, left]),
        outcome=np.concatenate([won[0], ~won[1]]).astype(float),
        weight=np.ones(2 * matchups),
        cluster=np.tile(np.arange(matchups), 2),
    ).described(motion=[f"m{number:02}" for number in np.tile(motion, 2)], over_motions=True)


def variance(comparisons: Comparisons, model: Model | None = None) -> MotionVariance:
    model = model or Model()
    estimated = estimate_motion_variance(comparisons, model, fit_point(comparisons, model))
    assert estimated is not None
    return estimated


def add(matrices: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.asarray(np.sum(list(matrices), axis=0))


def estimate_slowly(comparisons: Comparisons, penalty: float) -> tuple[float, float]:
    """Return σ² and its degrees of freedom by the docstring's formula, matrix by matrix."""
    point, size = fit_point(comparisons, Model(penalty=penalty)), len(comparisons.names)
    gamma = point.parameters
    assert comparisons.motion is not None
    scores: dict[tuple[int, int], NDArray[np.float64]] = {}
    matrices: dict[tuple[int, int], NDArray[np.float64]] = {}
    for (i, j, outcome, weight), motion, cluster in zip(
        rows(comparisons), comparisons.motion.tolist(), comparisons.cluster.tolist(), strict=True
    ):
        chance = 1 / (1 + np.exp(gamma[j] - gamma[i]))
        turn, unit = np.eye(size)[i] - np.eye(size)[j], (motion, cluster)
        scores[unit] = scores.get(unit, 0) + weight * (outcome - chance) * turn
        information = weight * chance * (1 - chance) * np.outer(turn, turn)
        matrices[unit] = matrices.get(unit, 0) + information
    prior = (ELO_PER_GAMMA / penalty) ** 2 * (np.eye(size) - 1 / size)
    inverse = np.linalg.pinv(add(matrices.values()) + prior)
    by_motion = [
        [unit for unit in matrices if unit[0] == motion] for motion in {unit[0] for unit in scores}
    ]
    whole = [add(matrices[unit] for unit in units) for units in by_motion]
    excess = [
        matrix @ matrix - add(matrices[unit] @ matrices[unit] for unit in units)
        for matrix, units in zip(whole, by_motion, strict=True)
    ]
    shared, squares = add(excess), add(matrix @ matrix for matrix in whole)
    cubes = add(matrix @ part for matrix, part in zip(whole, excess, strict=True))
    fourth = sum(
        float(np.trace(matrix @ matrix @ part)) for matrix, part in zip(whole, excess, strict=True)
    )
    product = sum(
        scores[one] @ scores[other]
        for units in by_motion
        for one in units
        for other in units
        if one != other
    )
    ratio = sum(score @ score for score in scores.values()) / sum(
        np.trace(matrix - inverse @ matrix @ matrix) for matrix in matrices.values()
    )
    above = product + ratio * np.trace(inverse @ shared)
    sigma = above / np.trace(shared - 2 * inverse @ cubes + inverse @ squares @ inverse @ shared)
    spread = ratio**2 * np.trace(shared) + 2 * ratio * sigma * np.trace(cubes) + sigma**2 * fourth
    return float(sigma), max(float(above**2 / spread), len(whole) - 1)


@pytest.mark.parametrize("clusters", [60, 23])  # 23: clusters of several pairs, on two motions
def test_the_variance_is_that_of_the_formula(clusters: int) -> None:
    comparisons = played(3, matchups=60, motions=5, spread=0.8)
    comparisons = replace(comparisons, cluster=comparisons.cluster % clusters)
    estimated = variance(comparisons, Model(penalty=300))
    expected = estimate_slowly(comparisons, 300)
    assert (estimated.variance, estimated.freedom) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_the_variance_is_recovered_without_bias(spread: float) -> None:
    found = []
    for seed in range(30):
        comparisons = played(seed, matchups=1200, motions=12, spread=spread)
        found.append(variance(comparisons).variance)
    error = np.std(found) / len(found) ** 0.5
    # The marginal model's slope is attenuated by what motions add to log-odds (Zeger et al. 1988).
    slope = (1 + (16 * 3**0.5 / (15 * np.pi)) ** 2 * 2 * spread**2) ** -0.5
    assert np.mean(found) == pytest.approx((slope * spread) ** 2, abs=3 * error + 0.004)


def test_motions_that_do_not_matter_change_nothing() -> None:
    unchanged = 0
    for seed in range(20):
        comparisons = played(seed, matchups=90, motions=6, spread=0.0)
        alone = confidence(replace(comparisons, over_motions=False))
        general = confidence(comparisons)
        assert alone.motions is None and general.motions is not None
        if not general.motions.spread:
            unchanged += 1
            assert (general.lower == alone.lower).all() and (general.above == alone.above).all()
            assert general.motions.width == general.motions.width_of_these
    assert 8 <= unchanged <= 16


@pytest.mark.parametrize("anytime", [False, True])
def test_intervals_for_motions_in_general_are_wider_by_what_motions_add(anytime: bool) -> None:
    comparisons = played(1, matchups=300, motions=6, spread=0.8)
    alone = confidence(replace(comparisons, over_motions=False), anytime=anytime)
    general = confidence(comparisons, anytime=anytime)
    assert (general.ratings.rating == alone.ratings.rating).all()
    assert general.ratings.data_hash == alone.ratings.data_hash
    assert (general.upper > alone.upper).all()
    assert not (general.above & ~alone.above).any()
    assert alone.above.sum() > general.above.sum()
    assert general.motions is not None
    assert general.motions.spread == pytest.approx(0.8 * ELO_PER_GAMMA, rel=0.35)
    assert general.motions.width_of_these == pytest.approx((alone.upper - alone.lower).mean())


@pytest.mark.parametrize("motions", [1, 90])
def test_one_motion_and_one_matchup_for_each_say_nothing_of_motions(motions: int) -> None:
    comparisons = played(2, matchups=90, motions=motions, spread=0.8)
    assert variance(comparisons).variance == 0
    alone, general = confidence(replace(comparisons, over_motions=False)), confidence(comparisons)
    assert (general.lower == alone.lower).all() and (general.difference == alone.difference).all()


def test_clusters_that_are_motions_contain_the_variance_already() -> None:
    comparisons = played(2, matchups=90, motions=9, spread=0.8)
    assert comparisons.motion is not None
    assert variance(replace(comparisons, cluster=comparisons.motion)).variance == 0


def test_motions_without_common_participants_look_like_participants() -> None:
    comparisons = played(2, matchups=90, motions=3, spread=0.8, size=4)
    apart = replace(
        comparisons, motion=(comparisons.first + comparisons.second) % 2, motions=("m0", "m1")
    ).only((comparisons.first // 2) == (comparisons.second // 2))
    pairs = replace(apart, motion=apart.first // 2)
    assert variance(pairs).variance == 0


@pytest.mark.parametrize("model", [Model(), Model(side=True, ties="davidson")])
def test_labels_and_the_order_of_rows_and_sides_do_not_matter(model: Model) -> None:
    comparisons = played(5, matchups=120, motions=6, spread=0.6)
    expected = variance(comparisons, model)
    assert expected.variance > 0
    assert comparisons.motion is not None
    order = np.random.default_rng(0).permutation(len(comparisons))
    relabelled = comparisons.described(motion=[f"x{9 - m}" for m in comparisons.motion])
    others = [comparisons.only(order), relabelled]
    if not model.side:
        others.append(
            replace(
                comparisons,
                first=comparisons.second,
                second=comparisons.first,
                outcome=1 - comparisons.outcome,
            )
        )
    for other in others:
        found = variance(other, model)
        assert found.variance == pytest.approx(expected.variance, rel=1e-9)
        assert found.freedom == pytest.approx(expected.freedom, rel=1e-9)


def test_counted_rows_are_as_good_as_single_ones() -> None:
    comparisons = played(5, matchups=60, motions=4, spread=0.6)
    counted = comparisons.counted(np.tile(np.arange(60) % 3 + 1, 2))
    single = variance(counted.one_by_one())
    assert variance(counted).variance == pytest.approx(single.variance, rel=1e-9)
    assert single.variance > 0

import math

import numpy as np
import pytest

from ratings import (
    Comparisons,
    InvalidSetting,
    Model,
    calibration,
    cross_validate,
    fit,
    predicted,
)
from tests.ratings.oracles import simulated


def sided(advantage: float, matchups: int = 300, seed: int = 1) -> Comparisons:
    """Five equals, two legs a matchup, the first named ahead by some Elo points."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.permutation(5)[:2] for _ in range(matchups)])
    first, second = pairs.ravel(), pairs[:, ::-1].ravel()
    outcome = (rng.random(2 * matchups) < 1 / (1 + 10 ** (-advantage / 400))).astype(float)
    return Comparisons.of(
        first.astype(str), second.astype(str), outcome, cluster=np.repeat(range(matchups), 2)
    )


def test_every_comparison_is_predicted_without_its_cluster() -> None:
    comparisons = simulated(np.random.default_rng(3), size=4, matchups=12)
    model = Model(penalty=200.0)
    validation = cross_validate(comparisons, model, folds=12, seed=5)
    for row, label in enumerate(comparisons.cluster.tolist()):
        ratings = fit(comparisons.only(comparisons.cluster != label), model)
        chance = predicted(ratings.rating)[comparisons.first[row], comparisons.second[row]]
        assert validation.chance[row] == pytest.approx(chance, abs=1e-6)


def test_the_scores_by_hand() -> None:
    comparisons = simulated(np.random.default_rng(3), size=4, matchups=30)
    validation = cross_validate(comparisons, folds=3, seed=5)
    pairs = list(zip(validation.outcome.tolist(), validation.chance.tolist(), strict=True))
    losses = [-o * math.log(p) - (1 - o) * math.log(1 - p) for o, p in pairs]
    assert validation.log_loss == pytest.approx(sum(losses) / len(losses))
    assert validation.brier == pytest.approx(sum((o - p) ** 2 for o, p in pairs) / len(pairs))
    assert validation.gain_over(validation) == (0.0, 0.0)


def test_a_side_that_is_there_is_worth_its_term() -> None:
    given = sided(120.0)
    blind = cross_validate(given, seed=2)
    seeing = cross_validate(given, Model(side=True), seed=2)
    gain, error = seeing.gain_over(blind)
    assert gain > 2 * error > 0
    assert seeing.log_loss == pytest.approx(blind.log_loss - gain)


def test_a_side_that_is_not_there_is_not() -> None:
    given = sided(0.0)
    gain, error = cross_validate(given, Model(side=True), seed=2).gain_over(
        cross_validate(given, seed=2)
    )
    assert gain < 2 * error


@pytest.mark.parametrize(
    "model",
    [
        Model(ties="davidson", side=True),
        Model(side=True, motion_spread=100.0),
        Model(covariates=("length",)),
    ],
)
def test_models_with_terms_predict_with_them(model: Model) -> None:
    rng = np.random.default_rng(7)
    length = rng.normal(size=600)
    outcome = rng.choice([1.0, 0.5, 0.0], 600, p=[0.5, 0.2, 0.3])
    outcome[length > 1] = 1.0
    description = Comparisons.of(["a", "b"] * 300, ["b", "a"] * 300, outcome).described(
        motion=[f"m{number % 3}" for number in range(600)], covariates={"length": length}
    )
    validation = cross_validate(description, model, folds=5, seed=1)
    assert validation.gain_over(cross_validate(description, folds=5, seed=1))[0] > 0.001
    assert (0 < validation.chance).all()
    assert (validation.chance < 1).all()


def test_calibration_bins_hold_everything_once() -> None:
    comparisons = simulated(np.random.default_rng(9), size=6, matchups=600)
    bins = calibration(cross_validate(comparisons, seed=3))
    assert sum(one.comparisons for one in bins) == len(comparisons)
    for one in bins:
        assert one.lower <= one.expected <= one.upper
        slack = 4 * math.sqrt(0.25 / one.comparisons)
        assert one.observed == pytest.approx(one.expected, abs=slack)
    assert bins[0].lower >= 0.5


def test_what_cannot_be_split_is_refused() -> None:
    comparisons = simulated(np.random.default_rng(3), size=3, matchups=4)
    for folds in (1, 5):
        with pytest.raises(InvalidSetting, match=f"folds is {folds}.*number of clusters, 4"):
            cross_validate(comparisons, folds=folds, seed=1)
    other = simulated(np.random.default_rng(4), size=3, matchups=6)
    with pytest.raises(InvalidSetting, match="different comparisons"):
        cross_validate(comparisons, folds=2, seed=1).gain_over(
            cross_validate(other, folds=2, seed=1)
        )

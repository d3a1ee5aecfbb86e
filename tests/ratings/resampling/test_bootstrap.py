import numpy as np
import pytest
from numpy.typing import NDArray

from ratings import (
    Comparisons,
    Difference,
    InvalidSetting,
    Model,
    NotIdentified,
    bootstrap,
    confidence,
    fit,
)
from ratings.model.bradley_terry import to_elo
from ratings.model.fitting import fit_point
from ratings.model.problem import Problem, collapse
from ratings.resampling.poisson import PoissonCounts
from ratings.resampling.refit import Refit
from tests.ratings.oracles import Debate, board, repeated, simulated


def resample(problem: Problem, counts: NDArray[np.float32]) -> Comparisons:
    """Write the cells of one round's counts out as rows, a win of either side each."""
    totals, halves = (matrix @ counts.astype(float) for matrix in (problem.totals, problem.halves))
    won, lost = totals / 2 + halves, totals / 2 - halves
    low, high = problem.columns[:, 0], problem.columns[:, 1]
    weight = np.concatenate([won, lost])
    met = weight > 1e-9
    return Comparisons(
        names=problem.names,
        first=np.concatenate([low, high])[met],
        second=np.concatenate([high, low])[met],
        outcome=np.ones(met.sum()),
        weight=weight[met],
        cluster=np.arange(met.sum()),
    )


@pytest.mark.parametrize("penalty", [500.0, 80.0])
@pytest.mark.parametrize("matchups", [20, 3000])  # along conjugate directions, by chord-Newton
def test_replicates_are_fits_of_resampled_clusters(penalty: float, matchups: int) -> None:
    comparisons = simulated(np.random.default_rng(11), size=5, matchups=matchups)
    intervals = bootstrap(comparisons, Model(penalty=penalty), rounds=25, seed=4)
    given = collapse(comparisons, Model())
    rng = np.random.Generator(np.random.SFC64(4))
    batch = Refit(fit_point(comparisons, Model(penalty=penalty))).batch
    counts = PoissonCounts(given.multiplicity).draw(rng, batch)
    for replicate, drawn in zip(intervals.replicates, counts.T, strict=False):
        alone = fit(resample(given, drawn), Model(penalty=penalty)).gamma  # its reference differs
        assert to_elo(alone, origin=np.array(0.0)) == pytest.approx(replicate, abs=0.01)


def test_intervals_agree_with_those_of_another_generator() -> None:
    comparisons = simulated(np.random.default_rng(2), size=4, matchups=60)
    intervals = bootstrap(comparisons, rounds=2000, seed=1)
    rng = np.random.default_rng(99)
    ratings = []
    for _ in range(400):
        drawn = rng.poisson(1, size=60).tolist()
        ratings.append(fit(repeated(comparisons, dict(enumerate(drawn)))).rating)
    ends = np.quantile(ratings, [0.025, 0.975], axis=0)
    width = intervals.upper - intervals.lower
    assert np.abs(ends - [intervals.lower, intervals.upper]).max() < 0.12 * width.max()


def test_a_cluster_is_drawn_as_a_whole() -> None:
    opposite = [
        Debate(first=first, second=second, delta=2, matchup=f"m{number}")
        for number in range(10)
        for first, second in (("A", "B"), ("B", "A"))
    ]
    together = bootstrap(board(opposite), rounds=50, seed=1)
    assert together.replicates == pytest.approx(1000, abs=0.01)
    one_by_one = Comparisons.of(
        [one.first for one in opposite], [one.second for one in opposite], np.ones(20)
    )
    assert (bootstrap(one_by_one, rounds=50, seed=1).replicates.std(axis=0) > 10).all()


def test_the_ends_are_percentiles_of_the_replicates() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=20)
    intervals = bootstrap(comparisons, rounds=201, seed=3, level=0.9)
    ordered = np.sort(intervals.replicates, axis=0)
    assert intervals.replicates.shape == (201, 4)
    assert intervals.lower == pytest.approx(ordered[10])
    assert intervals.median == pytest.approx(ordered[100])
    assert intervals.upper == pytest.approx(ordered[190])
    assert intervals.rating.tolist() == fit(comparisons).rating.tolist()
    assert (intervals.names, intervals.seed, intervals.level) == (comparisons.names, 3, 0.9)
    assert intervals.replicates.mean(axis=1) == pytest.approx(np.full(201, 1000.0))


def test_the_seed_decides_the_replicates() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=20)
    first, again, other = (bootstrap(comparisons, rounds=30, seed=seed) for seed in (7, 7, 8))
    assert first.replicates.tolist() == again.replicates.tolist()
    assert first.replicates.tolist() != other.replicates.tolist()


def test_more_rounds_begin_with_the_same_ones() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=21)
    few, many = (bootstrap(comparisons, rounds=rounds, seed=7) for rounds in (30, 700))
    assert many.replicates[:30].tolist() == few.replicates.tolist()


def test_an_anchor_has_no_error_and_the_others_the_interval_of_their_difference() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=20)
    free = bootstrap(comparisons, rounds=50, seed=7)
    tied = bootstrap(comparisons, rounds=50, seed=7, anchor="p1")
    assert tied.rating[1] == 1000.0
    assert tied.lower[1] == tied.median[1] == tied.upper[1] == 1000.0
    for k, name in enumerate(free.names):
        lead = free.difference(name, "p1")
        assert (tied.lower[k], tied.upper[k]) == pytest.approx(
            (1000 + lead.lower, 1000 + lead.upper)
        )


def test_a_round_without_a_maximum_is_refused() -> None:
    rows = [
        Debate(first="A", second="B", delta=delta, matchup=f"m{number}")
        for number, delta in enumerate((1, 1, 1, -1))
    ]
    assert np.isfinite(bootstrap(board(rows), rounds=200, seed=1).replicates).all()
    with pytest.raises(NotIdentified, match="A; B"):
        bootstrap(board(rows), Model(penalty=None), rounds=200, seed=1)


def test_boards_without_noise() -> None:
    empty = bootstrap(Comparisons.of([], [], [], names=["a", "b"]), rounds=5, seed=0)
    assert empty.replicates.tolist() == [[1000, 1000]] * 5
    alone = bootstrap(Comparisons.of([], [], [], names=["a"]), rounds=1, seed=0)
    assert alone.replicates.tolist() == [[1000]]


@pytest.mark.parametrize(
    "setting", [{"rounds": 0}, {"seed": -1}, {"level": 0.0}, {"level": 1.0}, {"level": 95.0}]
)
def test_settings_out_of_range_are_refused(setting: dict[str, float]) -> None:
    comparisons = simulated(np.random.default_rng(5), size=3, matchups=5)
    name, value = next(iter(setting.items()))
    with pytest.raises(InvalidSetting, match=f"{name} is {value}"):
        bootstrap(comparisons, **({"seed": 1, "rounds": 5} | setting))  # type: ignore[arg-type]


def test_a_difference_is_that_of_each_replicate_and_agrees_with_the_sandwich() -> None:
    comparisons = simulated(np.random.default_rng(8), size=4, matchups=400)
    intervals = bootstrap(comparisons, rounds=2000, seed=3)
    first, second = intervals.names[0], intervals.names[2]
    more = intervals.difference(first, second)
    apart = sorted(one[0] - one[2] for one in intervals.replicates.tolist())
    assert more.elo == pytest.approx(intervals.rating[0] - intervals.rating[2])
    assert more.lower == pytest.approx(apart[50], abs=1) and more.lower >= apart[49]
    assert more.upper == pytest.approx(apart[1949], abs=1) and more.upper <= apart[1950]
    back = intervals.difference(second, first)
    assert (back.elo, back.lower, back.upper) == pytest.approx(
        (-more.elo, -more.upper, -more.lower)
    )
    robust = confidence(comparisons).difference[0, 2]
    assert (more.upper - more.lower) / 2 == pytest.approx(robust, rel=0.12)
    assert intervals.difference(first, first) == Difference(elo=0, lower=0, upper=0)
    with pytest.raises(InvalidSetting, match=r"no participant 'nobody'. Known: "):
        intervals.difference(first, "nobody")

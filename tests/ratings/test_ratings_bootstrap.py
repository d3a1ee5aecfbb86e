import numpy as np
import pytest

from ratings import (
    Comparisons,
    InvalidSetting,
    NotIdentified,
    bootstrap,
    fit,
    resampling,
)
from ratings.cells import cluster_wins
from tests.ratings.oracles import Debate, board, repeated, simulated, wins_of


def labels_in_order(comparisons: Comparisons) -> list[int]:
    """Match the rows of the collapsed clusters to labels, by content."""
    left = sorted(set(comparisons.cluster.tolist()))
    order = []
    for row in cluster_wins(comparisons).toarray():
        content = {int(cell): row[cell] for cell in np.flatnonzero(row)}
        label = next(one for one in left if wins_of(comparisons, one) == pytest.approx(content))
        left.remove(label)
        order.append(label)
    assert not left
    return order


@pytest.mark.parametrize("penalty", [500.0, 80.0])
def test_replicates_are_fits_of_repeated_rows(penalty: float) -> None:
    comparisons = simulated(np.random.default_rng(11), size=5, matchups=20)
    found = bootstrap(comparisons, rounds=25, seed=4, penalty=penalty)
    counts = resampling.draw_counts(np.random.default_rng(4), 20, 25).astype(int)
    labels = labels_in_order(comparisons)
    for replicate, drawn in zip(found.replicates, counts.T.tolist(), strict=True):
        resample = repeated(comparisons, dict(zip(labels, drawn, strict=True)))
        assert len(resample) == len(comparisons)
        assert fit(resample, penalty=penalty).rating == pytest.approx(replicate, abs=1e-6)


def test_intervals_agree_with_those_of_another_generator() -> None:
    comparisons = simulated(np.random.default_rng(2), size=4, matchups=60)
    found = bootstrap(comparisons, rounds=2000, seed=1)
    rng = np.random.default_rng(99)
    ratings = []
    for _ in range(400):
        drawn = np.bincount(rng.integers(60, size=60), minlength=60).tolist()
        ratings.append(fit(repeated(comparisons, dict(enumerate(drawn)))).rating)
    ends = np.quantile(ratings, [0.025, 0.975], axis=0)
    width = found.upper - found.lower
    assert np.abs(ends - [found.lower, found.upper]).max() < 0.12 * width.max()


def test_every_draw_has_as_many_clusters_as_there_are() -> None:
    counts = resampling.draw_counts(np.random.default_rng(0), 30, 4000)
    assert counts.shape == (30, 4000)
    assert (counts.sum(axis=0) == 30).all()
    assert counts.mean(axis=1) == pytest.approx(np.ones(30), abs=0.08)
    assert counts.var(axis=1) == pytest.approx(np.full(30, 1 - 1 / 30), abs=0.12)


def test_a_cluster_is_drawn_as_a_whole() -> None:
    opposite = [
        Debate(first=first, second=second, delta=2, matchup=f"m{number}")
        for number in range(10)
        for first, second in (("A", "B"), ("B", "A"))
    ]
    together = bootstrap(board(opposite), rounds=50, seed=1)
    assert together.replicates == pytest.approx(1000)
    one_by_one = Comparisons.of(
        [one.first for one in opposite], [one.second for one in opposite], np.ones(20)
    )
    assert (bootstrap(one_by_one, rounds=50, seed=1).replicates.std(axis=0) > 10).all()


def test_the_ends_are_percentiles_of_the_replicates() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=20)
    found = bootstrap(comparisons, rounds=201, seed=3, level=0.9)
    ordered = np.sort(found.replicates, axis=0)
    assert found.replicates.shape == (201, 4)
    assert found.lower == pytest.approx(ordered[10])
    assert found.median == pytest.approx(ordered[100])
    assert found.upper == pytest.approx(ordered[190])
    assert found.rating.tolist() == fit(comparisons).rating.tolist()
    assert (found.names, found.seed, found.level) == (comparisons.names, 3, 0.9)
    assert found.replicates.mean(axis=1) == pytest.approx(1000)


def test_ranks_are_counted_from_one_and_shared_by_equals() -> None:
    replicates = np.array([[1200.0, 900.0, 1000.0], [1000.0, 1000.0 + 1e-12, 1000.0]])
    assert resampling.ranks_of(replicates).tolist() == [[1, 3, 2], [1, 1, 1]]


@pytest.mark.parametrize(
    # positions (1 ± level)/2 · (rounds − 1), rounded outwards: 4.975 and 194.025; 1.2 and 4.8
    ("rounds", "level", "low", "high"),
    [(200, 0.95, 4, 195), (7, 0.6, 1, 5)],
)
def test_the_interval_of_ranks_holds_whole_ranks(
    rounds: int, level: float, low: int, high: int
) -> None:
    comparisons = simulated(np.random.default_rng(5), size=6, matchups=8)
    found = bootstrap(comparisons, rounds=rounds, seed=3, level=level)
    for index in range(6):
        ranks = sorted(
            1 + sum(other > own[index] for other in own) for own in found.replicates.tolist()
        )
        assert (found.rank_low[index], found.rank_high[index]) == (ranks[low], ranks[high])
    assert found.rank_low.dtype.kind == "i"


def test_the_seed_decides_the_replicates() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=20)
    first, again, other = (bootstrap(comparisons, rounds=30, seed=seed) for seed in (7, 7, 8))
    assert first.replicates.tolist() == again.replicates.tolist()
    assert first.replicates.tolist() != other.replicates.tolist()


def test_the_size_of_chunks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=21)
    whole = bootstrap(comparisons, rounds=31, seed=7)
    monkeypatch.setattr(resampling, "_CHUNK_FLOATS", 100)
    assert bootstrap(comparisons, rounds=31, seed=7).replicates == pytest.approx(
        whole.replicates, abs=1e-9
    )


def test_an_anchor_keeps_an_interval_and_its_noise() -> None:
    comparisons = simulated(np.random.default_rng(5), size=4, matchups=20)
    free = bootstrap(comparisons, rounds=50, seed=7)
    tied = bootstrap(comparisons, rounds=50, seed=7, anchor="p1")
    assert tied.rating[1] == 1000.0
    assert tied.lower[1] < 1000 < tied.upper[1]
    assert tied.upper - tied.lower == pytest.approx(free.upper - free.lower)
    assert tied.rank_low.tolist() == free.rank_low.tolist()


def test_a_round_without_a_maximum_is_refused() -> None:
    rows = [
        Debate(first="A", second="B", delta=delta, matchup=f"m{number}")
        for number, delta in enumerate((1, 1, 1, -1))
    ]
    assert np.isfinite(bootstrap(board(rows), rounds=200, seed=1).replicates).all()
    with pytest.raises(NotIdentified, match="A; B"):
        bootstrap(board(rows), rounds=200, seed=1, penalty=None)


def test_boards_without_noise() -> None:
    empty = bootstrap(Comparisons.of([], [], [], names=["a", "b"]), rounds=5, seed=0)
    assert empty.replicates.tolist() == [[1000, 1000]] * 5
    assert (empty.rank_low.tolist(), empty.rank_high.tolist()) == ([1, 1], [1, 1])
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

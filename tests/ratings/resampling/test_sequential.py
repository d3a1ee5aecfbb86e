"""Sequential Elo: the updates, their intervals, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from ratings import Comparisons, InvalidSetting, sequential_elo
from ratings.resampling.sequential import MOST_SEQUENTIAL
from tests.ratings.oracles import simulated


def slowly(comparisons: Comparisons, k: float) -> dict[str, float]:
    """Elo's updates one after the other."""
    rating = dict.fromkeys(comparisons.names, 1000.0)
    for first, second, outcome in zip(
        comparisons.first, comparisons.second, comparisons.outcome, strict=True
    ):
        pro, con = comparisons.names[first], comparisons.names[second]
        expected = 1 / (1 + 10 ** ((rating[con] - rating[pro]) / 400))
        rating[pro] += k * (outcome - expected)
        rating[con] -= k * (outcome - expected)
    return rating


@pytest.mark.parametrize("k", [8, 32])
def test_ratings_are_elo_s_updates_in_the_order_of_rows(k: float) -> None:
    comparisons = simulated(np.random.default_rng(3), size=5, matchups=60)
    rated = sequential_elo(comparisons, k=k, rounds=5, seed=1)
    assert dict(zip(rated.names, rated.rating, strict=True)) == pytest.approx(
        slowly(comparisons, k)
    )
    backwards = comparisons.only(np.arange(len(comparisons))[::-1])
    other = sequential_elo(backwards, k=k, rounds=5, seed=1)
    assert other.rating == pytest.approx(list(slowly(backwards, k).values()))
    assert np.abs(other.rating - rated.rating).max() > 1, "the order matters"


def test_replicates_play_whole_resampled_clusters() -> None:
    comparisons = Comparisons.of(
        ["a", "b", "a"], ["b", "a", "b"], [1, 0, 0], cluster=["u", "u", "v"]
    )
    rated = sequential_elo(comparisons, k=32, rounds=200, seed=2)
    won = comparisons.only([True, True, False])  # type: ignore[arg-type]
    lost = comparisons.only([False, False, True])  # type: ignore[arg-type]
    orders = (won, won), (won, lost), (lost, won), (lost, lost)
    possible = []
    for parts in orders:
        rows = [
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("first", "second", "outcome")
        ]
        played = Comparisons.of(
            [comparisons.names[place] for place in rows[0]],
            [comparisons.names[place] for place in rows[1]],
            rows[2],
            names=comparisons.names,
        )
        possible.append(round(slowly(played, 32)["a"], 6))
    assert {round(rating, 6) for rating in rated.replicates[:, 0].tolist()} == set(possible)


def test_an_anchor_is_1000_in_every_replicate() -> None:
    comparisons = simulated(np.random.default_rng(3), size=4, matchups=40)
    plain = sequential_elo(comparisons, rounds=50, seed=1)
    anchored = sequential_elo(comparisons, rounds=50, seed=1, anchor=comparisons.names[2])
    assert anchored.rating[2] == 1000
    assert anchored.rating == pytest.approx(plain.rating + 1000 - plain.rating[2])
    away = plain.replicates - plain.replicates[:, [2]]
    assert anchored.replicates == pytest.approx(1000 + away)
    assert anchored.upper == pytest.approx(1000 + np.quantile(away, 0.975, axis=0))
    assert anchored.lower[2] == anchored.upper[2] == 1000
    assert (anchored.above == plain.above).all()
    assert (anchored.difference == plain.difference).all()


def test_half_widths_of_differences_are_those_of_normal_replicates() -> None:
    comparisons = simulated(np.random.default_rng(3), size=3, matchups=40)
    rated = sequential_elo(comparisons, rounds=400, seed=1)
    gap = rated.replicates[:, 0] - rated.replicates[:, 2]
    assert rated.difference[0, 2] == pytest.approx(1.96 * gap.std(ddof=1), rel=1e-3)
    assert rated.difference == pytest.approx(rated.difference.T)
    assert rated.matchups.sum() == 80


def test_counted_rows_are_played_one_by_one() -> None:
    counted = Comparisons.of(["a", "b"], ["b", "c"], [1.0, 0.5]).counted([3, 2])
    rated = sequential_elo(counted, rounds=20, seed=4)
    alone = Comparisons.of(["a"] * 3 + ["b"] * 2, ["b"] * 3 + ["c"] * 2, [1.0] * 3 + [0.5] * 2)
    assert rated.rating == pytest.approx(list(slowly(alone, 32).values()))


def test_what_is_far_apart_is_settled_and_equals_are_not() -> None:
    rows = [("a", "b", 0.5), ("a", "c", 1.0), ("b", "c", 1.0)] * 40
    pro, con, outcome = (list(column) for column in zip(*rows, strict=True))
    rated = sequential_elo(Comparisons.of(pro, con, outcome), seed=1)
    above = {(rated.names[i], rated.names[j]) for i, j in np.argwhere(rated.above)}
    assert above == {("a", "c"), ("b", "c")}
    assert (rated.lower <= rated.median).all() and (rated.median <= rated.upper).all()


def test_without_comparisons_everybody_stays_at_1000() -> None:
    rated = sequential_elo(Comparisons.of([], [], [], names=["a", "b"]), rounds=10, seed=0)
    assert rated.rating.tolist() == rated.lower.tolist() == [1000, 1000]
    assert not rated.above.any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k is 0; accepted: Elo points above 0"),
        ({"k": 500}, "k is 500"),
        ({"rounds": 0}, "rounds is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"level": 1}, "level is 1"),
        ({"anchor": "z"}, "anchor is 'z'; accepted: one of a, b"),
    ],
)
def test_unusable_settings_are_refused(settings: dict[str, float], message: str) -> None:
    board = Comparisons.of(["a"], ["b"], [1.0])
    with pytest.raises(InvalidSetting, match=message):
        sequential_elo(board, **{"seed": 1, **settings})  # type: ignore[arg-type]


def test_too_many_comparisons_are_refused() -> None:
    board = Comparisons.of(["a"], ["b"], [1.0]).counted([MOST_SEQUENTIAL + 1])
    with pytest.raises(InvalidSetting, match="200,001 comparisons; accepted for sequential Elo"):
        sequential_elo(board, seed=1)

"""Ratings of growing parts beside those of the whole."""

from __future__ import annotations

import numpy as np
import pytest

from arena.papers import convergence as module
from arena.papers.agent4debate_tables import convergence_table
from arena.papers.convergence import PartialRatings, convergence
from ratings import Comparisons, Ratings, bootstrap, fit


def comparisons(*, matchups: int, size: int = 4, seed: int = 3) -> Comparisons:
    """Two legs a matchup, 100 Elo points from one participant to the next."""
    rng = np.random.default_rng(seed)
    first: list[str] = []
    second: list[str] = []
    outcome: list[float] = []
    for _ in range(matchups):
        i, j = (int(one) for one in rng.choice(size, 2, replace=False))
        for one, other in ((i, j), (j, i)):
            first.append(f"p{one}")
            second.append(f"p{other}")
            outcome.append(float(rng.random() < 1 / (1 + 10 ** ((one - other) * 100 / 400))))
    return Comparisons.of(first, second, outcome, cluster=np.arange(2 * matchups) // 2)


def found(given: Comparisons, seed: int = 1) -> list[PartialRatings]:
    intervals = bootstrap(given, rounds=200, seed=7)
    return convergence(
        given, lower=intervals.lower, upper=intervals.upper, rng=np.random.default_rng(seed)
    )


def test_parts_grow_to_the_whole() -> None:
    parts = found(comparisons(matchups=40))  # 80 debates of 4: 40 each
    assert [part.debates for part in parts] == [2, 4, 6, 8, 10, 15, 20, 25, 30, 40]
    last = parts[-1]
    assert (last.distance, last.farthest, last.ordered) == (0, 0, 1)


@pytest.mark.slow
def test_more_debates_bring_ratings_nearer() -> None:
    parts = found(comparisons(matchups=200))
    distances = [part.distance for part in parts]
    assert distances[0] > distances[4] > distances[-2] > 0
    assert parts[0].ordered < parts[-2].ordered


def test_the_orders_come_from_the_generator_alone() -> None:
    given = comparisons(matchups=20)
    assert found(given, seed=1) == found(given, seed=1) != found(given, seed=2)


def test_a_part_is_whole_matchups_first(monkeypatch: pytest.MonkeyPatch) -> None:
    given, seen = comparisons(matchups=10), []

    def noting(part: Comparisons) -> Ratings:
        seen.append(part)
        return fit(part)

    monkeypatch.setattr(module, "fit", noting)
    monkeypatch.setattr(module, "ORDERS", 1)
    found(given)
    parts = seen[1:]  # the first is the whole
    assert [len(part) for part in parts] == [4, 8, 12, 16, 20]
    for part in parts:
        assert np.bincount(part.cluster).max() == 2
        assert (np.unique(part.cluster, return_counts=True)[1] == 2).all()


def test_two_orders_by_hand() -> None:
    # Final 1100, 1000, 900 with intervals of ±60; in one order 1050, 1080, 870 and in the other
    # 1100, 1000, 900. Distances 50, 80, 30 and 0: mean 160/6, largest 80. Of six ratings one
    # (1080) is outside. Of the pairs, the first order has one of three wrong.
    whole = np.array([1100.0, 1000.0, 900.0])
    drawn = np.array([[1050.0, 1080.0, 870.0], whole])
    part = module._part(drawn, whole, (whole - 60, whole + 60), debates=4)
    assert part.distance == pytest.approx(160 / 6)
    assert (part.debates, part.farthest, part.within, part.ordered) == (4, 80, 5 / 6, 5 / 6)


def part(debates: float, within: float) -> PartialRatings:
    return PartialRatings(
        debates=debates, distance=12.4, farthest=50.6, within=within, ordered=0.875
    )


def test_a_table_says_from_when_on_ratings_are_stable() -> None:
    parts = [part(2, 0.96), part(10, 0.5), part(15, 0.95), part(30, 1.0)]
    table = convergence_table(parts, bench="jury")
    assert table.rows[1] == ("10", "12", "51", "50 %", "88 %")
    assert "From about 15 debates per participant on, 95 %" in table.notes[0]
    assert table.notes[0].endswith("; here 88 % of pairs are then in their final order.")


def test_what_never_settles_is_said() -> None:
    table = convergence_table([part(2, 0.2), part(10, 0.5)], bench="jury")
    assert "Before all debates, less than 95 %" in table.notes[0]
    assert table.notes[0].endswith("a stable ranking after about 15 debates.")

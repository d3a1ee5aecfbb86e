"""Counted rows give what the same comparisons give one by one."""

from collections import Counter
from dataclasses import fields
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import (
    PAPER,
    Comparisons,
    InvalidComparisons,
    Model,
    Overturning,
    bootstrap,
    calibration,
    confidence,
    connectivity,
    cross_validate,
    cyclicity,
    fit,
    influence,
    observed,
    overturn,
    score_difference,
    standing_notes,
    tally,
    win_rate,
)

NAMES = ("a", "b", "c", "d")

Row = tuple[int, int, float, float]
Content = tuple[Row, ...]

pairs = st.permutations(range(len(NAMES))).map(lambda order: tuple(order[:2]))
rows = st.tuples(pairs, st.sampled_from([1.0, 0.5, 0.0]), st.sampled_from([0.5, 1.0])).map(
    lambda one: (*one[0], *one[1:])
)
clusters = st.lists(rows, min_size=1, max_size=3).map(lambda one: tuple(sorted(one)))
boards = st.lists(st.tuples(clusters, st.integers(1, 5)), min_size=1, max_size=12)


def counted(board: list[tuple[Content, int]]) -> Comparisons:
    """One cluster with `times` for each content."""
    told = [(*row, label, times) for label, (content, times) in enumerate(board) for row in content]
    return _comparisons(told)


def single(board: list[tuple[Content, int]]) -> Comparisons:
    """Every cluster for itself."""
    each = [content for content, times in board for _ in range(times)]
    return _comparisons([(*row, label, 1) for label, content in enumerate(each) for row in content])


def _comparisons(told: list[Any]) -> Comparisons:
    first, second, outcome, weight, cluster, times = zip(*told, strict=True)
    return Comparisons(
        names=NAMES,
        first=np.array(first),
        second=np.array(second),
        outcome=np.array(outcome),
        weight=np.array(weight),
        cluster=np.array(cluster),
        times=np.array(times),
    )


def simulated(rows: int, *, times: int, legs: int = 1) -> list[tuple[Content, int]]:
    rng = np.random.default_rng(rows + legs)
    board = []
    for _ in range(rows):
        content = []
        for _ in range(legs):
            one, other = rng.choice(len(NAMES), 2, replace=False).tolist()
            outcome = float(rng.choice([1.0, 0.5, 0.0], p=[0.5, 0.2, 0.3]))
            content.append((one, other, outcome, 1.0))
        board.append((tuple(sorted(content)), int(rng.integers(1, times + 1))))
    return board


def same(one: Any, other: Any) -> None:  # noqa: ANN401 - records of arrays
    for name in (field.name for field in fields(one)):
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, np.ndarray):
            assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-9, nan_ok=True), name


@given(boards)
def test_the_content_is_the_same(board: list[tuple[Content, int]]) -> None:
    short, long = counted(board), single(board)
    assert len(short) == len(long) == len(long.outcome)
    assert short.data_hash == long.data_hash
    assert win_rate(short) == pytest.approx(win_rate(long), nan_ok=True)
    same(observed(short), observed(long))
    gaps = [score_difference(one, one.weight * (2 * one.outcome - 1)) for one in (short, long)]
    assert gaps[0] == pytest.approx(gaps[1], nan_ok=True)
    assert (tally(short) == tally(long)).all() and tally(short).sum() == 2 * len(short)
    assert connectivity(short) == connectivity(long)
    assert standing_notes(short) == standing_notes(long)


@given(boards)
def test_one_by_one_gives_every_cluster_a_label(board: list[tuple[Content, int]]) -> None:
    contents = {}
    for name, found in (("short", counted(board).one_by_one()), ("long", single(board))):
        assert (found.times == 1).all()
        columns = (found.cluster, found.first, found.second, found.outcome, found.weight)
        listed = sorted(zip(*(column.tolist() for column in columns), strict=True))
        result = groupby(listed, key=lambda row: row[0])
        contents[name] = Counter(tuple(row[1:] for row in own) for _, own in result)
    assert contents["short"] == contents["long"]


@settings(max_examples=15, deadline=None)
@given(boards)
def test_ratings_and_intervals_are_the_same(board: list[tuple[Content, int]]) -> None:
    for model in (PAPER, Model(side=True, ties="davidson")):
        one, other = confidence(counted(board), model), confidence(single(board), model)
        same(one, other)
        same(one.ratings, other.ratings)
        assert one.ratings.n_comparisons == other.ratings.n_comparisons
        assert one.ratings.data_hash == other.ratings.data_hash


@pytest.mark.parametrize("legs", [1, 2])
def test_a_bootstrap_draws_the_same(legs: int) -> None:
    board = simulated(40, times=9, legs=legs)
    same(*(bootstrap(one, rounds=40, seed=3) for one in (counted(board), single(board))))


@pytest.mark.parametrize("legs", [1, 2])
def test_circles_are_the_same(legs: int) -> None:
    board = simulated(60, times=9, legs=legs)
    one, other = (cyclicity(of, rounds=50, seed=3) for of in (counted(board), single(board)))
    same(one, other)
    assert one.dispersion == pytest.approx(other.dispersion, rel=1e-9)
    assert (one.share, one.p_value) == pytest.approx((other.share, other.p_value), rel=1e-9)


def test_covariates_and_motions_are_counted_too() -> None:
    board = simulated(30, times=4)
    short, long = counted(board), single(board)
    model = Model(side=True, motion_spread=40.0, covariates=("length",))
    found = []
    for one in (short, long):
        length = one.first - one.second + 0.25 * one.outcome
        motion = [f"m{number}" for number in (one.first + one.second) % 2]
        found.append(fit(one.described(motion=motion, covariates={"length": length}), model))
    same(*found)
    assert found[0].data_hash == found[1].data_hash
    assert [one.elo for one in found[0].effects] == pytest.approx(
        [one.elo for one in found[1].effects], abs=1e-9
    )


@pytest.mark.parametrize("legs", [1, 2])
@pytest.mark.parametrize("model", [PAPER, Model(side=True, ties="davidson")])
def test_comparisons_are_predicted_as_one_by_one(legs: int, model: Model) -> None:
    short = counted(simulated(60, times=9, legs=legs))
    found, plain = (
        [cross_validate(one, of, seed=1) for one in (short, short.one_by_one())]
        for of in (model, Model(side=True))
    )
    assert len(found[0].outcome) < len(found[1].outcome) == len(short) == found[0].times.sum()
    assert [found[0].log_loss, found[0].brier] == pytest.approx([found[1].log_loss, found[1].brier])
    gains = [one.gain_over(other) for one, other in zip(found, plain, strict=True)]
    assert gains[0] == pytest.approx(gains[1])
    for one, other in zip(*map(calibration, found), strict=True):
        assert (one.lower, one.comparisons) == (other.lower, other.comparisons)
        assert (one.expected, one.observed) == pytest.approx((other.expected, other.observed))


def test_what_decides_an_order_is_the_same() -> None:
    board = simulated(30, times=4)
    short, long = counted(board), single(board)
    found = [influence(one, [f"m{number}" for number in one.first % 2]) for one in (short, long)]
    for one, other in zip(*(whole.groups for whole in found), strict=True):
        assert (one.group, one.comparisons) == (other.group, other.comparisons)
        assert one.change == pytest.approx(other.change, abs=1e-9)
    one, other = overturn(short), overturn(long)
    assert one is not None and other is not None
    assert len(one) == len(other) == len(other.rows) > 0
    assert one.comparisons == other.comparisons == len(short)
    assert (short.times[list(one.rows)] >= one.times).all() and set(other.times) == {1}
    assert _taken(short, one) == _taken(long, other)


def _taken(comparisons: Comparisons, overturning: Overturning) -> Counter[tuple[Any, ...]]:
    rows = np.repeat(overturning.rows, overturning.times)
    columns = (comparisons.first, comparisons.second, comparisons.outcome, comparisons.weight)
    return Counter(zip(*(column[rows].tolist() for column in columns), strict=True))


def test_names_may_be_counted() -> None:
    result = Comparisons.of(["b", "a"], ["a", "b"], [1.0, 0.5]).counted([3, 2])
    assert (len(result), result.times.tolist()) == (5, [3, 2])
    assert len(Comparisons.of(["b"], ["a"], [1.0])) == 1


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([1, 0, 1], ["row 1", "times is 0", "1 or more"]),
        ([1, 1, -2], ["row 2", "times is -2"]),
        ([1.5, 1.0, 1.0], ["times", "whole numbers"]),
        ([1, 2], ["unequal lengths", "times 2"]),
        ([1, 2, 2], ["times is", "all rows of a cluster"]),
    ],
)
def test_times_that_cannot_be_are_refused(times: list[float], words: list[str]) -> None:
    comparisons = Comparisons.of(["a", "a", "b"], ["b", "b", "a"], [1, 1, 1], cluster="xxy")
    with pytest.raises(InvalidComparisons) as caught:
        comparisons.counted(times)
    assert all(word in str(caught.value) for word in words), str(caught.value)

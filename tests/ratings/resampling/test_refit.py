"""Refits in single precision, against Newton's method in double precision."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import Comparisons, Model
from ratings.model.fitting import ELO_PER_GAMMA, fit_point
from ratings.model.newton import solve
from ratings.patterns import Index
from ratings.resampling.poisson import PoissonCounts
from ratings.resampling.refit import Refit

ROUNDS = 16


def compare(
    first: Index, second: Index, *, seed: int = 1, chance: float = 0.6, clusters: int = 0
) -> Comparisons:
    """Name the participants by numbers; the first named wins with a chance, and nothing is tied."""
    rng, names = np.random.default_rng(seed), np.unique([first, second])
    number = len(first)
    return Comparisons(
        names=tuple(f"p{name:04}" for name in names),
        first=np.searchsorted(names, first),
        second=np.searchsorted(names, second),
        outcome=(rng.random(number) < chance).astype(float),
        weight=np.ones(number),
        cluster=rng.integers(0, clusters, number) if clusters else np.arange(number),
    )


def sparse(size: int, games: int, *, seed: int = 1, chance: float = 0.6) -> Comparisons:
    """Pair at random, so that everybody has about as many games."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, size, size * games // 2)
    second = (first + rng.integers(1, size, len(first))) % size
    low, high = np.minimum(first, second), np.maximum(first, second)
    return compare(low, high, seed=seed, chance=chance)


def chain(size: int, games: int, newcomers: int) -> Comparisons:
    """Let neighbours in a ring meet often, and newcomers meet somebody twice."""
    often, new = np.repeat(np.arange(size), games), np.repeat(np.arange(newcomers), 2)
    return compare(np.r_[often, size + new], np.r_[(often + 1) % size, new])


def error(comparisons: Comparisons, model: Model, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return the largest error of some rounds, Elo points, in proportion to the prior's width."""
    point = fit_point(comparisons, model)
    problem = point.objective.problem
    rng = np.random.Generator(np.random.SFC64(1))
    counts = PoissonCounts(problem.multiplicity).draw(rng, ROUNDS)
    exact = counts.astype(float)
    slow = solve(
        point.objective, np.asarray(problem.totals @ exact), np.asarray(problem.statistic @ exact)
    )
    monkeypatch.setattr(Refit, "_newton", None)  # the fast path has to do
    quick = Refit(point).maximise(counts)
    return float(
        ELO_PER_GAMMA * np.abs(quick - slow.parameters).max() * min(1, 600 / point.penalty)
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: sparse(60, 5),
        lambda: sparse(60, 5, chance=1.0),  # by strength alone: the first have lost nothing
        lambda: sparse(40, 20, chance=1.0),  # the prior widens
        lambda: compare(np.repeat(np.arange(0, 80, 2), 2), np.repeat(np.arange(1, 80, 2), 2)),
        lambda: chain(60, 100, newcomers=8),
        lambda: compare(*np.triu_indices(30, 1), chance=1.0),
        lambda: compare(*np.triu_indices(30, 1), clusters=5),
    ],
    ids=["sparse", "ordered", "wide", "pairs", "chain", "one-sided", "clusters"],
)
def test_sparse_and_separated_boards_need_no_newton_steps(
    make: Callable[[], Comparisons], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert error(make(), Model(), monkeypatch) < 0.02


@settings(max_examples=25)
@given(
    size=st.integers(2, 30),
    games=st.integers(1, 12),
    seed=st.integers(0, 10_000),
    chance=st.sampled_from([0.5, 0.8, 1.0]),
    side=st.booleans(),
    davidson=st.booleans(),
)
def test_any_board_is_maximised(
    *, size: int, games: int, seed: int, chance: float, side: bool, davidson: bool
) -> None:
    model = Model(side=side, ties="davidson" if davidson else "half", penalty=300.0)
    with pytest.MonkeyPatch.context() as patch:
        assert error(sparse(size, games, seed=seed, chance=chance), model, patch) < 0.01


def test_a_round_does_not_depend_on_the_others() -> None:
    point = fit_point(sparse(60, 5), Model())
    rng = np.random.Generator(np.random.SFC64(1))
    counts = PoissonCounts(point.objective.problem.multiplicity).draw(rng, ROUNDS)
    refit = Refit(point)
    assert refit.maximise(counts)[:, :3].tolist() == refit.maximise(counts[:, :3]).tolist()


def test_extreme_weights_are_left_to_newton() -> None:
    board = sparse(20, 6)
    heavy = Comparisons(
        names=board.names,
        first=board.first,
        second=board.second,
        outcome=board.outcome,
        weight=10.0 ** np.random.default_rng(3).uniform(-3, 4, len(board.outcome)),
        cluster=board.cluster,
    )
    with pytest.raises(TypeError), pytest.MonkeyPatch.context() as patch:
        error(heavy, Model(), patch)
    point = fit_point(heavy, Model())
    counts = PoissonCounts(point.objective.problem.multiplicity).draw(
        np.random.Generator(np.random.SFC64(1)), 4
    )
    assert np.isfinite(Refit(point).maximise(counts)).all()

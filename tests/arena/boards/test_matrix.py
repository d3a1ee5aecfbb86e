"""Matrices of a selection: order, what is left blank, and a few of many."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.boards.matrix import Kind, Matrix, matrix
from arena.errors import ConfigError
from ratings import Comparisons, InvalidComparisons

# ann beat bob and tied with him, bob beat cyd; dan beat eve; fay has not met anyone.
BOARD = Comparisons.of(
    ["ann", "bob", "bob", "dan"], ["bob", "ann", "cyd", "eve"], [1, 0.5, 1, 1],
    names=["ann", "bob", "cyd", "dan", "eve", "fay"],
)  # fmt: skip
RATING = {"bob": 1300.0, "dan": 1100.0, "fay": 1000.0, "ann": 900.0, "cyd": 900.0, "eve": 700.0}


def cells(found: Matrix) -> dict[tuple[str, str], float]:
    """What is known, by pair."""
    return {
        (row, column): found.value[i, j]
        for i, row in enumerate(found.names)
        for j, column in enumerate(found.names)
        if not math.isnan(found.value[i, j])
    }


def test_the_order_is_that_of_the_board() -> None:
    assert matrix(BOARD, RATING, kind="observed").names == (
        *("bob", "dan", "fay", "ann", "cyd", "eve"),
    )
    provisional = {name: RATING[name] for name in (*"dan fay ann cyd eve bob".split(),)}
    assert matrix(BOARD, provisional, kind="observed").names[-1] == "bob"


def test_observed_rates_of_pairs_that_met() -> None:
    assert cells(matrix(BOARD, RATING, kind="observed")) == {
        ("ann", "bob"): 0.75, ("bob", "ann"): 0.25, ("bob", "cyd"): 1.0, ("cyd", "bob"): 0.0,
        ("dan", "eve"): 1.0, ("eve", "dan"): 0.0,
    }  # fmt: skip


def test_counts_of_pairs_that_met() -> None:
    assert cells(matrix(BOARD, RATING, kind="counts")) == {
        ("ann", "bob"): 2, ("bob", "ann"): 2, ("bob", "cyd"): 1, ("cyd", "bob"): 1,
        ("dan", "eve"): 1, ("eve", "dan"): 1,
    }  # fmt: skip


def test_a_prediction_needs_a_chain_of_debates() -> None:
    result = cells(matrix(BOARD, RATING, kind="predicted"))
    assert result[("bob", "ann")] == pytest.approx(10 / 11)  # 400 points
    assert result[("ann", "cyd")] == 0.5  # rated the same, linked by bob
    trio = [(a, b) for a in ("ann", "bob", "cyd") for b in ("ann", "bob", "cyd") if a != b]
    assert set(result) == {*trio, ("dan", "eve"), ("eve", "dan")}


@pytest.mark.parametrize("kind", ["observed", "predicted", "counts"])
def test_some_may_be_chosen(kind: Kind) -> None:
    whole, some = (matrix(BOARD, RATING, kind=kind, only=only) for only in ((), ("cyd", "bob")))
    assert some.names == ("bob", "cyd")
    assert cells(some) == {
        pair: value for pair, value in cells(whole).items() if set(pair) == {"bob", "cyd"}
    }


def test_a_chain_may_lead_over_those_who_are_not_shown() -> None:
    result = matrix(BOARD, RATING, kind="predicted", only=("ann", "cyd"))
    assert cells(result) == {("ann", "cyd"): 0.5, ("cyd", "ann"): 0.5}


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown participant 'zoe'. Known: ann, bob, cyd"):
        matrix(BOARD, RATING, kind="observed", only=("ann", "zoe"))


def test_one_participant_is_no_matrix() -> None:
    with pytest.raises(InvalidComparisons, match="of ann alone; accepted: two"):
        matrix(BOARD, RATING, kind="predicted", only=("ann",))


def test_a_frame_has_a_row_for_each_cell() -> None:
    frame = matrix(BOARD, RATING, kind="observed", only=("ann", "bob")).frame()
    assert frame.columns.tolist() == ["participant", "opponent", "value", "debates"]
    assert frame.fillna(-1).to_numpy().tolist() == [
        ["bob", "bob", -1, 0], ["bob", "ann", 0.25, 2],
        ["ann", "bob", 0.75, 2], ["ann", "ann", -1, 0],
    ]  # fmt: skip


def test_the_diagonal_is_always_blank() -> None:
    for kind in ("observed", "predicted", "counts"):
        assert np.isnan(np.diag(matrix(BOARD, RATING, kind=kind).value)).all()


def test_given_values_are_arranged_and_unlinked_ones_left_blank() -> None:
    value = np.arange(36.0).reshape(6, 6)
    result = matrix(BOARD, RATING, kind="superiority", only=("bob", "ann", "fay"), value=value)
    assert result.names == ("bob", "fay", "ann")
    assert cells(result) == {("bob", "ann"): 6.0, ("ann", "bob"): 1.0}


def test_differences_of_ratings_need_a_chain_of_debates() -> None:
    result = matrix(BOARD, RATING, kind="elo", margin=np.arange(36.0).reshape(6, 6))
    known = {pair: value for pair, value in cells(result).items() if pair[0] < pair[1]}
    assert known == {
        ("ann", "bob"): -400, ("ann", "cyd"): 0, ("bob", "cyd"): 400, ("dan", "eve"): 400,
    }  # fmt: skip
    assert result.margin is not None
    places = [BOARD.names.index(name) for name in result.names]
    assert result.margin[0, 1] == 6 * places[0] + places[1]
    few = matrix(BOARD, RATING, kind="elo", only=("bob", "ann"), margin=np.ones((6, 6)))
    assert few.margin is not None
    assert (few.names, few.margin.shape) == (("bob", "ann"), (2, 2))

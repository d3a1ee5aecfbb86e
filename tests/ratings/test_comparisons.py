from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings import Comparisons, InvalidComparisons
from tests.ratings.oracles import Debate, board, debates, swapped


def columns(**changed: Any) -> dict[str, Any]:  # noqa: ANN401
    given = {
        "names": ("a", "b", "c"),
        "first": np.array([0, 1, 2]),
        "second": np.array([1, 2, 0]),
        "outcome": np.array([1.0, 0.5, 0.0]),
        "weight": np.array([1.0, 0.5, 0.9]),
        "cluster": np.array([0, 0, 1]),
    }
    return given | changed


def test_names_are_sorted_and_indexed() -> None:
    comparisons = Comparisons.of(["z", "b"], ["b", "a"], [1, 0.5], names=["z", "idle", "a", "b"])
    assert comparisons.names == ("a", "b", "idle", "z")
    assert comparisons.first.tolist() == [3, 1]
    assert comparisons.second.tolist() == [1, 0]
    assert comparisons.outcome.dtype == np.float64
    assert comparisons.weight.tolist() == [1, 1]
    assert comparisons.cluster.tolist() == [0, 1]
    assert len(comparisons) == 2


def test_clusters_may_have_labels_of_any_kind() -> None:
    comparisons = Comparisons.of("abc", "bca", [1, 1, 1], cluster=["m9", "m1", "m9"])
    assert comparisons.cluster.tolist() == [0, 1, 0]


def test_a_board_may_be_empty_but_not_without_participants() -> None:
    empty = Comparisons.of([], [], [], names=["a"])
    assert len(empty) == 0
    assert len(empty.data_hash) == 16
    with pytest.raises(InvalidComparisons, match="at least one"):
        Comparisons.of([], [], [])


def test_the_record_cannot_be_changed() -> None:
    mine = np.array([1.0, 0.5, 0.0])
    comparisons = Comparisons(**columns(outcome=mine))
    mine[0] = 0.0
    assert comparisons.outcome[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        comparisons.outcome[0] = 0.0
    with pytest.raises(FrozenInstanceError):
        comparisons.names = ("x",)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"outcome": [1.0, 0.7, 0.0]}, ["row 1", "0.7", "1.0", "0.5", "0.0"]),
        ({"outcome": [1.0, 0.5, np.nan]}, ["row 2", "nan", "0.5"]),
        ({"outcome": ["win", "tie", "loss"]}, ["outcome", "numbers"]),
        ({"weight": [1.0, 0.0, 1.0]}, ["row 1", "weight is 0.0", "positive"]),
        ({"weight": [1.0, 1.0, -2.0]}, ["row 2", "-2.0", "positive"]),
        ({"weight": [np.nan, 1.0, 1.0]}, ["row 0", "nan", "positive"]),
        ({"weight": [1.0, np.inf, 1.0]}, ["row 1", "inf", "finite"]),
        ({"weight": [1.0]}, ["unequal lengths", "weight 1", "first 3"]),
        ({"second": [1, 1, 0]}, ["row 1", "'b'", "itself"]),
        ({"second": [1, 2, 3]}, ["row 2", "3", "0 to 2"]),
        ({"first": [0, -1, 2]}, ["row 1", "-1", "0 to 2"]),
        ({"first": [0.0, 1.0, 2.0]}, ["first", "whole numbers"]),
        ({"cluster": [[0, 0, 1]]}, ["cluster", "2 dimensions"]),
        ({"names": ("a", "c", "b")}, ["'b'", "sorted"]),
        ({"names": ("a", "b", "b")}, ["'b'", "twice"]),
    ],
)
def test_what_is_malformed_is_refused_by_name(changed: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InvalidComparisons) as caught:
        Comparisons(**columns(**changed))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_stranger_to_the_names_is_refused() -> None:
    with pytest.raises(InvalidComparisons, match="row 1: 'x' is not a participant"):
        Comparisons.of(["a", "x"], ["b", "b"], [1, 1], names=["a", "b"])


@given(debates(), st.randoms(use_true_random=False))
def test_the_hash_is_blind_to_row_order_and_cluster_labels(found: list[Debate], any_: Any) -> None:  # noqa: ANN401
    shuffled = any_.sample(found, len(found))
    relabelled = [
        Debate(first=one.first, second=one.second, delta=one.delta, matchup=one.matchup[::-1])
        for one in shuffled
    ]
    assert board(relabelled).data_hash == board(found).data_hash


def test_the_hash_sees_everything_else() -> None:
    original = [
        Debate(first="a", second="b", delta=1, matchup="m"),
        Debate(first="b", second="a", delta=1, matchup="n"),
    ]
    one, two = original
    variants = [
        board(original),
        board(original, ["a", "b", "idle"]),
        board([one]),
        board([one, one, two]),
        board([one, swapped(two)]),
        board([one, Debate(first="b", second="a", delta=2, matchup="n")]),
        board([one, Debate(first="b", second="a", delta=-1, matchup="n")]),
        board([one, Debate(first="b", second="a", delta=1, matchup="m")]),
        board([one, Debate(first="c", second="a", delta=1, matchup="n")]),
    ]
    assert len({variant.data_hash for variant in variants}) == len(variants)
    # stored boards are recognised by their hashes: a change here makes them all look stale
    assert board(original).data_hash == "8e431cd282472295"

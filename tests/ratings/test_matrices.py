"""Win rates of pairs: by hand, against a slow twin, and from ratings."""

import math

import numpy as np
import pytest
from hypothesis import given

from ratings import (
    Comparisons,
    InvalidComparisons,
    InvalidSetting,
    fit,
    observed,
    predicted,
    score_difference,
    win_rate,
)
from tests.ratings.oracles import Debate, board, debates, swapped


def test_four_debates_by_hand() -> None:
    # a and b met three times: a won, lost and tied, 1.5 of 3. b won its one debate with c as the
    # second named. a and c have not met.
    result = observed(Comparisons.of("aabc", "bbab", [1.0, 0.0, 0.5, 0.0]))
    assert result.names == ("a", "b", "c")
    assert result.count.tolist() == [[0, 3, 0], [3, 0, 1], [0, 1, 0]]
    assert result.rate[0, 1] == result.rate[1, 0] == 0.5
    assert (result.rate[1, 2], result.rate[2, 1]) == (1.0, 0.0)
    assert np.isnan(result.rate[[0, 2, 0, 1, 2], [2, 0, 0, 1, 2]]).all()


def test_weights_play_no_part() -> None:
    result = observed(Comparisons.of("aa", "bb", [1.0, 0.0], weight=[0.9, 0.5]))
    assert result.rate[0, 1] == 0.5


@given(debates())
def test_counting_pair_by_pair_gives_the_same(found: list[Debate]) -> None:
    pairs = observed(board(found))
    for i, row in enumerate(pairs.names):
        for j, column in enumerate(pairs.names):
            met = [one if one.first == row else swapped(one) for one in found
                   if {one.first, one.second} == {row, column}]  # fmt: skip
            won = [1.0 if one.delta > 0 else 0.5 if one.delta == 0 else 0.0 for one in met]
            assert pairs.count[i, j] == len(met)
            if met:
                assert pairs.rate[i, j] == pytest.approx(sum(won) / len(met))
            else:
                assert math.isnan(pairs.rate[i, j])


@given(debates())
def test_sides_do_not_matter_and_pairs_sum_to_one(found: list[Debate]) -> None:
    pairs, turned = observed(board(found)), observed(board([swapped(one) for one in found]))
    assert np.array_equal(pairs.rate, turned.rate, equal_nan=True)
    assert np.array_equal(pairs.count, turned.count)
    met = pairs.count > 0
    assert (pairs.rate + pairs.rate.T)[met] == pytest.approx(1)


@given(debates())
def test_a_row_averages_to_the_win_rate(found: list[Debate]) -> None:
    pairs = observed(board(found))
    won = np.nansum(pairs.rate * pairs.count, axis=1)
    assert won / pairs.count.sum(axis=1) == pytest.approx(win_rate(board(found)))


def test_one_participant_is_refused() -> None:
    with pytest.raises(InvalidComparisons, match="matrix of a alone; accepted: two participants"):
        observed(Comparisons.of([], [], [], names="a"))


def test_who_has_not_met_is_unknown_not_even() -> None:
    result = observed(Comparisons.of([], [], [], names="ab"))
    assert np.isnan(result.rate).all()


def test_four_hundred_points_are_ten_to_one() -> None:
    chance = predicted([1400.0, 1000.0, 1000.0])
    assert chance[0, 1] == pytest.approx(10 / 11)
    assert chance[1, 2] == 0.5


@given(debates())
def test_a_fit_predicts_by_its_log_strengths(found: list[Debate]) -> None:
    ratings = fit(board(found))
    strength = np.exp(ratings.gamma)
    plain = strength[:, None] / (strength[:, None] + strength[None, :])
    assert predicted(ratings.rating) == pytest.approx(plain)


@pytest.mark.parametrize("given_", [[1000.0, math.nan], [[1000.0]], [1000.0, math.inf]])
def test_what_is_no_row_of_ratings_is_refused(given_: list[float]) -> None:
    with pytest.raises(InvalidSetting, match="one row of finite Elo points"):
        predicted(given_)


def test_score_differences_are_means_seen_from_the_row() -> None:
    comparisons = Comparisons.of(["a", "b", "c"], ["b", "a", "a"], [1.0, 1.0, 0.5], names="abcd")
    result = score_difference(comparisons, [3.0, 1.0, 0.0])
    assert result[0, 1] == 1.0
    assert np.array_equal(result, -result.T, equal_nan=True)
    assert (result[0, 2], result[2, 0]) == (0.0, 0.0)
    assert np.isnan(result[3]).all()
    assert np.isnan(result.diagonal()).all()


@pytest.mark.parametrize("points", [[1.0], [1.0, 2.0, np.nan], [[1.0, 2.0, 3.0]]])
def test_score_differences_are_one_number_each(points: list[float]) -> None:
    comparisons = Comparisons.of(["a", "b", "c"], ["b", "a", "a"], [1.0, 1.0, 0.5])
    with pytest.raises(InvalidComparisons, match="accepted: a finite number for each"):
        score_difference(comparisons, points)

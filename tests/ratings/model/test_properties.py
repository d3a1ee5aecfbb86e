"""What must not matter does not: order of rows, sides, names."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import Model, bootstrap, connectivity, fit, predicted, win_rate
from tests.ratings.oracles import Debate, board, debates, swapped

dice = st.randoms(use_true_random=False)


@given(debates(), dice)
def test_shuffling_rows_changes_nothing(found: list[Debate], any_: random.Random) -> None:
    shuffled = any_.sample(found, len(found))
    assert fit(board(shuffled)).rating.tolist() == fit(board(found)).rating.tolist()
    assert connectivity(board(shuffled)) == connectivity(board(found))


@given(debates(), dice)
def test_swapping_sides_changes_nothing(found: list[Debate], any_: random.Random) -> None:
    turned = [swapped(one) if any_.random() < 0.5 else one for one in found]
    assert fit(board(turned)).rating.tolist() == fit(board(found)).rating.tolist()
    assert np.array_equal(win_rate(board(turned)), win_rate(board(found)), equal_nan=True)


@given(debates())
def test_renaming_participants_renames_their_ratings(found: list[Debate]) -> None:
    new = {f"p{index}": f"n{(7 * index + 3) % 5}" for index in range(5)}
    renamed = board([replace(one, first=new[one.first], second=new[one.second]) for one in found])
    before, after = fit(board(found)), fit(renamed)
    rating = dict(zip(after.names, after.rating.tolist(), strict=True))
    assert [rating[new[name]] for name in before.names] == pytest.approx(before.rating, abs=1e-6)
    turned = connectivity(renamed).undefeated
    assert turned == tuple(sorted(new[name] for name in connectivity(board(found)).undefeated))


@given(debates())
def test_one_more_win_never_hurts(found: list[Debate]) -> None:
    first, second = found[0].first, found[0].second
    more = [*found, Debate(first=first, second=second, delta=2, matchup="new")]
    fixed = Model(penalty=300.0)  # an adaptive one may widen, and move everyone away from the mean
    before, after = fit(board(found), fixed), fit(board(more), fixed)
    index = before.names.index(first)
    assert after.gamma[index] > before.gamma[index]  # the reference moves as more are part of it


@given(debates())
def test_who_won_everything_is_finite_and_marked(found: list[Debate]) -> None:
    names = sorted({one.first for one in found} | {one.second for one in found})
    winner = [Debate(first="best", second=name, delta=1, matchup="x") for name in names]
    ratings = fit(board([*found, *winner]))
    assert np.isfinite(ratings.rating).all()
    assert ratings.rating.max() < 4000
    assert "best" in connectivity(board([*found, *winner])).undefeated
    assert ratings.rating[ratings.names.index("best")] > 1000


@given(debates())
def test_predictions_of_a_pair_sum_to_one(found: list[Debate]) -> None:
    chance = predicted(fit(board(found)).rating)
    assert chance + chance.T == pytest.approx(np.ones_like(chance))
    assert np.diag(chance) == pytest.approx(0.5)


@settings(max_examples=25, deadline=None)
@given(debates(), dice)
def test_replicates_depend_on_the_content_alone(found: list[Debate], any_: random.Random) -> None:
    turned = [swapped(one) if any_.random() < 0.5 else one for one in found]
    labels = {f"m{index}": name for index, name in enumerate(any_.sample("uvwxyz", 6))}
    changed = [
        replace(one, matchup=labels[one.matchup]) for one in any_.sample(turned, len(turned))
    ]
    before = bootstrap(board(found), rounds=20, seed=5)
    after = bootstrap(board(changed), rounds=20, seed=5)
    assert after.replicates.tolist() == before.replicates.tolist()

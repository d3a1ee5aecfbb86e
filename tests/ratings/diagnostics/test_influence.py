"""Boards without a group of comparisons: exact refits, and what they are to first order."""

from __future__ import annotations

import numpy as np
import pytest

from ratings import Comparisons, InvalidComparisons, InvalidSetting, Model, fit, influence
from tests.ratings.oracles import simulated


def _board(seed: int = 3, *, matchups: int = 60) -> tuple[Comparisons, list[str]]:
    rng = np.random.default_rng(seed)
    plain = simulated(rng, size=5, matchups=matchups)
    tied = np.where(rng.random(len(plain)) < 0.2, 0.5, plain.outcome)
    motions = [f"m{number % 6}" for number in plain.cluster]
    comparisons = Comparisons(
        names=plain.names,
        first=plain.first,
        second=plain.second,
        outcome=tied,
        weight=plain.weight,
        cluster=plain.cluster,
    )
    length = rng.normal(size=len(plain))
    return comparisons.described(motion=motions, covariates={"length": length}), motions


MODELS = (
    Model(),
    Model(penalty=200.0),
    Model(side=True, ties="davidson"),
    Model(side=True, motion_spread=80.0, covariates=("length",)),
)


@pytest.mark.parametrize("model", MODELS)
def test_leaving_a_motion_out_is_a_fit_to_the_rest(model: Model) -> None:
    given, motions = _board()
    whole = fit(given, model)
    influences = influence(given, motions, model)
    assert influences.ratings.rating == pytest.approx(whole.rating, abs=1e-6)
    assert sorted(one.group for one in influences.groups) == sorted(set(motions))
    alike = Model(
        ties=model.ties,
        side=model.side,
        motion_spread=model.motion_spread,
        covariates=model.covariates,
        penalty=whole.penalty,
    )
    for one in influences.groups:
        kept = np.array([motion != one.group for motion in motions])
        rest = fit(given.only(kept), alike)
        assert one.comparisons == (~kept).sum()
        assert one.change == pytest.approx(rest.rating - whole.rating, abs=0.02)
        assert one.first == given.names[int(rest.rating.argmax())]
        turned = {
            (given.names[i], given.names[j])
            for i in range(5)
            for j in range(5)
            if whole.rating[i] > whole.rating[j] and rest.rating[i] < rest.rating[j]
        }
        assert set(one.turned) == turned


def test_estimates_are_near_the_refits() -> None:
    given, motions = _board(matchups=400)
    influences = influence(given, [f"{m}-{k % 5}" for k, m in enumerate(motions)])
    place = {label: number for number, label in enumerate(influences.labels)}
    for one in influences.groups:
        off = np.abs(influences.estimated[place[one.group]] - one.change).max()
        assert off < 0.15 * np.abs(one.change).max()


def test_what_puts_another_first_stands_before_what_only_moves_ratings() -> None:
    key = [("a", "b", "key"), ("a", "b", "key"), ("b", "a", "x")]
    rest = [(one, other, f"{one}{other}") for one in "ab" for other in "cde"] * 2
    rows = key + rest + [("c", "d", "big"), ("d", "e", "big"), ("c", "e", "big")] * 4
    comparisons = Comparisons.of([r[0] for r in rows], [r[1] for r in rows], [1.0] * len(rows))
    first, *others = influence(comparisons, [r[2] for r in rows]).groups
    assert (first.group, first.first, first.turned) == ("key", "b", (("a", "b"),))
    assert {one.first for one in others} == {"a"}
    moved = {one.group: float(np.abs(one.change).max()) for one in (first, *others)}
    assert moved["big"] > moved["key"]


def test_only_the_largest_estimates_are_refitted() -> None:
    given, motions = _board()
    some, every = influence(given, motions, most=2), influence(given, motions)
    assert len(some.groups) == 2
    largest = np.abs(some.estimated).max(axis=1)
    chosen = {some.labels[place] for place in np.argsort(-largest)[:2]}
    assert {one.group for one in some.groups} == chosen
    assert np.array_equal(some.estimated, every.estimated)


def test_equal_participants_are_in_no_order_that_could_turn() -> None:
    comparisons = Comparisons.of(["a", "b"], ["b", "a"], [1.0, 1.0])
    influences = influence(comparisons, ["x", "y"])
    assert [one.turned for one in influences.groups] == [(), ()]
    assert {one.group: one.first for one in influences.groups} == {"x": "b", "y": "a"}


def test_labels_and_settings_are_checked() -> None:
    given, motions = _board()
    with pytest.raises(InvalidComparisons, match=r"group: 3 labels of 120 comparisons"):
        influence(given, ["x"] * 3)
    with pytest.raises(InvalidSetting, match="most is 0"):
        influence(given, motions, most=0)
    with pytest.raises(InvalidSetting, match="accepted for parts of a board"):
        influence(given, motions, Model(penalty=None))


def test_only_those_with_a_place_can_be_first_or_change_their_order() -> None:
    given, motions = _board()
    top = fit(given).names[int(fit(given).rating.argmax())]
    others = [name for name in given.names if name != top]
    found = influence(given, motions, among=others)
    assert top not in {group.first for group in found.groups}
    every = influence(given, motions)
    assert top in {group.first for group in every.groups}
    turned = {pair for group in every.groups for pair in group.turned}
    assert any(top in pair for pair in turned)
    assert {pair for group in found.groups for pair in group.turned} == {
        pair for pair in turned if top not in pair
    }
    with pytest.raises(InvalidSetting, match="among names 'x'; accepted: p0, p1"):
        influence(given, motions, among=["x"])

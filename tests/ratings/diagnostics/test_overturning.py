"""How few comparisons decide who is first, held to a search through all sets."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from ratings import Comparisons, InvalidSetting, Model, Overturning, fit, overturn
from ratings.diagnostics.parts import Change
from tests.ratings.oracles import Debate, board, debates, simulated


def _first_after(comparisons: Comparisons, rows: tuple[int, ...], change: Change) -> np.ndarray:
    """Ratings with some rows changed, by a plain fit under the whole board's prior."""
    changed = np.isin(np.arange(len(comparisons)), rows)
    model = Model(penalty=fit(comparisons).penalty)
    if change == "left out":
        return fit(comparisons.only(~changed), model).gamma
    outcome = np.where(changed, 1 - comparisons.outcome, comparisons.outcome)
    return fit(replace(comparisons, outcome=outcome), model).gamma


def _is_over(comparisons: Comparisons, rows: tuple[int, ...], change: Change) -> bool:
    whole, after = fit(comparisons).gamma, _first_after(comparisons, rows, change)
    leader = int(np.flatnonzero(whole >= whole.max() - 1e-6)[0])
    return bool(after.max() > after[leader] + 1e-6)


def _by_search(comparisons: Comparisons, change: Change) -> int | None:
    for size in range(1, len(comparisons) + 1):
        if any(
            _is_over(comparisons, rows, change)
            for rows in combinations(range(len(comparisons)), size)
        ):
            return size
    return None


@pytest.mark.parametrize("change", ["left out", "reversed"])
@settings(max_examples=8, deadline=None)
@given(rows=debates(most=7))
def test_the_number_is_that_of_a_search_through_all_sets(
    change: Change, rows: list[Debate]
) -> None:
    standings = board(rows)
    found, least = overturn(standings, change=change), _by_search(standings, change)
    if found is None:
        assert least is None
        return
    assert least is not None
    assert _is_over(standings, found.rows, change)
    assert found.fewest
    assert len(found.rows) == least


@pytest.mark.parametrize("change", ["left out", "reversed"])
@pytest.mark.parametrize("model", [Model(), Model(side=True, ties="davidson")])
def test_what_is_found_on_a_larger_board_does_it(change: Change, model: Model) -> None:
    comparisons = simulated(np.random.default_rng(5), size=6, matchups=80)
    whole = fit(comparisons, model)
    result = overturn(comparisons, model, change=change)
    assert result is not None
    assert result.leader == comparisons.names[int(whole.gamma.argmax())]
    changed = np.isin(np.arange(len(comparisons)), result.rows)
    outcome = np.where(changed, 1 - comparisons.outcome, comparisons.outcome)
    other = (
        comparisons.only(~changed)
        if change == "left out"
        else replace(comparisons, outcome=outcome)
    )
    after = fit(other, replace(model, penalty=whole.penalty))
    assert after.names[int(after.gamma.argmax())] == result.rival != result.leader
    assert result.comparisons == len(comparisons) == 160
    assert 0 <= result.tried < len(result.rows) < 40


def test_reversing_takes_fewer_than_leaving_out() -> None:
    comparisons = simulated(np.random.default_rng(8), size=4, matchups=60)
    left, turned = overturn(comparisons), overturn(comparisons, change="reversed")
    assert left is not None
    assert turned is not None
    assert len(turned.rows) <= len(left.rows)


def test_without_refits_to_spend_the_number_is_an_upper_bound() -> None:
    comparisons = simulated(np.random.default_rng(8), size=4, matchups=60)
    quick, slow = overturn(comparisons, tries=0), overturn(comparisons)
    assert quick is not None
    assert slow is not None
    assert (quick.tried, quick.fewest) == (0, len(quick.rows) == 1)
    assert slow.tried > 0
    assert len(slow.rows) <= len(quick.rows)


def test_names_and_order_of_rows_change_nothing() -> None:
    comparisons = simulated(np.random.default_rng(5), size=6, matchups=40)
    order = np.random.default_rng(0).permutation(len(comparisons))
    turned = Comparisons(
        names=comparisons.names,
        first=comparisons.second[order],
        second=comparisons.first[order],
        outcome=1 - comparisons.outcome[order],
        weight=comparisons.weight[order],
        cluster=comparisons.cluster[order],
    )
    one, other = overturn(comparisons), overturn(turned)
    assert one is not None
    assert other is not None
    assert _said(one) == _said(other)


def _said(overturning: Overturning) -> tuple[object, ...]:
    return overturning.leader, overturning.rival, len(overturning.rows), overturning.tried


def test_where_nothing_can_change_there_is_no_number() -> None:
    nobody = Comparisons.of([], [], [], names=["a", "b"])
    assert overturn(nobody) is None
    ties = Comparisons.of(["a", "a"], ["b", "b"], [0.5, 0.5])
    assert overturn(ties, change="reversed") is None
    with pytest.raises(InvalidSetting, match="tries is -1"):
        overturn(nobody, tries=-1)


def test_leader_and_rival_are_among_those_with_a_place() -> None:
    comparisons = simulated(np.random.default_rng(3), size=5, matchups=20)
    usual = overturn(comparisons, tries=0)
    assert usual is not None
    others = [name for name in comparisons.names if name != usual.leader]
    found = overturn(comparisons, tries=0, among=others)
    assert found is not None
    rating = dict(zip(comparisons.names, fit(comparisons).rating, strict=True))
    assert found.leader == max(others, key=lambda name: rating[name])
    assert usual.leader not in (found.leader, found.rival)

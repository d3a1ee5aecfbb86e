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


def _first_after(given: Comparisons, rows: tuple[int, ...], change: Change) -> np.ndarray:
    """Ratings with some rows changed, by a plain fit under the whole board's prior."""
    changed = np.isin(np.arange(len(given)), rows)
    model = Model(penalty=fit(given).penalty)
    if change == "left out":
        return fit(given.only(~changed), model).gamma
    outcome = np.where(changed, 1 - given.outcome, given.outcome)
    return fit(replace(given, outcome=outcome), model).gamma


def _is_over(given: Comparisons, rows: tuple[int, ...], change: Change) -> bool:
    whole, after = fit(given).gamma, _first_after(given, rows, change)
    leader = int(np.flatnonzero(whole >= whole.max() - 1e-6)[0])
    return bool(after.max() > after[leader] + 1e-6)


def _by_search(given: Comparisons, change: Change) -> int | None:
    for size in range(1, len(given) + 1):
        if any(_is_over(given, rows, change) for rows in combinations(range(len(given)), size)):
            return size
    return None


@pytest.mark.parametrize("change", ["left out", "reversed"])
@settings(max_examples=8, deadline=None)
@given(rows=debates(most=7))
def test_the_number_is_that_of_a_search_through_all_sets(
    change: Change, rows: list[Debate]
) -> None:
    given = board(rows)
    found, least = overturn(given, change=change), _by_search(given, change)
    if found is None:
        assert least is None
        return
    assert least is not None
    assert _is_over(given, found.rows, change)
    assert found.fewest
    assert len(found.rows) == least


@pytest.mark.parametrize("change", ["left out", "reversed"])
@pytest.mark.parametrize("model", [Model(), Model(side=True, ties="davidson")])
def test_what_is_found_on_a_larger_board_does_it(change: Change, model: Model) -> None:
    given = simulated(np.random.default_rng(5), size=6, matchups=80)
    whole = fit(given, model)
    found = overturn(given, model, change=change)
    assert found is not None
    assert found.leader == given.names[int(whole.gamma.argmax())]
    changed = np.isin(np.arange(len(given)), found.rows)
    outcome = np.where(changed, 1 - given.outcome, given.outcome)
    other = given.only(~changed) if change == "left out" else replace(given, outcome=outcome)
    after = fit(other, replace(model, penalty=whole.penalty))
    assert after.names[int(after.gamma.argmax())] == found.rival != found.leader
    assert found.comparisons == len(given) == 160
    assert 0 <= found.tried < len(found.rows) < 40


def test_reversing_takes_fewer_than_leaving_out() -> None:
    given = simulated(np.random.default_rng(8), size=4, matchups=60)
    left, turned = overturn(given), overturn(given, change="reversed")
    assert left is not None
    assert turned is not None
    assert len(turned.rows) <= len(left.rows)


def test_without_refits_to_spend_the_number_is_an_upper_bound() -> None:
    given = simulated(np.random.default_rng(8), size=4, matchups=60)
    quick, slow = overturn(given, tries=0), overturn(given)
    assert quick is not None
    assert slow is not None
    assert (quick.tried, quick.fewest) == (0, len(quick.rows) == 1)
    assert slow.tried > 0
    assert len(slow.rows) <= len(quick.rows)


def test_names_and_order_of_rows_change_nothing() -> None:
    given = simulated(np.random.default_rng(5), size=6, matchups=40)
    order = np.random.default_rng(0).permutation(len(given))
    turned = Comparisons(
        names=given.names,
        first=given.second[order],
        second=given.first[order],
        outcome=1 - given.outcome[order],
        weight=given.weight[order],
        cluster=given.cluster[order],
    )
    one, other = overturn(given), overturn(turned)
    assert one is not None
    assert other is not None
    assert _said(one) == _said(other)


def _said(found: Overturning) -> tuple[object, ...]:
    return found.leader, found.rival, len(found.rows), found.tried


def test_where_nothing_can_change_there_is_no_number() -> None:
    nobody = Comparisons.of([], [], [], names=["a", "b"])
    assert overturn(nobody) is None
    ties = Comparisons.of(["a", "a"], ["b", "b"], [0.5, 0.5])
    assert overturn(ties, change="reversed") is None
    with pytest.raises(InvalidSetting, match="tries is -1"):
        overturn(nobody, tries=-1)

"""What an amount is best spent on: the sentence, the arithmetic, and whether it comes true."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.boards.next_dollars import NextDollars, Purchase, spend
from ratings import Comparisons, confidence
from ratings.outlook import Outlook

NAMES = ["ann", "bob", "cyd", "dan", "eve"]
PAIRS = list(combinations(range(len(NAMES)), 2))


def played(
    strengths: np.ndarray, pairs: list[tuple[int, int]], rng: np.random.Generator
) -> Comparisons:
    """Two debates of each pair, won by chance."""
    legs = [leg for low, high in pairs for leg in ((low, high), (high, low))]
    first, second = np.array(legs).T
    chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    names = [f"p{k}" for k in range(len(strengths))]
    return Comparisons.of(
        [names[k] for k in first],
        [names[k] for k in second],
        (rng.random(len(legs)) < chance).astype(float),
        cluster=np.repeat(np.arange(len(pairs)), 2),
        names=names,
    )


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=20, max_size=60),
    st.floats(0.01, 500),
    st.sampled_from([1.0, 0.0, 7.5]),
)
def test_an_amount_is_not_overspent_and_chances_are_probabilities(
    outcomes: list[float], usd: float, dear: float
) -> None:
    pairs = [PAIRS[k % len(PAIRS)] for k in range(len(outcomes))]
    board = Comparisons.of(
        [NAMES[low] for low, _ in pairs], [NAMES[high] for _, high in pairs], outcomes
    )
    sure = confidence(board)
    planned = spend(board, sure, dict.fromkeys(NAMES, 1.0) | {"ann": dear}, usd=usd)
    assert planned.open == len(PAIRS) - int(sure.settled.sum())
    assert sum(each.usd for each in planned.purchases) <= usd + 1e-9
    assert all(0 <= each.chance <= 1 and each.matchups > 0 for each in planned.purchases)
    assert 0 <= planned.settled <= planned.open
    assert 0 <= planned.by_round_robin <= planned.open
    settled = {(sure.names[a], sure.names[b]) for a, b in np.argwhere(sure.settled)}
    assert not settled & {each.pair for each in planned.purchases}
    assert all(
        sure.rating[sure.names.index(better)] >= sure.rating[sure.names.index(worse)]
        for better, worse in (each.pair for each in planned.purchases)
    )


def test_no_less_is_settled_than_by_as_many_matchups_of_each_open_pair() -> None:
    board = played(np.zeros(5), PAIRS * 3, np.random.default_rng(3))
    sure = confidence(board)
    outlook = Outlook(board, sure)
    evenly = outlook.nothing
    for k in range(len(outlook.low)):
        evenly = outlook.buy(evenly, k, 50)
    costs = dict.fromkeys(sure.names, 1.0)
    planned = spend(board, sure, costs, usd=50 * 2 * len(outlook.low))
    assert planned.settled >= outlook.chances(evenly).sum() - 1e-9 > 0


def test_more_orders_are_settled_for_more_money_and_about_as_many_as_was_said() -> None:
    expected, came = [], []
    for seed in range(14):
        rng = np.random.default_rng(seed)
        strengths = rng.normal(0, 1, 8)
        pairs = list(combinations(range(8), 2))
        begun = pairs * 3
        board = played(strengths, begun, rng)
        sure = confidence(board)
        costs = dict.fromkeys(board.names, 0.5)
        planned = spend(board, sure, costs, usd=56.0)
        assert planned.settled > spend(board, sure, costs, usd=10.0).settled
        bought = [
            (board.names.index(each.pair[0]), board.names.index(each.pair[1]))
            for each in planned.purchases
            for _ in range(each.matchups)
        ]
        rng = np.random.default_rng(seed)
        assert (rng.normal(0, 1, 8) == strengths).all()
        after = confidence(played(strengths, [*begun, *bought], rng))
        was_open = np.triu(~(sure.settled | sure.settled.T), 1)
        came.append(int((was_open & (after.settled | after.settled.T)).sum()))
        expected.append(planned.settled)
    assert np.mean(came) == pytest.approx(np.mean(expected), rel=0.35)


def test_it_is_said_in_a_sentence() -> None:
    pairs = [("ann", "bob"), ("ann", "cyd"), ("cyd", "dan"), ("bob", "dan")]
    bought = tuple(
        Purchase(pair=pair, matchups=number, usd=0.5 * number, chance=0.6)
        for pair, number in zip(pairs, (14, 9, 4, 3), strict=True)
    )
    planned = NextDollars(usd=20, purchases=bought, open=8, settled=2.62, by_round_robin=1.31)
    assert planned.sentence == (
        "The next 20.00 USD are best spent on 30 matchups (14 of ann and bob, 9 of ann and cyd, 4 "
        "of cyd and dan, 3 of other pairs): they would probably settle about 2.6 of 8 open orders, "
        "a round robin about 1.3."
    )
    unlikely = replace(planned, purchases=bought[:1], settled=0.24)
    assert unlikely.sentence == (
        "The next 20.00 USD would probably settle no further order: 14 matchups (14 of ann and "
        "bob) settle 0.2 of 8 open orders on average."
    )
    little = NextDollars(usd=0.1, purchases=(), open=1, settled=0, by_round_robin=0)
    assert little.sentence == (
        "The next 0.10 USD pay for no matchup that would help to settle an open order."
    )
    done = NextDollars(usd=20, purchases=(), open=0, settled=0, by_round_robin=0)
    assert done.sentence == "The next 20.00 USD would settle no further order: all are settled."

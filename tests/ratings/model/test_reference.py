import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from ratings import Comparisons, Model, confidence, fit
from ratings.model.reference import Placement, count_matchups, weigh_reference
from tests.ratings.oracles import Debate, board, debates, simulated


def joined(comparisons: Comparisons, wins: int, over: str, name: str = "zoe") -> Comparisons:
    """The same board with a newcomer that won so many matchups, two legs each, over one."""
    names = np.array(comparisons.names)
    new = [name, over] * wins, [over, name] * wins, [1.0, 0.0] * wins
    clusters = np.repeat(np.arange(wins), 2) + comparisons.cluster.max() + 1
    return Comparisons.of(
        [*names[comparisons.first], *new[0]],
        [*names[comparisons.second], *new[1]],
        [*comparisons.outcome, *new[2]],
        [*comparisons.weight, *[0.731] * (2 * wins)],
        [*comparisons.cluster, *clusters],
    )


def place(
    matchups: NDArray[np.intp],
    rating: NDArray[np.float64] | None = None,
    above: NDArray[np.bool_] | None = None,
) -> Placement:
    size = len(matchups)
    return Placement(
        names=tuple("abcdefghijklmnop"[:size]),
        rating=np.zeros(size) if rating is None else rating,
        matchups=matchups,
        above=np.zeros((size, size), dtype=np.bool_) if above is None else above,
    )


def round_robin(matchups: int) -> Comparisons:
    """Six participants, each pair the same number of matchups, with random outcomes."""
    rng = np.random.default_rng(5)
    pairs = [(i, j) for i in range(6) for j in range(i) for _ in range(matchups)]
    legs = [pair for i, j in pairs for pair in ((i, j), (j, i))]
    outcome = [float(rng.random() < 1 / (1 + 10 ** ((i - j) * 60 / 400))) for i, j in legs]
    first, second = ([f"p{k}" for k in column] for column in zip(*legs, strict=True))
    return Comparisons.of(first, second, outcome, cluster=np.repeat(np.arange(len(pairs)), 2))


@given(debates())
def test_matchups_are_the_pairs_of_each_cluster(found: list[Debate]) -> None:
    comparisons = board(found)
    met = {(one.matchup, frozenset((one.first, one.second))) for one in found}
    slow = [sum(name in pair for _, pair in met) for name in comparisons.names]
    assert count_matchups(comparisons).tolist() == slow
    # a debate that more judges judged is no further matchup
    assert count_matchups(board([*found, *found])).tolist() == slow


def test_counted_rows_count_each_time() -> None:
    counted = Comparisons.of(["a", "b"], ["b", "c"], [1.0, 0.5]).counted([3, 2])
    assert count_matchups(counted).tolist() == [3, 5, 2]
    assert count_matchups(counted.one_by_one()).tolist() == [3, 5, 2]


def test_where_all_met_equally_often_the_mean_is_exactly_the_plain_one() -> None:
    comparisons = round_robin(3)
    rated = fit(comparisons)
    assert weigh_reference(rated.matchups).tolist() == [1 / 6] * 6
    elo = 1000 + 400 / np.log(10) * rated.gamma
    assert rated.rating == pytest.approx(elo, abs=1e-9)
    assert not confidence(comparisons).provisional.any()


@given(debates())
def test_weights_are_shares_and_at_least_half_of_the_played_weigh_fully(
    found: list[Debate],
) -> None:
    matchups = count_matchups(board(found))
    weight = weigh_reference(matchups)
    assert weight.sum() == pytest.approx(1)
    assert (weight[matchups == 0] == 0).all()
    assert 2 * (weight == weight.max()).sum() >= (matchups > 0).sum()


def test_the_weight_grows_evenly_with_matchups() -> None:
    weights = []
    for number in range(25):
        weight = weigh_reference(np.array([20] * 9 + [number]))
        weights.append(weight[-1] / weight[0])
    assert weights[:7] == [0] * 7
    assert weights[14:] == pytest.approx([1] * 11)
    assert np.diff(weights).max() <= 3 / 20 + 1e-9


def test_a_newcomer_with_three_wins_over_the_last_moves_nobody() -> None:
    before = round_robin(6)
    after = joined(before, wins=3, over="p5")
    then, now = confidence(before), confidence(after)
    assert now.ratings.rating[6] > now.ratings.rating[5]
    assert now.ratings.rating[:6] == pytest.approx(then.ratings.rating, abs=6)
    # its error is no part of theirs; the last has more comparisons than before
    assert now.upper[:6] - now.lower[:6] == pytest.approx(then.upper - then.lower, rel=0.03)
    assert now.provisional.tolist() == [False] * 6 + [True]
    assert now.order[-1] == 6 and now.tie_groups[0][-1] == "zoe"  # not separated from the first


def test_a_newcomer_is_placed_by_matchups_or_by_what_is_settled() -> None:
    comparisons = round_robin(6)
    places = {wins: confidence(joined(comparisons, wins, "p5")) for wins in (3, 10, 11, 30)}
    thin = {wins: bool(sure.provisional[6]) for wins, sure in places.items()}
    assert thin == {3: True, 10: True, 11: False, 30: False}
    matchups = np.array([3, 30, 30, 30, 30, 30])
    above, rating = np.zeros((6, 6), dtype=np.bool_), np.array([1300.0, 1100, 1000, 900, 850, 800])
    assert place(matchups, rating, above).provisional.tolist() == [True] + [False] * 5
    above[0, 3:] = True  # settled to be above half of the others
    assert not place(matchups, rating, above).provisional.any()


def test_a_thin_participant_that_is_settled_to_be_above_the_first_has_a_place() -> None:
    """Else the board names somebody first of whom it is settled that another is above."""
    matchups, rating = np.array([3, 30, 30, 30, 30, 30]), np.array([1300.0, 1100, 1000, 900, 8, 7])
    for beaten, provisional in ((1, False), (2, True)):
        above = np.zeros((6, 6), dtype=np.bool_)
        above[0, beaten] = True
        placement = place(matchups, rating, above)
        assert (placement.provisional[0], placement.order[0]) == (provisional, int(provisional))


@pytest.mark.parametrize(
    "matchups",
    [
        *([1, 1, 1, 1], [2, 1, 1, 2], [0, 0, 0, 0], [0, 3, 3, 2]),
        [4, 4, 3, 3, *[2] * 4, *[1] * 8],  # a knockout of sixteen, each round twice as few
        [18, *[2] * 9],  # a gauntlet
    ],
)
def test_nobody_is_provisional_where_all_played_little_or_two_met(matchups: list[int]) -> None:
    assert not place(np.array(matchups)).provisional.any()


@settings(max_examples=60, deadline=None)
@given(debates())
def test_the_order_is_placed_then_provisional_then_unplayed(found: list[Debate]) -> None:
    sure = confidence(board(found, [f"p{index}" for index in range(6)]), Model(penalty=300.0))
    matchups, order = sure.ratings.matchups, sure.order
    assert sorted(order) == list(range(6))
    kind = np.where(matchups == 0, 2, np.where(sure.provisional, 1, 0))[order]
    assert (np.diff(kind) >= 0).all()
    rating = sure.ratings.rating[order]
    assert all(
        above >= below - 1e-9
        for above, below, same in zip(rating, rating[1:], np.diff(kind) == 0, strict=False)
        if same
    )
    assert kind[0] == 0


def test_equals_stay_in_the_order_of_names_and_weigh_the_same() -> None:
    assert place(np.array([2, 2, 2])).order.tolist() == [0, 1, 2]
    assert weigh_reference(np.array([18, *[2] * 9])).tolist() == [0.1] * 10


def test_the_reference_contains_no_error_of_an_unplayed_participant() -> None:
    comparisons = simulated(np.random.default_rng(3), size=4, matchups=60)
    names = [*comparisons.names, "unplayed"]
    more = Comparisons(
        names=tuple(names),
        **{
            column: getattr(comparisons, column)
            for column in ("first", "second", "outcome", "weight", "cluster")
        },
    )
    then, now = confidence(comparisons), confidence(more)
    assert now.ratings.rating[:4] == pytest.approx(then.ratings.rating, abs=0.5)
    assert now.upper[:4] - now.lower[:4] == pytest.approx(then.upper - then.lower, rel=0.01)

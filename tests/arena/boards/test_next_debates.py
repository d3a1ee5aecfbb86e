"""The order that the fewest further dollars would settle."""

from __future__ import annotations

from arena.boards.next_debates import NextDebates, cheapest
from ratings import Comparisons, confidence

# ann beats bob two times in three, bob and cyd are nearly level, dan loses to all.
_RESULTS: dict[tuple[str, str], list[float]] = {
    ("ann", "bob"): [1, 1, 0], ("ann", "cyd"): [1, 1, 1], ("bob", "cyd"): [1, 0, 0.5],
    ("ann", "dan"): [1, 1, 1], ("bob", "dan"): [1, 1, 1], ("cyd", "dan"): [1, 1, 0.5],
}  # fmt: skip
_GAMES = [
    (first, second, outcome)
    for (first, second), outcomes in _RESULTS.items()
    for outcome in outcomes
]
BOARD = Comparisons.of(*zip(*_GAMES, strict=True))
PAIRS = [(i, j) for i in range(4) for j in range(i + 1, 4)]


def test_the_cheapest_open_order_is_named() -> None:
    sure = confidence(BOARD)
    free = cheapest(BOARD, sure, PAIRS, {})
    assert free is not None and free.usd == 0
    all_of_them = [cheapest(BOARD, sure, [pair], {}) for pair in PAIRS]
    assert free.matchups == min(each.matchups for each in all_of_them if each)
    dear = dict.fromkeys(free.pair, 1e6)
    other = cheapest(BOARD, sure, PAIRS, dict.fromkeys(sure.ratings.names, 1.0) | dear)
    assert other is not None and set(other.pair) != set(free.pair)


def test_closer_participants_need_more() -> None:
    sure = confidence(BOARD)
    far, near = (cheapest(BOARD, sure, [pair], {}) for pair in ((0, 2), (0, 1)))
    assert far is not None and near is not None
    assert far.matchups < near.matchups
    assert (far.pair, far.ranks[0]) == (("ann", "cyd"), 1)


def test_what_would_take_very_many_is_not_named() -> None:
    level = Comparisons.of(["a", "b"] * 50, ["b", "a"] * 50, [1] * 100)
    assert cheapest(level, confidence(level), [(0, 1)], {}) is None


def test_it_is_said_in_a_sentence() -> None:
    one = NextDebates(pair=("ann", "bob"), ranks=(1, 2), matchups=6, usd=5.0)
    assert one.sentence == (
        "6 more matchups (about 5.00 USD) of ann and bob would probably settle 1st against 2nd."
    )

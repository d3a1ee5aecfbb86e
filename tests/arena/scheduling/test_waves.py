"""Situations: what follows from the waves so far."""

from __future__ import annotations

from tests.arena.scheduling.rounds import of, situation, stronger

PREFER_A = stronger({"a": 3.0, "b": 2.0, "c": 1.0})


def test_matchups_are_numbered_through_the_waves() -> None:
    now = situation("abc", [of(("a", "b"), ("a", "c")), of(("a", "b"))], judge=PREFER_A)
    assert now.matchups == [("a", "b"), ("a", "c"), ("a", "b")]
    assert now.planned == {("a", "b"): 2, ("a", "c"): 1}
    assert now.judged == {0, 1, 2}


def test_open_matchups_of_the_last_two_waves_are_awaited() -> None:
    waves = [of(("a", "b")), of(("a", "c")), of(("b", "c"), ("a", "b"))]
    now = situation("abc", waves, judge=PREFER_A, judged=[3])
    assert now.awaited() == [("a", "c"), ("b", "c")]
    assert situation("abc").awaited() == []


def test_byes_are_counted_over_waves() -> None:
    waves = [of(("a", "b"), byes=("c",)), of(("a", "c"), byes=("b",)), of(byes=("c",))]
    assert situation("abc", waves).byes == {"b": 1, "c": 2}


def test_a_price_is_that_of_both_debates_with_their_ballots() -> None:
    now = situation("abc", usd={"a": 0.5, "b": 0.25})
    assert now.price(("a", "b")) == 1.5
    assert now.price(("a", "c")) == 1.0
    prices = now.relative_prices([("a", "b"), ("a", "c")])
    assert prices.tolist() == [1.5, 1.0]


def test_what_is_free_is_cheap_but_not_free() -> None:
    now = situation("abcd", usd={"a": 1.0})
    pairs = [("a", "b"), ("b", "c")]
    assert now.relative_prices(pairs).tolist() == [2.0, 0.02]
    assert now.relative_prices([("b", "c"), ("c", "d")]).tolist() == [1.0, 1.0]

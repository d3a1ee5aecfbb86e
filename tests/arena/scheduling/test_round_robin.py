"""Round robin: every pair, equally often."""

from __future__ import annotations

from collections import Counter

from hypothesis import given

from arena.scheduling.dealing import Field, deal
from arena.scheduling.round_robin import round_robin
from tests.arena.scheduling.fields import FIELDS, MATCHUPS, draws, first_legs, pairs


@draws
@given(FIELDS, MATCHUPS)
def test_every_pair_meets_equally_often(field: Field, k: int) -> None:
    debates = deal(field, round_robin(field.participants, matchups_per_pair=k))
    met = Counter(frozenset((one.pro, one.con)) for one in first_legs(debates))
    assert met == {pair: k for pair in pairs(field)}
    assert len(debates) == 2 * k * len(pairs(field))


def test_all_pairs_meet_before_any_meets_again() -> None:
    once = [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(round_robin(["c", "b", "a"], matchups_per_pair=2)) == [*once, *once]


def test_one_participant_meets_nobody() -> None:
    assert list(round_robin(["a"], matchups_per_pair=3)) == []

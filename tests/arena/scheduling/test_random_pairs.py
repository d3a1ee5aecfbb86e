"""Random pairs: uniform, independent of each other, and extended without a reshuffle."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import accumulate, combinations, takewhile
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from arena.scheduling import random_pairs as module
from arena.scheduling.dealing import Field, Pair, deal
from arena.scheduling.random_pairs import random_pairs
from tests.arena.scheduling.fields import (
    CATEGORIES,
    FIELDS,
    category,
    draws,
    first_legs,
    motion_set,
    of_pair,
    pairs,
    spread,
)

DRAWS = st.integers(0, 60)
TEN = [f"p{n}" for n in range(10)]


def drawn(field: Field, matchups: int) -> list[Pair]:
    return list(random_pairs(field.participants, seed=field.seed, matchups=matchups))


def strokes_until(participants: list[str], seed: int, time: float) -> list[Pair]:
    """The slow twin: all strokes of all clocks before a time, sorted."""
    found: list[tuple[float, Pair]] = []
    for pair in combinations(sorted(participants), 2):
        gaps = (module._gap(seed, pair, met) for met in range(10_000))
        found += [(when, pair) for when in takewhile(lambda when: when < time, accumulate(gaps))]
    return [pair for _, pair in sorted(found)]


@draws
@given(FIELDS, DRAWS)
def test_so_many_pairs_are_drawn_and_nobody_meets_themselves(field: Field, matchups: int) -> None:
    result = drawn(field, matchups)
    assert len(result) == matchups
    assert all(one < other for one, other in result)
    assert len(deal(field, result)) == 2 * matchups


@draws
@given(FIELDS, DRAWS, st.integers(1, 20))
def test_a_longer_schedule_begins_with_the_shorter_one(
    field: Field, matchups: int, more: int
) -> None:
    assert drawn(field, matchups + more)[:matchups] == drawn(field, matchups)
    stored = deal(field, drawn(field, matchups))
    added = deal(field, drawn(field, matchups + more), stored=stored)
    assert [*stored, *added] == deal(field, drawn(field, matchups + more))


@draws
@given(FIELDS, DRAWS)
def test_who_joins_is_drawn_and_changes_no_stored_pairing(field: Field, matchups: int) -> None:
    stored = deal(field, drawn(field, matchups))
    larger = replace(field, participants=["newcomer", *field.participants])
    added = deal(larger, drawn(larger, matchups), stored=stored)
    assert all("newcomer" in (one.pro, one.con) for one in added)
    assert not {one.debate_id for one in added} & {one.debate_id for one in stored}
    met = drawn(larger, matchups)
    assert len(added) == 2 * sum("newcomer" in pair for pair in met)
    without = [pair for pair in met if "newcomer" not in pair]
    assert without == drawn(field, len(without)), "the draws of the others stand as they were"


@draws
@given(FIELDS, DRAWS, st.randoms(use_true_random=False))
def test_no_order_of_participants_plays_a_part(field: Field, matchups: int, random: Random) -> None:
    shuffled = replace(
        field, participants=random.sample(field.participants, len(field.participants))
    )
    assert drawn(shuffled, matchups) == drawn(field, matchups)


def test_it_is_the_sorted_strokes_of_all_clocks() -> None:
    for seed in range(5):
        slow = strokes_until(TEN, seed, 4.0)
        assert list(random_pairs(TEN, seed=seed, matchups=len(slow))) == slow
        assert 120 < len(slow) < 240, "45 clocks that strike once per unit of time"


def test_all_pairs_are_drawn_alike_and_independently() -> None:
    result = list(random_pairs(TEN, seed=7, matchups=9000))
    counts = Counter(result)
    assert len(counts) == 45
    assert chisquare(list(counts.values())).pvalue > 0.01
    again = sum(one == other for one, other in zip(result, result[1:], strict=False))
    assert abs(again - 200) < 60, "a pair follows itself as often as any other does"


def test_another_seed_gives_another_draw() -> None:
    found = {tuple(random_pairs(TEN, seed=seed, matchups=20)) for seed in range(20)}
    assert len(found) == 20


def test_too_few_to_meet_meet_nobody() -> None:
    assert list(random_pairs(["a"], seed=1, matchups=5)) == []


@draws
@given(st.integers(0, 1000), st.integers(1, 100))
def test_motions_categories_and_sides_are_balanced(seed: int, matchups: int) -> None:
    field = Field(
        tournament="t",
        seed=seed,
        participants=TEN,
        motions=motion_set(22),
        languages=["en", "zh"],
    )
    debates = deal(field, drawn(field, matchups))
    for name in TEN:
        assert sum(one.pro == name for one in debates) == sum(one.con == name for one in debates)
    dealt = first_legs(debates)
    for pair in pairs(field):
        assert spread(map(category, of_pair(debates, pair)), CATEGORIES) <= 1
        assert max(Counter(one.motion_id for one in of_pair(debates, pair)).values(), default=0) < 2
    known = [one.motion_id for one in field.motions]
    assert spread((one.motion_id for one in dealt), known) <= 2
    assert spread(map(category, dealt), CATEGORIES) <= 6

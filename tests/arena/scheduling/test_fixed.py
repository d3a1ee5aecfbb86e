"""Round robins, gauntlets and random pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate, combinations, takewhile
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from arena.records import Debate
from arena.scheduling import fixed as module
from arena.scheduling.dealing import Field, Pair, deal, pair_of
from arena.scheduling.fixed import FixedSchedule, gauntlet, random_pairs, round_robin
from arena.scheduling.waves import Wave
from tests.arena.scheduling.fields import (
    CATEGORIES,
    FIELDS,
    MATCHUPS,
    category,
    draws,
    first_legs,
    motion_set,
    of_pair,
    pairs,
    spread,
)
from tests.arena.scheduling.rounds import of, situation

NEW = ["new-1", "new-2"]
DRAWS = st.integers(0, 60)
TEN = [f"p{n}" for n in range(10)]


def kinds(field: Field, k: int) -> list[Iterable[Pair]]:
    names = field.participants
    return [
        round_robin(names, matchups_per_pair=k),
        gauntlet(names, newcomers=names[:1], matchups_per_pair=k),
        random_pairs(names, seed=field.seed, matchups=3 * k),
    ]


@draws
@given(FIELDS, MATCHUPS, st.integers(0, 20))
def test_a_wave_has_what_dealing_would_have_planned(field: Field, k: int, stored: int) -> None:
    for kind in kinds(field, k):
        every = list(kind)
        begun = deal(field, every)[: 2 * stored]
        known = [pair_of(debate.pro, debate.con) for debate in begun if debate.leg == 0]
        now = situation(field.participants, [of(*known)])
        wave = FixedSchedule(tuple(every)).next_wave(now)
        assert [pair_of(*pair) for pair in wave.pairs] == every[len(known) :]
        whole = deal(field, [*known, *wave.pairs], stored=begun)
        assert [*begun, *whole] == deal(field, every)


def test_everything_is_one_wave() -> None:
    schedule = FixedSchedule(tuple([("a", "b"), ("a", "b"), ("b", "c")]))
    first = schedule.next_wave(situation("abc", usd={"a": 1.0}))
    assert first.pairs == (("a", "b"), ("a", "b"), ("b", "c"))
    assert [meeting.usd for meeting in first.meetings] == [2.0, 2.0, 0.0]
    assert schedule.next_wave(situation("abc", [first])) == Wave(meetings=[])


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
    assert list(random_pairs(["a"], seed=1, matchups=5)) == []


def met(debates: list[Debate]) -> Counter[frozenset[str]]:
    return Counter(frozenset((one.pro, one.con)) for one in first_legs(debates))


@draws
@given(FIELDS, MATCHUPS, st.integers(1, 2))
def test_newcomers_meet_all_others_equally_often_and_nobody_else_meets(
    field: Field, k: int, newcomers: int
) -> None:
    larger = replace(field, participants=[*NEW[:newcomers], *field.participants])
    meetings = gauntlet(larger.participants, newcomers=NEW[:newcomers], matchups_per_pair=k)
    expected = {frozenset((new, old)): k for new in NEW[:newcomers] for old in field.participants}
    assert met(deal(larger, meetings)) == expected


@draws
@given(FIELDS, MATCHUPS, st.data())
def test_chosen_opponents_alone_are_met_and_nobody_meets_themselves(
    field: Field, k: int, data: st.DataObject
) -> None:
    someone = st.lists(st.sampled_from(field.participants), min_size=1, unique=True)
    newcomers, opponents = data.draw(someone), data.draw(someone)
    meetings = list(
        gauntlet(field.participants, newcomers=newcomers, opponents=opponents, matchups_per_pair=k)
    )
    expected = {frozenset((new, old)): k for new in newcomers for old in opponents if new != old}
    assert met(deal(field, meetings)) == expected
    assert all(one != other for one, other in meetings)


@draws
@given(FIELDS, MATCHUPS, st.integers(1, 3))
def test_it_extends_a_round_robin_and_changes_no_stored_pairing(
    field: Field, k: int, earlier: int
) -> None:
    stored = deal(field, round_robin(field.participants, matchups_per_pair=earlier))
    larger = replace(field, participants=["new-1", *field.participants])
    meetings = list(gauntlet(larger.participants, newcomers=["new-1"], matchups_per_pair=k))
    added = deal(larger, meetings, stored=stored)
    assert all("new-1" in (one.pro, one.con) for one in added)
    assert not {one.debate_id for one in added} & {one.debate_id for one in stored}
    assert deal(larger, meetings, stored=[*stored, *added]) == []
    everyone = {pair: earlier for pair in pairs(field)}
    assert met([*stored, *added]) == everyone | met(added)


@draws
@given(FIELDS, MATCHUPS)
def test_motions_and_sides_of_a_gauntlet_are_balanced_and_repeats_add_to_it(
    field: Field, k: int
) -> None:
    new = field.participants[0]

    def meetings(rounds: int) -> list[Pair]:
        return list(gauntlet(field.participants, newcomers=[new], matchups_per_pair=rounds))

    debates = deal(field, meetings(k))
    added = deal(field, meetings(k + 2), stored=debates)
    assert [*debates, *added] == deal(field, meetings(k + 2))
    known = [one.motion_id for one in field.motions]
    for old in field.participants[1:]:
        dealt = of_pair(debates, frozenset((new, old)))
        assert spread((one.motion_id for one in dealt), known) <= 1
    assert sum(one.pro == new for one in debates) == sum(one.con == new for one in debates)


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
@given(FIELDS, DRAWS, st.integers(1, 20))
def test_so_many_pairs_are_drawn_and_a_longer_schedule_begins_with_the_shorter_one(
    field: Field, matchups: int, more: int
) -> None:
    result = drawn(field, matchups)
    assert len(result) == matchups
    assert all(one < other for one, other in result), "nobody meets themselves"
    assert drawn(field, matchups + more)[:matchups] == result
    stored = deal(field, result)
    assert len(stored) == 2 * matchups
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
    names = random.sample(field.participants, len(field.participants))
    assert drawn(replace(field, participants=names), matchups) == drawn(field, matchups)


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


@draws
@given(st.integers(0, 1000), st.integers(1, 100))
def test_motions_categories_and_sides_are_balanced(seed: int, matchups: int) -> None:
    field = Field(
        tournament="t", seed=seed, participants=TEN, motions=motion_set(22), languages=["en", "zh"]
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

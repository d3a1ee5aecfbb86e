"""Dealing: what holds for every draw, and for every extension of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from arena.records import Debate, digest
from arena.scheduling.dealing import Field, deal, deal_wave, missing_legs, pair_of
from arena.scheduling.fixed import round_robin
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
from tests.support.tournaments import motion


def drawn(field: Field, k: int, stored: Iterable[Debate] = ()) -> list[Debate]:
    meetings = round_robin(field.participants, matchups_per_pair=k)
    return deal(field, meetings, stored=stored)


def small(**changes: object) -> Field:
    """Return a field of two on three motions in English."""
    field = Field(
        tournament="t", seed=1, participants=["a", "b"], motions=motion_set(1), languages=["en"]
    )
    return replace(field, **changes)  # type: ignore[arg-type]


def other_leg(debate: Debate) -> Debate:
    """Return the other leg of a debate's matchup."""
    leg = 1 - debate.leg
    swapped = replace(debate, leg=leg, pro=debate.con, con=debate.pro)
    return replace(swapped, debate_id=digest(debate.matchup_id, leg))


@draws
@given(FIELDS, MATCHUPS)
def test_every_matchup_has_two_legs_that_differ_in_the_sides_alone(field: Field, k: int) -> None:
    debates = drawn(field, k)
    for one, other in zip(debates[::2], debates[1::2], strict=True):
        assert one.pro != one.con
        assert (one.leg, other) == (0, other_leg(one))
    assert len({one.debate_id for one in debates}) == len(debates)
    assert len({one.matchup_id for one in debates}) == len(debates) // 2


@draws
@given(FIELDS, MATCHUPS, st.randoms(use_true_random=False))
def test_removed_legs_come_back_as_they_were(field: Field, k: int, random: Random) -> None:
    debates = drawn(field, k)
    removed = {debate for debate in debates if debate.leg == random.randrange(2)}
    removed = {debate for debate in removed if random.random() < 0.5}
    removed -= {other_leg(debate) for debate in removed if debate.leg == 0}
    stored = [debate for debate in debates if debate not in removed]
    back = missing_legs(stored)
    assert set(back) == removed and missing_legs(debates) == []
    assert drawn(field, k, [*stored, *back]) == []


@draws
@given(FIELDS, MATCHUPS, st.data())
def test_where_a_matchup_is_removed_ids_stay_unique(
    field: Field, k: int, data: st.DataObject
) -> None:
    debates = drawn(field, k)
    gone = data.draw(st.sampled_from(sorted({debate.matchup_id for debate in debates})))
    stored = [debate for debate in debates if debate.matchup_id != gone]
    added = drawn(field, k, stored)
    assert len(added) == 2
    assert not {one.debate_id for one in added} & {one.debate_id for one in stored}


@draws
@given(FIELDS, MATCHUPS)
def test_motions_categories_and_languages_of_a_pair_are_balanced(field: Field, k: int) -> None:
    debates = drawn(field, k)
    known = [one.motion_id for one in field.motions]
    for pair in pairs(field):
        dealt = of_pair(debates, pair)
        assert spread((one.motion_id for one in dealt), known) <= 1
        assert spread(map(category, dealt), CATEGORIES) <= 1
        assert spread((one.language for one in dealt), field.languages) <= 1
        met = Counter((one.motion_id, one.language) for one in dealt)
        repeats = {(one.motion_id, one.language, one.repeat) for one in dealt}
        assert repeats == {(*what, n) for what, times in met.items() for n in range(times)}
    assert spread(map(category, first_legs(drawn(field, 1))), CATEGORIES) <= 1


@draws
@given(FIELDS, MATCHUPS, st.randoms(use_true_random=False))
def test_no_order_plays_a_part(field: Field, k: int, random: Random) -> None:
    shuffled = replace(
        field,
        participants=random.sample(field.participants, len(field.participants)),
        motions=random.sample(field.motions, len(field.motions)),
        languages=field.languages[::-1],
    )
    expected = drawn(field, k)
    assert drawn(shuffled, k) == expected
    assert drawn(field, k) == expected


@draws
@given(FIELDS, MATCHUPS)
def test_more_repeats_give_what_they_would_have_given_at_once(field: Field, k: int) -> None:
    stored = drawn(field, k)
    added = drawn(field, k + 2, stored=stored)
    assert [*stored, *added] == drawn(field, k + 2)
    assert drawn(field, k, stored=stored) == []


@draws
@given(FIELDS, MATCHUPS)
def test_a_newcomer_meets_everyone_and_changes_no_stored_pairing(field: Field, k: int) -> None:
    stored = drawn(field, k)
    larger = replace(field, participants=["newcomer", *field.participants])
    added = drawn(larger, k, stored=stored)
    assert all("newcomer" in (one.pro, one.con) for one in added)
    met = Counter(frozenset((one.pro, one.con)) for one in first_legs([*stored, *added]))
    assert met == {pair: k for pair in pairs(larger)}
    known = [one.motion_id for one in field.motions]
    for pair in pairs(larger):
        assert spread((one.motion_id for one in of_pair(added, pair)), known) <= 1


@draws
@given(FIELDS, st.integers(1, 3))
def test_new_motions_are_debated_first_and_change_no_stored_pairing(field: Field, k: int) -> None:
    stored = drawn(field, k)
    new = [motion(f"{name}-new", name, also="新题") for name in CATEGORIES]
    larger = replace(field, motions=[*field.motions, *new])
    assert drawn(larger, k, stored=stored) == []
    everything = k + len(larger.motions)
    added = drawn(larger, everything, stored=stored)
    for pair in pairs(field):
        debated = {one.motion_id for one in of_pair([*stored, *added], pair)}
        assert debated == {one.motion_id for one in larger.motions}
    assert len({one.debate_id for one in (*stored, *added)}) == len(stored) + len(added)


def test_a_motion_is_dealt_in_a_language_that_it_has() -> None:
    motions = [motion("fact-1"), motion("fact-2", also="二")]
    field = small(motions=motions, languages=["en", "zh"])
    debates = first_legs(drawn(field, 6))
    dealt = Counter((one.motion_id, one.language) for one in debates)
    assert dealt == {("fact-1", "en"): 3, ("fact-2", "zh"): 3}


def test_another_seed_gives_other_pairings() -> None:
    field = small(participants=["a", "b", "c", "d"], motions=motion_set(4))
    draws = {
        tuple((one.motion_id, one.pro, one.con) for one in drawn(field, 2))
        for field in (replace(field, seed=seed) for seed in range(5))
    }
    assert len(draws) == 5


def test_another_tournament_has_the_same_pairings_under_other_ids() -> None:
    field = small()
    one = drawn(field, 1)
    other = drawn(replace(field, tournament="u"), 1)
    assert [debate.motion_id for debate in one] == [debate.motion_id for debate in other]
    assert {debate.debate_id for debate in one}.isdisjoint(debate.debate_id for debate in other)


def test_ids_hash_what_a_debate_is() -> None:
    field = small(seed=7, participants=["b", "a"], motions=[motion()])
    for n, debate in enumerate(drawn(field, 2)):
        assert debate.matchup_id == digest("t", "fact-1", "en", ["a", "b"], n // 2)
        assert debate.debate_id == digest(debate.matchup_id, n % 2)
        assert (debate.repeat, debate.leg) == (n // 2, n % 2)


@draws
@given(FIELDS, st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), max_size=30), st.data())
def test_a_wave_uses_the_motions_of_a_category_evenly(
    field: Field, drawn_pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    names, size = sorted(field.participants), len(field.participants)
    wave = [
        pair_of(names[a % size], names[(a + 1 + b % (size - 1)) % size]) for a, b in drawn_pairs
    ]
    cut = data.draw(st.integers(0, len(wave)))
    stored = deal_wave(field, wave[:cut])
    debates = [*stored, *deal_wave(field, wave[cut:], stored=stored)]
    assert debates == deal_wave(field, wave)
    assert [pair_of(*pair) for pair in wave] == [
        pair_of(debate.pro, debate.con) for debate in first_legs(debates)
    ]
    uses = [debate.motion_id for debate in first_legs(debates)]
    for kind in CATEGORIES:
        known = [one.motion_id for one in field.motions if one.category == kind]
        assert spread(uses, known) <= 1
    for name in names:
        sides = [(debate.pro == name) - (debate.con == name) for debate in debates]
        assert sum(sides) == 0


def test_retired_motions_are_not_dealt_unless_all_are() -> None:
    field = small(motions=motion_set(2))
    wave = [("a", "b")] * 8
    retired = {"fact-0", "value-1"}
    dealt = Counter(one.motion_id for one in first_legs(deal_wave(field, wave, retired=retired)))
    assert set(dealt) == {one.motion_id for one in field.motions} - retired
    every = {one.motion_id for one in field.motions}
    assert {one.motion_id for one in deal_wave(field, wave, retired=every)} == every

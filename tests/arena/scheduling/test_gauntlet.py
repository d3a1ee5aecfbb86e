"""Gauntlet: newcomers against the others, on top of whatever was played before."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from arena.records import Debate
from arena.scheduling.dealing import Field, deal
from arena.scheduling.gauntlet import gauntlet
from arena.scheduling.round_robin import round_robin
from tests.arena.scheduling.fields import (
    FIELDS,
    MATCHUPS,
    draws,
    first_legs,
    of_pair,
    pairs,
    spread,
)

NEW = ["new-1", "new-2"]


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
def test_more_repeats_give_what_they_would_have_given_at_once(field: Field, k: int) -> None:
    new = field.participants[0]

    def meetings(rounds: int) -> list[tuple[str, str]]:
        return list(gauntlet(field.participants, newcomers=[new], matchups_per_pair=rounds))

    stored = deal(field, meetings(k))
    added = deal(field, meetings(k + 2), stored=stored)
    assert [*stored, *added] == deal(field, meetings(k + 2))


@draws
@given(FIELDS, MATCHUPS)
def test_motions_and_sides_are_balanced(field: Field, k: int) -> None:
    new = field.participants[0]
    debates = deal(field, gauntlet(field.participants, newcomers=[new], matchups_per_pair=k))
    known = [one.motion_id for one in field.motions]
    for old in field.participants[1:]:
        dealt = of_pair(debates, frozenset((new, old)))
        assert spread((one.motion_id for one in dealt), known) <= 1
    assert sum(one.pro == new for one in debates) == sum(one.con == new for one in debates)

"""Schedules that are one wave: the same plans as dealing the pairs at once."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from arena.scheduling.dealing import Field, Pair, deal, pair_of
from arena.scheduling.fixed import FixedSchedule
from arena.scheduling.gauntlet import gauntlet
from arena.scheduling.random_pairs import random_pairs
from arena.scheduling.round_robin import round_robin
from arena.scheduling.waves import Wave
from tests.arena.scheduling.fields import FIELDS, MATCHUPS, draws
from tests.arena.scheduling.rounds import of, situation


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
    for pairs in kinds(field, k):
        every = list(pairs)
        begun = deal(field, every)[: 2 * stored]
        known = [pair_of(debate.pro, debate.con) for debate in begun if debate.leg == 0]
        now = situation(field.participants, [of(*known)])
        wave = FixedSchedule.of(every).next_wave(now)
        assert [pair_of(*pair) for pair in wave.pairs] == every[len(known) :]
        whole = deal(field, [*known, *wave.pairs], stored=begun)
        assert [*begun, *whole] == deal(field, every)


def test_everything_is_one_wave() -> None:
    schedule = FixedSchedule.of([("a", "b"), ("a", "b"), ("b", "c")])
    first = schedule.next_wave(situation("abc", usd={"a": 1.0}))
    assert first.pairs == (("a", "b"), ("a", "b"), ("b", "c"))
    assert [meeting.usd for meeting in first.meetings] == [2.0, 2.0, 0.0]
    assert schedule.next_wave(situation("abc", [first])) == Wave(meetings=[])

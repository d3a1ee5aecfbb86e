"""Knockouts: seeding, drawn contests, waiting, and who leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.errors import ConfigError
from arena.scheduling.fixed import FixedSchedule, round_robin
from arena.scheduling.knockout import PHASE, Knockout, play_rounds
from arena.scheduling.standings import count_points
from arena.scheduling.swiss import Swiss
from arena.scheduling.waves import Wave
from tests.arena.scheduling.rounds import of, play, situation, stronger

NAMES = "abcdefgh"
STRENGTHS = {name: -float(index) for index, name in enumerate(NAMES)}
JUDGE = stronger(STRENGTHS)
EVERYBODY = of(*round_robin(NAMES, matchups_per_pair=1))


def draw(pro: str, con: str) -> float:
    return 0.5


def after_round_robin(entrants: int) -> Knockout:
    return Knockout(after=FixedSchedule(tuple(EVERYBODY.pairs)), entrants=entrants)


def test_the_first_meets_the_last_and_the_best_win() -> None:
    waves = play(after_round_robin(8), NAMES, JUDGE)
    assert [wave.pairs for wave in waves] == [
        EVERYBODY.pairs,
        (("a", "h"), ("d", "e"), ("b", "g"), ("c", "f")),
        (("a", "d"), ("b", "c")),
        (("a", "b"),),
    ]
    assert [wave.phase for wave in waves] == ["", PHASE, PHASE, PHASE]


def test_first_seeds_go_through_the_first_round_of_five() -> None:
    waves = play(after_round_robin(5), NAMES, JUDGE)[1:]
    assert [wave.pairs for wave in waves] == [
        (("d", "e"),),
        (("a", "d"), ("b", "c")),
        (("a", "b"),),
    ]
    assert waves[0].byes == ("a", "b", "c")


def test_a_drawn_contest_goes_on_until_lots_are_drawn() -> None:
    waves = play(after_round_robin(2), NAMES, draw)[1:]
    assert len({wave.pairs for wave in waves}) == 1
    assert len(waves) == 3
    four = play(after_round_robin(4), NAMES, draw)[1:]
    assert [len(wave.pairs) for wave in four] == [2, 2, 2, 1, 1, 1]
    assert {name for name in four[3].pairs[0]} <= {name for pair in four[0].pairs for name in pair}


def test_open_results_are_waited_for_while_others_go_on() -> None:
    first = of(("a", "d"), ("b", "c"), phase=PHASE)
    known = [*range(len(EVERYBODY.meetings)), len(EVERYBODY.meetings)]
    now = situation(NAMES, [EVERYBODY, first], judge=JUDGE, judged=known)
    wave = after_round_robin(4).next_wave(now)
    assert (wave.pairs, wave.waits) == ((), True)
    tied = situation(NAMES, [EVERYBODY, first], judge=draw, judged=known)
    wave = after_round_robin(4).next_wave(tied)
    assert (wave.pairs, wave.waits) == ((("a", "d"),), False)


def test_who_leaves_loses() -> None:
    first = of(("a", "d"), ("b", "c"), phase=PHASE)
    now = situation("bcdefgh", [EVERYBODY, first], judge=JUDGE)
    assert after_round_robin(4).next_wave(now).pairs == (("b", "d"),)


def test_a_forfeited_debate_is_lost() -> None:
    final = [EVERYBODY, of(("a", "b"), phase=PHASE)]
    number = len(EVERYBODY.meetings)
    played = range(number)
    open_final = situation(NAMES, final, judge=JUDGE, judged=played)
    knockout = after_round_robin(2)
    assert knockout.next_wave(open_final).waits
    lost = replace(open_final, forfeits={number: ["b", "b"]})
    assert (knockout.next_wave(lost).waits, knockout.next_wave(lost).pairs) == (False, ())
    assert play_rounds(lost)[-1][0].winner == "b"
    assert count_points(lost)["b"] == count_points(open_final)["b"] + 1
    drawn = replace(open_final, forfeits={number: ["a", "b"]})
    assert knockout.next_wave(drawn).pairs == (("a", "b"),)
    both = replace(open_final, forfeits={number: ["", ""]})
    assert knockout.next_wave(both).pairs == (("a", "b"),)


def test_it_follows_any_schedule_and_takes_no_more_than_there_are() -> None:
    waves = play(Knockout(after=Swiss(rounds=3), entrants=16), NAMES[:6], JUDGE)
    assert [wave.phase for wave in waves] == ["", "", "", PHASE, PHASE, PHASE]
    assert waves[-1].pairs == (("a", "b"),)
    assert after_round_robin(4).next_wave(situation("a")) == Wave()


def test_one_entrant_is_no_knockout() -> None:
    with pytest.raises(ConfigError, match="2 entrants"):
        after_round_robin(1)

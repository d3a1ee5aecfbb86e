"""Swiss rounds: brackets, floats, rematches and byes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records import Debate
from arena.scheduling.dealing import Field, deal_wave
from arena.scheduling.standings import count_points, rank_by_points
from arena.scheduling.swiss import Swiss, match_all
from arena.scheduling.waves import Wave
from tests.arena.scheduling.fields import motion_set
from tests.arena.scheduling.rounds import by_strength, of, play, situation, stronger

NAMES = "abcdefghijk"
STRENGTHS = {name: -0.3 * index for index, name in enumerate(NAMES)}

few = settings(max_examples=12, deadline=None)


def rounds_of(size: int, rounds: int, seed: int) -> list[Wave]:
    judge = by_strength(STRENGTHS, seed=seed)
    return play(Swiss(rounds=rounds), NAMES[:size], judge, seed=seed)


@few
@given(st.integers(2, 11), st.integers(1, 14), st.integers(0, 99))
def test_everybody_is_in_every_round_once_and_byes_go_round(
    size: int, rounds: int, seed: int
) -> None:
    waves = rounds_of(size, rounds, seed)
    assert len(waves) == rounds
    for wave in waves:
        named = [*wave.byes, *(name for pair in wave.pairs for name in pair)]
        assert sorted(named) == sorted(NAMES[:size])
        assert len(wave.byes) == size % 2
    byes = Counter(name for wave in waves for name in wave.byes)
    counts = [byes[name] for name in NAMES[:size]]
    assert max(counts) - min(counts) <= 1


@few
@given(st.integers(2, 6).map(lambda half: 2 * half - 2), st.integers(0, 99))
def test_opponents_are_met_anew_while_that_can_be(size: int, seed: int) -> None:
    met: Counter[object] = Counter()
    for wave in rounds_of(size, max(1, size // 2), seed):
        met.update(wave.pairs)
    assert max(met.values(), default=0) <= 1


def test_a_rematch_comes_only_after_all_others_were_met() -> None:
    met: Counter[object] = Counter()
    for wave in rounds_of(4, 9, 3):
        met.update(wave.pairs)
        counts = [met[pair] for pair in combinations(NAMES[:4], 2)]
        assert max(counts) - min(counts) <= 1


def test_equals_meet_equals_and_odd_brackets_float() -> None:
    waves = [of(("a", "b"), ("c", "d"), ("e", "f"))]
    now = situation("abcdef", waves, judge=stronger(STRENGTHS))
    assert count_points(now) == {"a": 2, "b": 0, "c": 2, "d": 0, "e": 2, "f": 0}
    wave = Swiss(rounds=5).next_wave(now)
    winners = [set(pair) & {"a", "c", "e"} for pair in wave.pairs]
    assert sorted(len(names) for names in winners) == [0, 1, 2]
    reasons = sorted(meeting.reason for meeting in wave.meetings)
    assert reasons == ["2 points against 0", "both have 0 points", "both have 2 points"]


def test_the_last_without_a_bye_has_it() -> None:
    waves = [of(("a", "b"), byes=("c",)), of(("a", "c"), byes=("b",))]
    now = situation("abc", waves, judge=stronger(STRENGTHS))
    assert rank_by_points(now) == ["a", "c", "b"]
    assert Swiss(rounds=5).next_wave(now).byes == ("a",)
    now = situation("abcde", [of(("a", "b"), ("c", "d"), byes=("e",))], judge=stronger(STRENGTHS))
    assert Swiss(rounds=5).next_wave(now).byes[0] in {"b", "d"}


def test_an_open_matchup_counts_as_a_draw_and_a_bye_as_a_win() -> None:
    waves = [of(("a", "b"), ("c", "d"), byes=("e",))]
    now = situation("abcde", waves, judge=stronger(STRENGTHS), judged=[0])
    assert count_points(now) == {"a": 2, "b": 0, "c": 1, "d": 1, "e": 2}


def test_waves_of_another_schedule_are_no_rounds() -> None:
    """A newcomer that `arena add --play` placed takes no round from the others."""
    first = of(("a", "b"), ("c", "d"), kind="swiss")
    newcomer = of(("a", "e"), ("c", "e"), kind="adaptive")
    judge = by_strength(STRENGTHS)
    following = Swiss(rounds=2).next_wave(situation("abcde", [first, newcomer], judge=judge))
    assert len(following.meetings) == 2
    ended = [first, newcomer, replace(following, kind="swiss")]
    assert not Swiss(rounds=2).next_wave(situation("abcde", ended, judge=judge)).meetings


def test_who_has_left_is_not_paired() -> None:
    waves = [of(("a", "b"), ("c", "d"))]
    now = situation("abc", waves, judge=stronger(STRENGTHS))
    wave = Swiss(rounds=5).next_wave(now)
    assert {*wave.byes, *wave.pairs[0]} == {"a", "b", "c"}
    assert Swiss(rounds=5).next_wave(situation("a")) == Wave()


def test_the_seed_decides_the_first_round_and_nothing_else_does() -> None:
    first = {Swiss(rounds=1).next_wave(situation("abcdef", seed=seed)).pairs for seed in range(9)}
    again = {Swiss(rounds=1).next_wave(situation("fedcba", seed=seed)).pairs for seed in range(9)}
    assert len(first) > 1
    assert first == again


def test_rounds_deal_motions_and_sides_evenly() -> None:
    names, motions = list(NAMES[:5]), motion_set(3)
    field = Field(tournament="t", seed=1, participants=names, motions=motions, languages=["en"])
    debates: list[Debate] = []
    for wave in rounds_of(5, 8, 1):
        debates += deal_wave(field, wave.pairs, stored=debates)
    sides = Counter(name for debate in debates for name in (debate.pro, "-" + debate.con))
    assert all(sides[name] == sides["-" + name] for name in field.participants)
    known = Counter(frozenset([debate.pro, debate.con, debate.motion_id]) for debate in debates)
    assert set(known.values()) == {2}


def matchings(left: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """All ways to pair an even number of positions."""
    if not left:
        yield []
        return
    first, others = left[0], left[1:]
    for other in others:
        for rest in matchings(tuple(name for name in others if name != other)):
            yield [(first, other), *rest]


def test_no_matching_costs_less() -> None:
    rng = np.random.default_rng(1)
    for size in (2, 4, 6, 8) * 5:
        costs = {pair: int(rng.integers(10**12)) for pair in combinations(range(size), 2)}
        matched = match_all(size, costs)
        assert sorted(position for pair in matched for position in pair) == list(range(size))
        least = min(sum(costs[pair] for pair in way) for way in matchings(tuple(range(size))))
        assert sum(costs[pair] for pair in matched) == least


def test_as_many_as_possible_are_matched() -> None:
    assert sorted(match_all(4, {(0, 1): 0, (0, 2): 10**15, (1, 3): 10**15})) == [(0, 2), (1, 3)]
    assert match_all(3, {(0, 1): 5}) == [(0, 1)]

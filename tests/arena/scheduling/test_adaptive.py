"""The adaptive schedule: what it prefers, and what it always does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from arena.errors import ConfigError
from arena.scheduling.adaptive import Adaptive, Groups, Index, Prospects, matchups_per_wave
from arena.scheduling.belief import Belief, form_belief, form_even_belief
from arena.scheduling.objective import Objective, wrong_order_slopes
from arena.scheduling.waves import Meeting, Wave
from tests.arena.scheduling.rounds import by_strength, of, play, situation

NAMES = "abcdefgh"
STRENGTHS = {name: 3.0 - 0.8 * index for index, name in enumerate(NAMES)}
WIDE = {name: 3 * value for name, value in STRENGTHS.items()}
RANKING = Objective(kind="ranking")
ROUND_ROBIN = of(*((x, y) for x in NAMES for y in NAMES if x < y))
PLAYED = situation(NAMES, [ROUND_ROBIN] * 4, judge=by_strength(STRENGTHS, seed=3))


def of_wave(kind: str = "ranking", *, matchups: int = 12, **fields: object) -> Wave:
    objective = Objective(kind=kind, **fields)  # type: ignore[arg-type]
    return Adaptive(matchups=matchups, objective=objective).next_wave(PLAYED)


@settings(max_examples=12, deadline=None)
@given(st.integers(2, 8), st.integers(1, 9), st.integers(0, 99))
def test_everybody_plays_and_is_linked_with_everybody(size: int, matchups: int, seed: int) -> None:
    waves: list[Wave] = []
    while sum(len(wave.meetings) for wave in waves) < size - 1:
        now = situation(NAMES[:size], waves, judge=by_strength(STRENGTHS), seed=seed)
        waves.append(Adaptive(matchups=matchups).next_wave(now))
        assert len(waves[-1].meetings) == matchups
    pairs = [pair for wave in waves for pair in wave.pairs]
    groups = Groups.linked(NAMES[:size], pairs)
    others = np.arange(1, size)
    assert not groups.differ(np.zeros_like(others), others).any()


def test_a_large_field_is_linked_by_its_first_wave() -> None:
    names = [f"p{number:03}" for number in range(100)]
    usd = {name: 1.0 + (number % 7) for number, name in enumerate(names)}
    wave = Adaptive(matchups=99).next_wave(situation(names, usd=usd))
    groups = Groups.linked(names, wave.pairs)
    assert not groups.differ(np.zeros(99, dtype=np.intp), np.arange(1, 100)).any()


def test_the_gain_of_each_pick_is_what_the_matrices_say() -> None:
    belief, low, high = form_belief(PLAYED), *np.triu_indices(len(NAMES), 1)
    needs = Objective().needs(belief)
    prospects = Prospects(belief, needs)
    assert np.allclose(prospects.all_gains()[low, high], _watched(prospects, low, high).gains())
    covariance = belief.covariance
    information = belief.information(belief.gaps(), belief.variances())[low, high]
    for pick in (3, 7, 3, 11, 0):
        contrast = np.eye(len(NAMES))[low[pick]] - np.eye(len(NAMES))[high[pick]]
        inverse = np.linalg.inv(covariance) + information[pick] * np.outer(contrast, contrast)
        lowered = np.linalg.inv(inverse)
        assert prospects.gains()[pick] == pytest.approx(np.trace(needs @ (covariance - lowered)))
        prospects.expect(pick)
        covariance = lowered
        errors = [
            covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
            for i, j in zip(low, high, strict=True)
        ]
        assert np.allclose(prospects.deviations(), np.sqrt(errors))


def _watched(prospects: Prospects, low: Index, high: Index) -> Prospects:
    prospects.watch(low, high)
    return prospects


def test_slopes_are_those_of_the_expected_wrong_orders() -> None:
    belief = form_belief(PLAYED)
    slope = wrong_order_slopes(belief)
    rng = np.random.default_rng(0)
    for i, j in ((0, 1), (2, 5), (1, 3)):
        gap, variance = belief.gaps()[i, j], belief.variances()[i, j]
        later = rng.normal(gap, (variance / 2) ** 0.5, 400_000)
        wrong = ndtr(-abs(later) / (variance / 2) ** 0.5).mean()
        fall = ndtr(-abs(gap) / variance**0.5) - wrong
        assert slope[i, j] * variance / 2 == pytest.approx(fall, rel=0.05, abs=2e-4)
    assert not slope.diagonal().any()


def test_neighbours_meet_rather_than_first_and_last() -> None:
    distance = [ord(pair[1]) - ord(pair[0]) for pair in of_wave().pairs]
    assert np.mean(distance) < 2.5 < np.mean([abs(x - y) for x in range(8) for y in range(x)])


def test_half_the_price_is_preferred_to_a_little_more_gain() -> None:
    cheap = set("aceg")
    usd = {name: 0.1 if name in cheap else 2.0 for name in NAMES}
    now = situation(NAMES, [ROUND_ROBIN] * 4, judge=by_strength(STRENGTHS, seed=3), usd=usd)
    wave = Adaptive(matchups=12).next_wave(now)
    spent = sum(meeting.usd for meeting in wave.meetings)
    usual = sum(now.price(pair) for pair in of_wave().pairs)
    assert spent < 0.8 * usual
    assert wave.meetings[0].usd == pytest.approx(now.price(wave.pairs[0]))


def test_a_newcomer_meets_others_and_others_do_not_meet() -> None:
    now = situation([*NAMES, "new"], [ROUND_ROBIN], judge=by_strength(STRENGTHS))
    objective = Objective(kind="newcomer", newcomers=frozenset({"new"}))
    wave = Adaptive(matchups=9, objective=objective).next_wave(now)
    assert all("new" in pair for pair in wave.pairs)
    assert "links two groups" in wave.meetings[0].reason
    assert not any("links" in meeting.reason for meeting in wave.meetings[1:])


def test_the_top_is_what_the_top_needs() -> None:
    def at_the_top(wave: Wave) -> float:
        return float(np.mean([name in "ab" for pair in wave.pairs for name in pair]))

    assert at_the_top(of_wave("top-k", k=2)) > at_the_top(of_wave()) + 0.1
    belief = form_belief(situation(NAMES, [ROUND_ROBIN], judge=by_strength(STRENGTHS)))
    everybody = Objective(kind="top-k", k=99).needs(belief)
    np.testing.assert_array_equal(everybody, RANKING.needs(belief))


def test_precision_is_for_those_who_have_debated_least() -> None:
    waves = [of(*ROUND_ROBIN.pairs, *(pair for pair in ROUND_ROBIN.pairs if "h" not in pair))]
    now = situation(NAMES, waves * 3, judge=by_strength(STRENGTHS))
    wave = Adaptive(matchups=4, objective=Objective(kind="precision")).next_wave(now)
    chosen = [meeting.pair for meeting in wave.meetings if is_guided(meeting)]
    assert len(chosen) > 1
    assert all("h" in pair for pair in chosen)


def is_guided(meeting: Meeting) -> bool:
    return not meeting.reason.startswith("whatever the results; ")


def waves_of(
    strengths: dict[str, float], rounds: int = 1, objective: Objective = RANKING
) -> list[Wave]:
    return [
        Adaptive(matchups=4, objective=objective).next_wave(
            situation(
                NAMES, [ROUND_ROBIN] * rounds, judge=by_strength(strengths, seed=seed), seed=seed
            )
        )
        for seed in range(100)
    ]


def test_results_guide_only_as_far_as_ratings_are_more_than_chance() -> None:
    equal = waves_of(dict.fromkeys(NAMES, 0.0), rounds=3)
    wide = waves_of(WIDE, rounds=3)
    outlier = waves_of(dict.fromkeys(NAMES, 0.0) | {NAMES[0]: 3.0}, rounds=3)
    top = waves_of(WIDE, rounds=3, objective=Objective(kind="top-k", k=2))
    shares = ((equal, 0.0, 0.15), (outlier, 0.0, 0.15), (wide, 0.29, 0.3), (top, 0.6, 0.75))
    for waves, low, high in shares:
        planned = np.mean([wave.guided for wave in waves])
        assert low <= planned <= high
        picked = np.mean([is_guided(meeting) for wave in waves for meeting in wave.meetings])
        assert picked == pytest.approx(planned, abs=0.06)


def test_the_other_matchups_are_the_same_whatever_the_results_are() -> None:
    now, turned = (
        situation(NAMES, [ROUND_ROBIN], judge=by_strength({n: s * v for n, v in STRENGTHS.items()}))
        for s in (1, -1)
    )
    for each in (now, turned):
        assert form_belief(each).reliability > 0.3
    assert (
        Adaptive(matchups=8, guided=0.0).next_wave(now).pairs
        == Adaptive(matchups=8, guided=0.0).next_wave(turned).pairs
    )


def test_errors_of_equals_are_those_of_a_fit_of_ties() -> None:
    waves = [of(*ROUND_ROBIN.pairs), of(("a", "b"), ("a", "c"))]
    tied = situation(NAMES, waves, judge=lambda *_: 0.5)
    real = form_belief(tied)
    assert real.reliability == 0.0
    even = form_even_belief(tied, real)
    assert even.variances() == pytest.approx(real.variances())
    some = form_even_belief(tied, real.of(("a", "c", "h")))
    assert some.variances() == pytest.approx(even.of(("a", "c", "h")).variances())


def test_awaited_results_are_counted_on() -> None:
    def belief(*more: Wave) -> Belief:
        judged = range(4 * len(ROUND_ROBIN.meetings))
        judge = by_strength(STRENGTHS, seed=3)
        return form_belief(
            situation(NAMES, [*[ROUND_ROBIN] * 4, *more], judge=judge, judged=judged)
        )

    now, waiting = belief(), belief(of(("g", "h")))
    gap, variance = now.gaps()[6, 7], now.variances()[6, 7]
    expected = 1 / (1 / variance + now.information(gap, variance))
    assert waiting.variances()[6, 7] == pytest.approx(expected)
    assert np.array_equal(belief(of(("g", "h")), Wave(), Wave()).covariance, now.covariance)


def test_who_is_away_is_not_paired_until_they_are_back() -> None:
    waves = [of(("a", "b"), ("a", "c"), ("c", "d")), of(("b", "c")), of(("b", "d")), of(("a", "d"))]
    judge = by_strength(STRENGTHS)
    away = situation("abcd", waves, judge=judge, judged=[2, 3, 4])
    assert away.present == ("b", "c", "d")
    assert all("a" not in pair for pair in Adaptive(matchups=6).next_wave(away).pairs)
    back = situation("abcd", waves, judge=judge, judged=[2, 3, 4, 5])
    assert back.present == tuple("abcd")
    alone = situation("ab", [of(("a", "b")), Wave(), Wave()])
    assert Adaptive(matchups=6).next_wave(alone) == Wave(waits=True)


def test_a_wave_depends_on_seed_and_situation_alone() -> None:
    waves = {Adaptive(matchups=4).next_wave(situation(NAMES, seed=seed)).pairs for seed in range(9)}
    again = {
        Adaptive(matchups=4).next_wave(situation(NAMES[::-1], seed=seed)).pairs for seed in range(9)
    }
    assert len(waves) > 1
    assert waves == again


def test_it_finds_the_order() -> None:
    waves = play(Adaptive(matchups=4), NAMES, by_strength(STRENGTHS), most=25)
    assert len(waves) == 25
    belief = form_belief(situation(NAMES, waves, judge=by_strength(STRENGTHS)))
    order = "".join(NAMES[index] for index in np.argsort(-belief.strength))
    assert sum(abs(order.index(name) - NAMES.index(name)) for name in NAMES) <= 6


def test_one_participant_has_nobody_to_meet() -> None:
    assert Adaptive(matchups=3).next_wave(situation("a")) == Wave()
    assert [matchups_per_wave(size) for size in (2, 3, 10, 31)] == [1, 1, 5, 15]


def test_an_objective_says_all_it_needs() -> None:
    with pytest.raises(ConfigError, match="k = 0"):
        Objective(kind="top-k")
    with pytest.raises(ConfigError, match="name at least one"):
        Objective(kind="newcomer")

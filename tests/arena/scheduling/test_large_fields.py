"""Schedules of large fields, whose parts are planned apart: by the slow way, and in small."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scheduling import adaptive, large_fields, standings, swiss
from arena.scheduling.adaptive import Adaptive, Groups
from arena.scheduling.belief import form_belief, form_even_belief
from arena.scheduling.large_fields import estimate_strengths, form_beliefs, split_field
from arena.scheduling.objective import Objective
from arena.scheduling.swiss import Swiss
from arena.scheduling.waves import Wave
from ratings import Model, fit
from tests.arena.scheduling.rounds import by_strength, of, play, situation

NAMES = tuple(f"p{number:02}" for number in range(24))
STRENGTHS = {name: 2.0 - 0.2 * index for index, name in enumerate(NAMES)}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a field of more than eight be a large one, with parts of at most eight."""
    for module in (adaptive, standings, swiss):
        monkeypatch.setattr(module, "LARGEST_WHOLE", 8)
    monkeypatch.setattr(large_fields, "PART", 8)
    monkeypatch.setattr(swiss, "_REACH", 8)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99), st.integers(0, 3))
def test_strengths_are_those_of_the_dense_fit(seed: int, waves: int) -> None:
    pairs = of(*((x, y) for x in NAMES for y in NAMES if x < y))
    rows = situation(NAMES, [pairs] * waves, judge=by_strength(STRENGTHS, seed=seed)).comparisons
    dense = fit(rows, Model(penalty=300.0)).gamma
    assert np.allclose(estimate_strengths(rows), dense, atol=1e-6)


def test_beliefs_of_parts_are_those_of_the_whole() -> None:
    pairs = of(*zip(NAMES, NAMES[1:], strict=False))
    close = {name: strength / 9 for name, strength in STRENGTHS.items()}  # the prior is not widened
    now = situation(NAMES, [pairs] * 2, judge=by_strength(close, seed=1))
    parts = (NAMES[::2], NAMES[1::2])
    whole = form_belief(now)
    even = form_even_belief(now, whole)
    for names, (belief, equal) in zip(parts, form_beliefs(now, parts), strict=True):
        assert np.allclose(belief.gaps(), whole.of(names).gaps(), atol=1e-6)
        assert np.allclose(belief.variances(), whole.of(names).variances())
        assert np.allclose(equal.variances(), even.of(names).variances())
        assert belief.weight == equal.weight == whole.weight
        assert not equal.strength.any()


def test_awaited_matchups_count_as_known() -> None:
    before = form_beliefs(situation(NAMES), [NAMES])[0]
    after = form_beliefs(situation(NAMES, [of((NAMES[0], NAMES[1]))]), [NAMES])[0]
    for old, new in zip(before, after, strict=True):
        assert new.variances()[0, 1] < 0.8 * old.variances()[0, 1]
        assert new.variances()[2, 3] == pytest.approx(old.variances()[2, 3])


@pytest.mark.usefixtures("large")
def test_parts_are_the_field_and_differ_from_wave_to_wave() -> None:
    rng = np.random.default_rng(0)
    parts = split_field(NAMES, (), rng)
    assert sorted(name for part in parts for name in part) == list(NAMES)
    assert [len(part) for part in parts] == [8, 8, 8]
    assert all(list(part) == sorted(part) for part in parts)
    assert split_field(NAMES, (), rng) != parts
    (alone,) = split_field(NAMES, NAMES[:2], rng)
    assert {*NAMES[:2]} < {*alone}
    assert len(alone) == 8


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "objective",
    [Objective(), Objective(kind="top-k", k=3), Objective(kind="precision")],
    ids=lambda objective: objective.kind,
)
def test_a_large_field_is_paired_evenly_and_linked(objective: Objective) -> None:
    waves: list[Wave] = []
    schedule = Adaptive(matchups=12, objective=objective)
    for _ in range(8):
        waves.append(
            schedule.next_wave(situation(NAMES, waves, judge=by_strength(STRENGTHS, seed=2)))
        )
        assert len(waves[-1].meetings) == 12
    first = Counter(name for pair in waves[0].pairs for name in pair)
    assert set(first.values()) == {1}, "equals, of whom nobody has met anybody"
    groups = Groups.linked(NAMES, [pair for wave in waves for pair in wave.pairs])
    others = np.arange(1, len(NAMES))
    assert not groups.differ(np.zeros_like(others), others).any()
    again = situation(NAMES, waves[:3], judge=by_strength(STRENGTHS, seed=2))
    assert schedule.next_wave(again) == waves[3]


@pytest.mark.usefixtures("large")
def test_results_guide_the_waves_of_a_wide_large_field() -> None:
    pairs = of(*((x, y) for x in NAMES for y in NAMES if x < y))
    now = situation(NAMES, [pairs] * 6, judge=by_strength(STRENGTHS, seed=3))
    top = Adaptive(matchups=24, objective=Objective(kind="top-k", k=6)).next_wave(now)
    assert top.guided is not None
    assert top.guided > 0.3
    guided = [meeting.pair for meeting in top.meetings if "whatever" not in meeting.reason]
    assert guided
    assert all({*pair} & {*NAMES[:9]} for pair in guided), "who may be among the first six"


@pytest.mark.usefixtures("large")
def test_a_newcomer_of_a_large_field_meets_others() -> None:
    objective = Objective(kind="newcomer", newcomers=frozenset(NAMES[:1]))
    wave = Adaptive(matchups=6, objective=objective).next_wave(situation(NAMES))
    assert len(wave.meetings) == 6
    assert all(NAMES[0] in pair for pair in wave.pairs)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("size", [23, 24])
def test_swiss_rounds_of_a_large_field_pair_all_and_repeat_nobody(size: int) -> None:
    waves = play(Swiss(rounds=6), NAMES[:size], judge=by_strength(STRENGTHS, seed=4))
    met = Counter(pair for wave in waves for pair in wave.pairs)
    assert all(len(wave.meetings) == size // 2 for wave in waves)
    assert set(met.values()) == {1}
    gaps = [abs(NAMES.index(low) - NAMES.index(high)) for low, high in waves[-1].pairs]
    assert np.mean(gaps) < 8.0, "equals meet equals; by lot they would be 8 apart"

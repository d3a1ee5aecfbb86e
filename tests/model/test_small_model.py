"""Every debater and judge on a real small model: nothing is lost to form, and no code fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.config.resolve import ResolvedConfig
from benchmarks.debaters import debaters
from benchmarks.models import (
    ALL_STAGES,
    Outcome,
    judges,
    make_speech,
    take_one_ballot,
)

Note = Callable[[Outcome], Outcome]


def check(outcome: Outcome) -> None:
    """Fail where form cost a speech or a ballot, or code failed; meaning is only counted."""
    assert outcome.answers > 0
    assert outcome.status in ("finished", "forfeit", "valid", "failed"), outcome.reason
    assert not outcome.lost_to_form, outcome.reason
    counted = outcome.as_sent + outcome.bent + outcome.repaired + outcome.given_up
    assert counted == outcome.answers <= outcome.calls


@pytest.mark.model
@pytest.mark.parametrize("name", debaters())
def test_a_constructive(name: str, small_model: ResolvedConfig, noted: Note) -> None:
    outcome = noted(make_speech(name, small_model))
    check(outcome)


@pytest.mark.model
@pytest.mark.parametrize("name", judges())
def test_a_ballot(name: str, small_model: ResolvedConfig, noted: Note) -> None:
    check(noted(take_one_ballot(name, small_model)))


@pytest.mark.deep
@pytest.mark.parametrize("name", debaters())
def test_all_speeches_of_both_sides(name: str, small_model: ResolvedConfig, noted: Note) -> None:
    check(noted(make_speech(name, small_model, ALL_STAGES)))

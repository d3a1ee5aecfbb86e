"""Tournaments under faults: killed, cut off, held up and without room, they come to the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.fault_caps import SHORT_CASES, Case, Result, run_cases
from benchmarks.faults import format_summary, rows_of, run_kills
from tests.support.fork_server import places
from tests.support.forked_commands import forking


@pytest.mark.slow
@pytest.mark.parametrize("kills", [6, pytest.param(25, marks=pytest.mark.deep)])
def test_kills_and_faults_change_nothing_that_is_stored(tmp_path: Path, kills: int) -> None:
    counts = run_kills(tmp_path, kills)
    shown = "\n".join(format_summary(counts))
    assert not counts.differences and not counts.untidy, shown
    assert counts.most_over <= 0, shown
    assert counts.kills.keys() == set(places()) and counts.full_disks, shown
    *_, total = rows_of(counts)
    assert total["kills"] == kills


def _result(*, billed: float = 0.9, rated: float = 0.8, kills: int = 0) -> Result:
    return Result(
        case=Case(at_once=8, kills=kills),
        billed=billed,
        answered=0.85,
        reserved=0.1,
        rated=rated,
        debates=20,
        message="",
    )


def test_a_capped_case_misses_what_it_bills_too_much_or_rates_too_little() -> None:
    assert not _result().misses and not _result(billed=1.0).misses
    assert _result(billed=1.001, rated=0.9).misses == ["8 at once: 1.0010 USD of 1.00 were billed."]
    (miss,) = _result(rated=0.71).misses
    assert miss == "8 at once: 78.9 % of the money bought rated debates, not 80 %."
    assert _result(rated=0.71, kills=1).misses, "of the 0.9 USD that the reservations leave"
    assert not _result(rated=0.73, kills=1).misses


@pytest.mark.deep
@pytest.mark.parametrize("case", SHORT_CASES, ids=lambda case: case.name)
def test_a_cap_holds_and_its_money_buys_ratings(case: Case, tmp_path: Path) -> None:
    with forking() as forker:
        (result,) = run_cases(forker, tmp_path, cases=[case])
    assert not result.misses, result
    assert result.debates >= 10, result

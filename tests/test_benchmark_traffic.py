"""Tournaments on servers that are slow, full, refusing or away, fifty times as fast."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.traffic import Result, chart, row_of, run_case
from benchmarks.traffic_cases import CASES, SCALE, Case

pytestmark = pytest.mark.usefixtures("no_stored_boards")

_CASES = {case.name: case for case in CASES}
#: Fewer calls at once than most, or as many as a run finds out itself, are tried more seldom.
_BETWEEN = (1, 2, 4, 16, None)


def _mark(concurrency: int | None) -> pytest.MarkDecorator:
    return pytest.mark.deep if concurrency in _BETWEEN else pytest.mark.slow


_SLOW_SERVERS = [
    pytest.param(name, marks=_mark(case.concurrency))
    for name, case in _CASES.items()
    if name.startswith("two slots")
]


def check(result: Result, *, lines: int = 0) -> None:
    """Every debate is finished, no call was given up while its server worked at it."""
    assert not result.tally.voided and not result.tally.open
    for ledger in result.ledgers:
        assert ledger.abandoned == 0
        assert len(ledger.identities) == len(set(ledger.identities)), "made twice"
    assert len(result.lines) == lines, result.lines
    assert chart(result) and row_of(result)["debates"] == result.tally.finished


def small(name: str, **changes: object) -> Case:
    return replace(_CASES[name], **changes)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_server_that_goes_away_is_waited_for(tmp_path: Path) -> None:
    result = run_case(small("away for 30 s", matchups=8), tmp_path)
    check(result, lines=2)
    assert result.tally.finished == 16
    opened, closed = result.lines
    assert re.match(r"openai at http://127\.0\.0\.1:\d+/v1 ", opened)
    assert "its calls wait, next try" in opened and "answers again" in closed


@pytest.mark.slow
def test_a_missing_model_stops_its_debates_alone(tmp_path: Path) -> None:
    result = run_case(small("three participants, one model is missing", matchups=2), tmp_path)
    check(result, lines=1)
    assert result.tally.finished == 4
    assert len(result.tally.unmended) == 8
    (line,) = result.lines
    assert line.startswith("openai/b: ") and "stays planned" in line
    assert result.wasted <= 2, "one call for each debate that went ahead"


@pytest.mark.slow
def test_a_server_that_is_down_at_first_is_waited_for(tmp_path: Path) -> None:
    result = run_case(_CASES["down for the first 5 min"], tmp_path)
    check(result, lines=2)
    assert result.tally.finished == 16
    assert "cannot be reached" in result.lines[0]


@pytest.mark.parametrize("name", _SLOW_SERVERS)
def test_a_slow_server_is_never_given_up(name: str, tmp_path: Path) -> None:
    result = run_case(_CASES[name], tmp_path)
    check(result)
    assert result.wasted == 0
    assert result.tally.finished == 2 * _CASES[name].matchups


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.deep if "Retry-After" in name else ())
        for name in _CASES
        if "8 slots, refuses" in name
    ],
)
def test_refusals_are_few_and_no_retries(name: str, tmp_path: Path) -> None:
    result = run_case(_CASES[name], tmp_path)
    check(result)
    (ledger,) = result.ledgers
    assert ledger.refused < 0.1 * result.calls
    assert result.tally.finished == 48


@pytest.mark.deep
@pytest.mark.slow
def test_a_capacity_that_halves_and_doubles_loses_nothing(tmp_path: Path) -> None:
    result = run_case(_CASES["16 slots, then 8, then 16 again"], tmp_path)
    check(result)
    assert result.wasted == 0
    assert result.tally.finished == 96


@pytest.mark.deep
@pytest.mark.slow
def test_ten_minutes_away_cost_no_debate(tmp_path: Path) -> None:
    result = run_case(_CASES["away for 10 min"], tmp_path)
    check(result, lines=2)
    assert result.tally.finished == 32


@pytest.mark.deep
@pytest.mark.slow
def test_debates_at_another_address_do_not_wait_for_an_absent_one(tmp_path: Path) -> None:
    case = small("two models at two addresses, one away for 10 min", matchups=2, debates=4)
    result = run_case(case, tmp_path)
    check(result, lines=2)
    assert result.tally.finished == 24
    here, elsewhere = result.ledgers
    gone = (60 / SCALE, 660 / SCALE)
    assert not [moment for moment in elsewhere.answers if gone[0] + 0.2 < moment < gone[1]]
    alone = 2 * 2 * 6  # the speeches of the debates in which nobody is at the other address
    during = [moment for moment in here.answers if moment < gone[1]]
    assert len(during) >= alone, "they are finished before it is back"

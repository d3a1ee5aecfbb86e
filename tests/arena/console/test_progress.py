"""The watch of paid work: what it prints of records, and that it never falls silent."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from arena.console import progress
from arena.console.figures import Figures
from arena.console.figures_text import format_units
from arena.console.progress import Watch, ticking
from arena.llm.budget import Budget
from arena.llm.traffic.state import TrafficState
from arena.records import Debate, digest
from arena.tournament.plan import Plan
from arena.tournament.workload import Workload
from tests.handmade import code_error, judged, planned, played


class Screen:
    """Keeps what is shown."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.figures: list[Figures] = []
        self.is_closed = False

    def show(self, figures: Figures, *, last: bool = False) -> None:
        self.figures.append(figures)

    def print(self, line: str) -> None:
        self.lines.append(line)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return planned(tmp_path / "own.duckdb")[1]


def watched(plan: Plan, *, tracebacks: bool = False) -> tuple[Watch, Screen]:
    workload, screen = Workload(), Screen()
    for debate in plan.debates:
        workload.add("debate", debate.debate_id, {"offline/fair": 6.0})
        ballot_id = digest(debate.debate_id, "bench", 0)
        workload.add("ballot", ballot_id, {"offline/fair": 3.0}, after=debate.debate_id)
    states = [TrafficState(model="offline/fair", finished=4)]
    watch = Watch(
        workload,
        Budget(),
        lambda: states,
        tracebacks=tracebacks,
        display=screen,
        clock=lambda: 10.0,
    )
    return watch, screen


def counts(watch: Watch) -> list[tuple[str, int, int]]:
    return [(count.noun, count.done, count.total) for count in watch.figures().units]


def test_debates_and_ballots_are_counted(plan: Plan) -> None:
    watch, screen = watched(plan)
    with watch:
        for debate in plan.debates:
            watch.debate(played(debate, costs=[("pro/constructive", 0.1)]))
            watch.ballot(judged(debate))
    total = len(plan.debates)
    assert counts(watch) == [("debate", total, total), ("ballot", total, total)]
    assert screen.figures[-1].share == 1.0 and screen.is_closed and not screen.lines


def test_void_debates_are_not_done_and_are_one_line(plan: Plan) -> None:
    watch, screen = watched(plan)
    for debate in plan.debates[:4]:
        watch.debate(played(debate, "void"))
    assert counts(watch)[0][1] == 0
    assert screen.lines == [
        f"debate {plan.debates[0].debate_id[:8]} is void: , rebuttal: it ended so"
    ]
    assert watch.causes("void").count == 4


def test_the_ballots_on_a_forfeit_and_an_error_are_not_waited_for(plan: Plan) -> None:
    watch, _ = watched(plan)
    first, second, third, *others = plan.debates
    watch.debate(played(first, "forfeit", forfeited="pro"))
    watch.debate(replace(played(second, "error"), errors=(code_error(),)))
    watch.debate(played(third, "waiting"))
    total = len(plan.debates)
    assert counts(watch) == [("debate", 1, total), ("ballot", 0, total - 2)]
    assert watch.figures().units[0].failed == 1


def test_a_failed_ballot_is_over_but_not_done(plan: Plan) -> None:
    watch, _ = watched(plan)
    for number, debate in enumerate(plan.debates):
        watch.debate(played(debate))
        watch.ballot(judged(debate, status="valid" if number else "failed"))
    total, figures = len(plan.debates), watch.figures()
    assert format_units(figures) == (
        f"{total} of {total} debates, {total - 1} of {total} ballots (1 failed)"
    )
    assert figures.share == 1.0 and figures.units[1].left == 0


def test_an_error_is_printed_once_with_its_traceback_where_nobody_shows_it_later(
    plan: Plan,
) -> None:
    for tracebacks in (False, True):
        watch, screen = watched(plan, tracebacks=tracebacks)
        for debate in plan.debates[:3]:
            watch.debate(replace(played(debate, "error"), errors=(code_error("the traceback"),)))
        first, *further = screen.lines
        assert "ended in an error in the code of bench (judge own): KeyError: 'x'" in first
        assert further == ["the traceback"] * tracebacks


def test_what_went_otherwise_than_planned_is_noted_once(plan: Plan) -> None:
    watch, screen = watched(plan)

    def bent(debate: Debate) -> None:
        record = played(debate, costs=[("pro/constructive", 0.1)])
        calls = tuple(replace(call, dropped="top_p") for call in record.unit.calls)
        unit = replace(record.unit, calls=calls, set_aside=True, failed_searches=("timed out",))
        watch.debate(replace(record, unit=unit))

    for debate in plan.debates[:5]:
        bent(debate)
    assert len(screen.lines) == 3
    assert any("journal was set aside" in line for line in screen.lines)
    assert any("a search failed" in line and "timed out" in line for line in screen.lines)
    assert any("offline/fair does not accept top_p" in line for line in screen.lines)
    assert watch.causes("search").count == 5


def test_a_note_is_never_left_out(plan: Plan) -> None:
    watch, screen = watched(plan)
    for _ in range(20):
        watch.note("openai at http://h/v1: \x1bconnection refused")
    assert screen.lines == ["openai at http://h/v1: connection refused"] * 20


def test_an_interruption_ends_the_display_without_a_last_line(plan: Plan) -> None:
    watch, screen = watched(plan)
    with pytest.raises(KeyboardInterrupt), watch:
        raise KeyboardInterrupt
    assert screen.is_closed and not screen.figures


async def test_it_ticks_though_nothing_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "TICK_SECONDS", 0.0)
    enough, ticks = asyncio.Event(), 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks == 3:
            enough.set()

    async with ticking(tick):
        await asyncio.wait_for(enough.wait(), 10)
    ended = ticks
    await asyncio.sleep(0)
    assert ticks == ended


async def test_a_tick_that_fails_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "TICK_SECONDS", 0.0)
    failed = asyncio.Event()

    def tick() -> None:
        failed.set()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        async with ticking(tick):
            await asyncio.wait_for(failed.wait(), 10)

"""The watch of paid work: what it prints of records, and that it never falls silent."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from arena.console import progress
from arena.console.progress import LiveDisplay, PlainDisplay, Watch, ticking
from arena.llm.budget import Budget
from arena.llm.traffic.rate_limiter import TrafficState
from arena.records import Debate, digest
from arena.tournament.figures import Figures, format_units
from arena.tournament.plan import TournamentPlan
from arena.tournament.workload import UnitCount, Workload
from tests.arena.tournament.test_figures import FIGURES
from tests.support.tournaments import code_error, judged, planned, played


class Hours:
    """A plain display that is looked at each second of some hours."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.now = 0.0
        self.display = PlainDisplay(clock=lambda: self.now)
        self._capsys = capsys

    def pass_by(self, seconds: int, *, each: int = 0, figures: Figures = FIGURES) -> list[float]:
        """Return when lines were printed; a debate is finished `each` so many seconds."""
        times = []
        for _ in range(seconds):
            self.now += 1
            done = int(self.now) // each if each else 0
            units = (UnitCount("debate", done, 10**6),)
            self.display.show(replace(figures, seconds=self.now, units=units))
            if self._capsys.readouterr().out:
                times.append(self.now)
        return times


def test_a_line_a_minute_comes_whatever_happens(capsys: pytest.CaptureFixture[str]) -> None:
    times = Hours(capsys).pass_by(600)
    assert times == [10.0, *(10.0 + 60 * n for n in range(1, 10))]


def test_lines_come_no_more_often_than_every_ten_seconds_and_seldom_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    times = Hours(capsys).pass_by(3600, each=1)
    gaps = [later - earlier for earlier, later in zip(times, times[1:], strict=False)]
    assert times[0] == 10.0 and min(gaps) >= 10.0 and max(gaps) <= 60.0
    assert len(times) < 100
    assert gaps[-1] == 60.0


def test_the_last_line_comes_once(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainDisplay(clock=lambda: 100.0)
    display.show(replace(FIGURES, share=0.5), last=False)
    assert capsys.readouterr().out == ""
    display.show(replace(FIGURES, share=1.0), last=True)
    display.show(replace(FIGURES, share=1.0), last=True)
    assert capsys.readouterr().out.count("100 %") == 1


def test_models_in_trouble_follow_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainDisplay(clock=lambda: 0.0)
    display.show(replace(FIGURES, troubles=("openai/x: away since 02:14",)), last=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[1].strip() == "openai/x: away since 02:14"


def test_a_terminal_shows_the_figures_below_its_lines() -> None:
    shown = io.StringIO()
    display = LiveDisplay(Console(file=shown, force_terminal=True, width=100))
    display.show(replace(FIGURES, troubles=("openai/x: away [since] 02:14",)))
    display.print("debate 1 is void: [reason]")
    display.show(replace(FIGURES, units=(UnitCount("debate", 3, 16),)), last=True)
    display.close()
    text = shown.getvalue()
    for part in ("12 %", "21 to 30 min left", "9.8 tokens/s", "openai/x: away [since] 02:14"):
        assert part in text
    assert "debate 1 is void: [reason]" in text
    assert text.rindex("3 of 16 debates") > text.index("is void")


@pytest.mark.parametrize(("is_terminal", "kind"), [(True, LiveDisplay), (False, PlainDisplay)])
def test_only_a_terminal_gets_lines_that_change(
    is_terminal: bool, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Console(file=io.StringIO(), force_terminal=is_terminal)
    monkeypatch.setattr(progress, "console", lambda: screen)
    display = progress._fitting_display()
    display.close()
    assert isinstance(display, kind)


def test_lines_go_on_when_a_further_wave_follows(capsys: pytest.CaptureFixture[str]) -> None:
    hours = Hours(capsys)
    whole = replace(FIGURES, share=1.0, in_waves=True)
    assert hours.pass_by(300, figures=whole) == [10.0], "what is complete is not shown again"
    assert hours.pass_by(120, figures=replace(whole, share=0.5)) == [301.0, 361.0]


def test_a_share_of_waves_says_of_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainDisplay(clock=lambda: 0.0)
    display.show(replace(FIGURES, share=0.5, in_waves=True), last=True)
    assert capsys.readouterr().out.startswith(" 50 % of the waves so far  ")


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
def plan(tmp_path: Path) -> TournamentPlan:
    return planned(tmp_path / "own.duckdb")[1]


def watched(plan: TournamentPlan, *, tracebacks: bool = False) -> tuple[Watch, Screen]:
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


def test_debates_and_ballots_are_counted(plan: TournamentPlan) -> None:
    watch, screen = watched(plan)
    with watch:
        for debate in plan.debates:
            watch.debate(played(debate, costs=[("pro/constructive", 0.1)]))
            watch.ballot(judged(debate))
    total = len(plan.debates)
    assert counts(watch) == [("debate", total, total), ("ballot", total, total)]
    assert screen.figures[-1].share == 1.0 and screen.is_closed and not screen.lines


def test_void_debates_are_not_done_and_are_one_line(plan: TournamentPlan) -> None:
    watch, screen = watched(plan)
    for debate in plan.debates[:4]:
        watch.debate(played(debate, "void"))
    assert counts(watch)[0][1] == 0
    assert screen.lines == [
        f"debate {plan.debates[0].debate_id[:8]} is void: , rebuttal: it ended so"
    ]
    assert watch.causes("void").count == 4


def test_the_ballots_on_a_forfeit_and_an_error_are_not_waited_for(plan: TournamentPlan) -> None:
    watch, _ = watched(plan)
    first, second, third, *others = plan.debates
    watch.debate(played(first, "forfeit", forfeited="pro"))
    watch.debate(replace(played(second, "error"), errors=(code_error(),)))
    watch.debate(played(third, "waiting"))
    total = len(plan.debates)
    assert counts(watch) == [("debate", 1, total), ("ballot", 0, total - 2)]
    assert watch.figures().units[0].failed == 1


def test_a_failed_ballot_is_over_but_not_done(plan: TournamentPlan) -> None:
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
    plan: TournamentPlan,
) -> None:
    for tracebacks in (False, True):
        watch, screen = watched(plan, tracebacks=tracebacks)
        for debate in plan.debates[:3]:
            watch.debate(replace(played(debate, "error"), errors=(code_error("the traceback"),)))
        first, *further = screen.lines
        assert "ended in an error in the code of bench (judge own): KeyError: 'x'" in first
        assert further == ["the traceback"] * tracebacks


def test_what_went_otherwise_than_planned_is_noted_once(plan: TournamentPlan) -> None:
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


def test_a_note_is_never_left_out(plan: TournamentPlan) -> None:
    watch, screen = watched(plan)
    for _ in range(20):
        watch.note("openai at http://h/v1: \x1bconnection refused")
    assert screen.lines == ["openai at http://h/v1: connection refused"] * 20


def test_an_interruption_ends_the_display_without_a_last_line(plan: TournamentPlan) -> None:
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

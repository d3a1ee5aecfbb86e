"""When a line is printed where there is no terminal, and what a terminal shows."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from arena.console.displays import LiveDisplay, PlainDisplay
from arena.console.figures import Figures
from arena.tournament.workload import UnitCount
from tests.arena.console.test_figures_text import FIGURES


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
    for part in ("12 %", "about 25 min left", "9.8 tokens/s", "openai/x: away [since] 02:14"):
        assert part in text
    assert "debate 1 is void: [reason]" in text
    assert text.rindex("3 of 16 debates") > text.index("is void")


def test_lines_go_on_when_a_further_wave_follows(capsys: pytest.CaptureFixture[str]) -> None:
    hours = Hours(capsys)
    whole = replace(FIGURES, share=1.0, in_waves=True)
    assert hours.pass_by(300, figures=whole) == [10.0], "what is complete is not shown again"
    assert hours.pass_by(120, figures=replace(whole, share=0.5)) == [301.0, 361.0]


def test_a_share_of_waves_says_of_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainDisplay(clock=lambda: 0.0)
    display.show(replace(FIGURES, share=0.5, in_waves=True), last=True)
    assert capsys.readouterr().out.startswith(" 50 % of the waves so far  ")

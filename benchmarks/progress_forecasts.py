"""Forecasts of a run's progress beside what came: further matchups of a target, and time left.

    python benchmarks/progress_forecasts.py [--json] [--short] [--part target|time] [--runs 40]

*target* plays simulated fields until their target is reached, and looks each time that the
matchups have grown by 15 %: does the range that a run prints then (`foresee_matchups`) hold the
number of matchups at which the target was reached? *time* runs debates and ballots on a clock of
its own, with calls whose times and numbers differ from what was forecast, and asks the same of the
range of the time left (`arena.tournament.figures.Meter`).
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.config.schedule_section import ScheduleKind, ScheduleSection, TargetSection  # noqa: E402
from arena.llm.budget import Budget  # noqa: E402
from arena.llm.traffic.rate_limiter import TrafficState  # noqa: E402
from arena.llm.wire.route import Attempt  # noqa: E402
from arena.scheduling.asked import Asked  # noqa: E402
from arena.scheduling.objective import Objective  # noqa: E402
from arena.scheduling.simulation import (  # noqa: E402
    SCHEDULES,
    FieldPlan,
    SimulatedTournament,
    draw_field,
)
from arena.scheduling.waves import Situation  # noqa: E402
from arena.tournament.figures import Meter  # noqa: E402
from arena.tournament.target_cost import foresee_matchups  # noqa: E402
from arena.tournament.wave_planning import measure_progress  # noqa: E402
from arena.tournament.workload import Workload  # noqa: E402
from benchmarks.reporting import report  # noqa: E402

Row = Mapping[str, object]
#: The schedule, the participants, the spread of their strengths (log-odds), and the target.
_TARGETS: tuple[tuple[ScheduleKind, int, float, TargetSection], ...] = (
    ("adaptive", 5, 2.0, TargetSection(objective="ranking")),
    ("adaptive", 7, 1.5, TargetSection(objective="top-k", first=2)),
    ("adaptive", 8, 1.0, TargetSection(objective="precision", elo=60)),
    ("round_robin", 5, 2.0, TargetSection(objective="ranking")),
    ("round_robin", 8, 1.0, TargetSection(objective="precision", elo=60)),
)
#: Matchups per participant after which a field is given up.
_MOST = 120
_GROWTH = 1.15
#: How often a run is looked at.
_LOOKS = 20
#: Calls of a debate and of a ballot as they are forecast, and debates at once.
_CALLS = {"debate": 12.0, "ballot": 2.0}
_SLOTS = 8


def target_rows(runs: int) -> Iterator[Row]:
    """Yield how often the range held, over all looks at fields that reached their target."""
    for kind, size, spread, target in _TARGETS:
        held, wide, reached = [], [], 0
        for seed in range(runs):
            ranges, end = _play(kind, size, spread, target, seed)
            reached += end is not None
            if end is not None:
                held += [low <= end <= high for low, high in ranges]
                wide += [high / low for low, high in ranges]
        yield {
            "case": f"{kind}, {size} participants, {target.objective}",
            "fields": runs,
            "reached": reached,
            "looks": len(held),
            "held": float(np.mean(held)) if held else None,
            "high_to_low": float(np.median(wide)) if wide else None,
        }


def _play(
    kind: ScheduleKind, size: int, spread: float, target: TargetSection, seed: int
) -> tuple[list[tuple[float, float]], int | None]:
    """Play a field; return the range of each look, and after how many matchups it was reached."""
    drawn = draw_field(FieldPlan(participants=size, spread=spread), np.random.default_rng(seed))
    names = {name: name for name in drawn.names}
    asked = Asked(schedule=ScheduleSection(kind=kind), target=target, bench="bench")
    k = int(target.amount) if target.objective == "top-k" else 0
    schedule = SCHEDULES[kind](drawn.names, seed, Objective(kind=target.objective, k=k))
    ranges: list[tuple[float, float]] = []
    look = 1.0
    for moment in SimulatedTournament(drawn, seed).play(schedule, step=max(2, size // 2)):
        if moment.matchups > _MOST * size:
            break
        if moment.matchups < look:
            continue
        look = _GROWTH * moment.matchups
        situation = Situation(
            participants=drawn.names,
            comparisons=moment.comparisons,
            waves=(),
            usd=drawn.usd,
            judging_usd=0.0,
            seed=seed,
        )
        if measure_progress(asked, situation, names=names).is_reached:
            return ranges, moment.matchups
        if wanted := foresee_matchups(asked, situation, names=names):
            ranges.append(wanted)
    return ranges, None


def time_rows(runs: int) -> Iterator[Row]:
    """Yield how often the range of the time left held, by how much was done."""
    for debates in (8, 40, 200):
        looks = [look for seed in range(runs) for look in _run(debates, seed)]
        for least, most in ((0.0, 0.25), (0.25, 0.75), (0.75, 1.0)):
            chosen = [look for look in looks if least <= look.share < most]
            yield {
                "case": f"{debates} debates, {least:.0%} to {most:.0%} done",
                "runs": runs,
                "looks": len(chosen),
                "held": float(np.mean([look.held for look in chosen])),
                "high_to_low": float(np.median([look.high / look.low for look in chosen])),
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    share: float
    low: float
    high: float
    left: float

    @property
    def held(self) -> bool:
        return self.low <= self.left <= self.high


@dataclass(slots=True)
class _Clock:
    """Simulated debates of `_SLOTS` at once, each with three ballots after it, call by call."""

    debates: int
    rng: np.random.Generator
    now: float = 0.0
    finished: int = 0
    under_way: int = 0
    workload: Workload = field(default_factory=Workload)

    def traffic(self) -> list[TrafficState]:
        attempts = tuple(Attempt(started=self.now) for _ in range(self.under_way))
        return [TrafficState(model="m", finished=self.finished, attempts=attempts)]

    def play(self) -> Iterator[float]:
        """Play all calls; yield the time after each."""
        scale = self.rng.lognormal(0.0, 0.3)  # how many more calls there are than were forecast
        pace = self.rng.lognormal(1.5, 0.5)
        for number in range(self.debates):
            self.workload.add("debate", str(number), {"m": _CALLS["debate"]})
            for run in range(3):
                forecast = {"m": _CALLS["ballot"]}
                self.workload.add("ballot", f"{number}-{run}", forecast, after=str(number))
        waiting = list(range(self.debates))[::-1]
        events: list[tuple[float, int, int]] = []  # the end of a call, its debate, calls left

        def begin() -> None:
            debate = waiting.pop()
            left = 1 + self.rng.poisson(scale * (_CALLS["debate"] + 3 * _CALLS["ballot"]) - 1)
            heapq.heappush(events, (self.now + self.rng.gamma(2.0, pace / 2), debate, left))

        made: dict[int, int] = {}
        while waiting or events:
            while waiting and len(events) < _SLOTS:
                begin()
            self.now, debate, calls = heapq.heappop(events)
            self.finished += 1
            made[debate] = made.get(debate, 0) + 1
            if calls > 1:
                later = self.now + self.rng.gamma(2.0, pace / 2)
                heapq.heappush(events, (later, debate, calls - 1))
            else:
                self._end(debate, made[debate])
            self.under_way = len(events)
            yield self.now

    def _end(self, debate: int, calls: int) -> None:
        of_debate = round(calls * _CALLS["debate"] / (_CALLS["debate"] + 3 * _CALLS["ballot"]))
        self.workload.finish("debate", str(debate), ["m"] * of_debate)
        for run in range(3):
            share = (calls - of_debate) // 3 + (run < (calls - of_debate) % 3)
            self.workload.finish("ballot", f"{debate}-{run}", ["m"] * share)


def _run(debates: int, seed: int) -> list[_Look]:
    """Run debates; return the looks at which something was forecast."""
    clock = _Clock(debates, np.random.default_rng([seed, debates]))
    meter = Meter(
        clock.workload,
        Budget(),
        clock.traffic,
        clock=lambda: clock.now,
    )
    step = max(1, round(debates * sum(_CALLS.values()) / _LOOKS))
    looks = []
    for number, now in enumerate(clock.play()):
        if number % step:
            continue
        figures = meter.read()
        if figures.seconds_low and figures.seconds_high:
            looks.append((now, figures.share, figures.seconds_low, figures.seconds_high))
    return [
        _Look(share=share, low=low, high=high, left=clock.now - now)
        for now, share, low, high in looks
    ]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each case.")
@click.option("--short", is_flag=True, help="Few runs, to try it.")
@click.option("--runs", type=click.IntRange(min=1), default=40, show_default=True)
@click.option("--part", type=click.Choice(["target", "time"]), help="One part only.")
def main(*, as_json: bool, short: bool, runs: int, part: str | None) -> None:
    """Set forecasts of progress beside what came."""
    parts: dict[str, Callable[[int], Iterator[Row]]] = {"target": target_rows, "time": time_rows}
    for name, rows in parts.items():
        if part in (None, name):
            report(rows(2 if short else runs), as_json=as_json)


if __name__ == "__main__":
    main()

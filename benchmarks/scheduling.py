"""What schedules cost: the order of simulated fields, real judgements, a newcomer, and time.

    python benchmarks/scheduling.py [--json] [--short] [--part order] [--fields 200]

The fields are described in docs/scheduling.md, and were written down before anything was tuned.
`--asap FILE` adds ASAP (Mikhailiuk et al. 2020, arXiv 2004.05691) for fields of 10, which is no
package: FILE is `python/asap_cpu.py` of github.com/gfxdisp/asap, and needs networkx. `--schedule`
measures single schedules of the part `order`, beside their reference, `--cell` single cases:

    python benchmarks/scheduling.py --part order --asap asap_cpu.py --schedule ASAP
    python benchmarks/scheduling.py --part coverage --cell "10, spread 0, by ballots: adaptive"
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.scheduling.adaptive import Adaptive, matchups_per_wave  # noqa: E402
from arena.scheduling.recovery import RecoveryCurve  # noqa: E402
from arena.scheduling.swiss import Swiss  # noqa: E402
from arena.scheduling.waves import Meeting, Schedule, Situation, Wave  # noqa: E402
from benchmarks.reporting import best, report  # noqa: E402
from benchmarks.schedule_asap import ASAP, asap_schedules  # noqa: E402
from benchmarks.schedule_beside import beside_rows  # noqa: E402
from benchmarks.schedule_chart import Curve, draw_curves  # noqa: E402
from benchmarks.schedule_coverage import coverage_rows, look_rows, shape_rows  # noqa: E402
from benchmarks.schedule_decided import decided_rows  # noqa: E402
from benchmarks.schedule_forecasts import forecast_rows  # noqa: E402
from benchmarks.schedule_forfeits import forfeit_rows  # noqa: E402
from benchmarks.schedule_newcomer import newcomer_rows  # noqa: E402
from benchmarks.schedule_order import (  # noqa: E402
    REFERENCE,
    SCHEDULES,
    TARGET,
    Cell,
    order_rows,
    play,
)
from benchmarks.schedule_plans import plan_rows  # noqa: E402
from benchmarks.schedule_replay import replay_rows  # noqa: E402
from ratings import Comparisons, fit  # noqa: E402

Row = Mapping[str, object]
JUDGEMENTS = ROOT.parent / "shared" / "data" / "llmfao.csv"


def order_cells(fields: int, schedules: Collection[str], only: Collection[str]) -> list[Cell]:
    """Return the lines of the table: of some schedules or of all, each below its reference."""
    cells = []
    for size, prices in product((10, 30), (1.0, 20.0)):
        possible = [name for name in schedules if size == 10 or name not in ASAP]
        wanted = [name for name in possible if not only or name in only]
        cells += [
            Cell(participants=size, prices=prices, schedule=name, fields=fields)
            for name in possible
            if wanted and (name in wanted or name == REFERENCE)
        ]
    return cells


def _order(fields: int, **options: Any) -> Iterator[Row]:  # noqa: ANN401
    asap, only = options["asap"], options["schedule"]
    schedules = SCHEDULES | (asap_schedules(asap) if asap else {})
    if unknown := set(only) - set(schedules):
        raise click.UsageError(f"No schedule {min(unknown)!r}; there are: {'; '.join(schedules)}.")
    cells = order_cells(fields, schedules, only)
    if options["jobs"] > 1 and not asap:
        with ProcessPoolExecutor(options["jobs"]) as pool:
            yield from _drawn(cells, pool.map(play, cells), options["chart"])
    else:
        courses = map(partial(play, schedules=schedules), cells)
        yield from _drawn(cells, courses, options["chart"])


def _drawn(
    cells: list[Cell], courses: Iterator[RecoveryCurve], chart: Path | None
) -> Iterator[Row]:
    """Yield the rows, and draw the curves of the largest fields with unequal prices."""
    curves: list[Curve] = []

    def each() -> Iterator[RecoveryCurve]:
        for cell, course in zip(cells, courses, strict=True):
            if cell.participants == 30 and cell.prices > 1:
                curves.append(
                    Curve(
                        name=cell.schedule,
                        usd=course.usd.tolist(),
                        tau=course.tau.mean(axis=0).tolist(),
                    )
                )
            yield course

    yield from order_rows(cells, each())
    if chart:
        chart.write_text(draw_curves(curves, target=TARGET), "utf-8")


def _time(short: bool) -> Iterator[Row]:
    """Yield the seconds of the next wave beside those of one fit of the same data."""
    for size, debates in ((200, 10_000), *([] if short else [(1000, 10_000)])):
        now = _situation(size, debates)
        seconds = best(lambda now=now: fit(now.comparisons))  # type: ignore[misc]
        schedules: dict[str, Schedule] = {"adaptive": Adaptive(matchups=matchups_per_wave(size))}
        if size == 200:
            schedules["Swiss"] = Swiss(rounds=10)
        for name, schedule in schedules.items():
            started = time.perf_counter()
            wave = schedule.next_wave(now)
            taken = time.perf_counter() - started
            yield {
                "case": f"next wave of {size}: {name}",
                "debates": debates,
                "matchups": len(wave.meetings),
                "seconds": taken,
                "fit": seconds,
                "ratio": taken / seconds,
            }


def _situation(size: int, debates: int) -> Situation:
    rng = np.random.default_rng(1)
    names = tuple(f"p{number:04}" for number in range(size))
    strength = rng.standard_normal(size)
    pairs = np.sort(np.array([rng.permutation(size)[:2] for _ in range(debates // 2)]), axis=1)
    first, second = pairs.ravel(), pairs[:, ::-1].ravel()
    win = rng.random(debates) < 1 / (1 + np.exp(strength[second] - strength[first]))
    comparisons = Comparisons(
        names=names,
        first=first,
        second=second,
        outcome=win.astype(float),
        weight=np.full(debates, 0.8),
        cluster=np.repeat(np.arange(debates // 2), 2),
    )
    played = [Meeting(pair=(names[low], names[high])) for low, high in pairs.tolist()]
    return Situation(participants=names, comparisons=comparisons, waves=(Wave(meetings=played),))


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each row.")
@click.option("--short", is_flag=True, help="Few fields: shows that it works, not what is true.")
@click.option(
    "--part",
    type=click.Choice(
        [
            *("order", "coverage", "shapes", "decided", "forecasts", "forfeits", "looks", "plans"),
            *("replay", "newcomer", "beside", "time"),
        ]
    ),
)
@click.option("--fields", type=click.IntRange(min=2), default=200, show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--schedule", multiple=True, help="Of the part `order`: this one only; repeatable.")
@click.option(
    "--cell",
    default="",
    help="Of the parts `coverage`, `shapes` and `forecasts`: cases whose names contain this.",
)
@click.option("--asap", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--judgements", type=click.Path(path_type=Path), default=JUDGEMENTS, help="LLMFAO's, as CSV."
)
@click.option("--chart", type=click.Path(dir_okay=False, path_type=Path), help="Write an SVG.")
def main(
    as_json: bool,
    short: bool,
    part: str | None,
    fields: int,
    **options: Any,  # noqa: ANN401
) -> None:
    """Measure what schedules cost; everything but `replay` is simulated."""
    count = 2 if short else fields
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "time": lambda: _time(short),
        "order": lambda: _order(count, **options),
        "coverage": lambda: coverage_rows(count, options["jobs"], options["cell"]),
        "shapes": lambda: shape_rows(count, options["jobs"], options["cell"]),
        "decided": lambda: decided_rows(count, options["jobs"]),
        "forecasts": lambda: forecast_rows(count, options["jobs"], options["cell"]),
        "forfeits": lambda: forfeit_rows(count, options["jobs"]),
        "looks": lambda: look_rows(count),
        "plans": lambda: plan_rows(count, options["jobs"]),
        "replay": lambda: replay_rows(options["judgements"], min(count, 100)),
        "newcomer": lambda: newcomer_rows(count),
        "beside": lambda: beside_rows(count, options["jobs"]),
    }
    if not options["judgements"].exists():
        if part == "replay":
            raise click.UsageError(f"--judgements: there is no {options['judgements']}")
        click.echo(f"No replay: there is no {options['judgements']} (--judgements).", err=True)
        del parts["replay"]
    for name in parts if part is None else [part]:
        report(parts[name](), as_json=as_json)


if __name__ == "__main__":
    main()

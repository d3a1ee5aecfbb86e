"""Stopping as soon as something is settled: false decisions, coverage, and what it costs.

    python benchmarks/stopping.py [--json] [--short] [--table two|false|stopped|ladder|speed]

Simulated tournaments with fixed seeds (`benchmarks.growing`): a matchup has two legs, a debate
three ballots that agree more than chance (intraclass correlation 0.21), and Pro's side is worth 80
Elo points. *Anytime* is `confidence(..., anytime=True)`, *naive* the statement for a fixed sample
made again at every look.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.equal_fields import first_false, grow  # noqa: E402 - the project, as a script
from benchmarks.ladder import ladder_table  # noqa: E402
from benchmarks.ratings import simulated  # noqa: E402
from benchmarks.reporting import report  # noqa: E402
from benchmarks.stopped_fields import stopped_table  # noqa: E402
from benchmarks.two_participants import (  # noqa: E402
    RULES,
    draw_legs,
    first_looks,
    stop,
    student,
)
from ratings import PAPER, Model, confidence, fit  # noqa: E402

Row = Mapping[str, object]
Mask = NDArray[np.bool_]
Stops = NDArray[np.intp]
WITH_SIDE = Model(side=True, ties="davidson")
#: Participants, model, and share of the fields, because large fields take long.
_CASES = (
    *((5, PAPER, 1.0), (10, PAPER, 0.6), (30, PAPER, 0.15)),
    *((5, WITH_SIDE, 0.45), (10, WITH_SIDE, 0.2)),
)
_TABLES = ("two", "false", "stopped", "ladder", "speed")
_NAIVE = 30  # fields, because it is slow and errs often
_STOPPED = 0.4  # of the fields, for the same reason


def false_table(fields: int, most: int) -> Iterator[Row]:
    """Yield how often anything false is settled among equals, of so many fields at most."""
    for size, model, share in _CASES:
        yield false_decisions(size, model, int(share * fields), most // (1 + model.side))


def false_decisions(size: int, model: Model, fields: int, most: int) -> Row:
    """Measure how often a false order is settled at any look where all are equal.

    Pairs are drawn at random. The side and ties model rates single ballots, of which ν = 0.3 tie.
    """
    tournaments = grow(size, model, fields, most)
    row: dict[str, object] = {
        "case": f"{size} equal, {'side and ties' if model.side else 'paper’s model'}",
        "fields": fields,
        "matchups": most,
    }
    for name, count in (("anytime", fields), ("naive", min(fields, _NAIVE))):
        first = first_false(tournaments[:count], model, anytime=name == "anytime")
        for wave, ends in first.items():
            false = ends > 0
            row[f"{name}_{wave}"] = float(false.mean())
            row[f"{name}_{wave}_error"] = float(false.std() / count**0.5)
        if name == "anytime":
            row["earliest"] = int(min(first[1][first[1] > 0], default=0)) or None
    return row


def two_table(fields: int, most: int) -> Iterator[Row]:
    """Yield what each rule does with two participants, looking after every matchup.

    Between equals the share of fields in which it decides; between others the matchups until it
    does, in half of the fields and in nine of ten.
    """
    rng = np.random.default_rng(1)
    equal = draw_legs(rng, 0.0, fields, most)
    apart = {elo: draw_legs(rng, elo, fields // 4, most) for elo in (50.0, 100.0, 200.0, 400.0)}
    for name, rule in RULES.items():
        stops = {elo: stop(rule(legs)) for elo, legs in apart.items()}
        yield _rule_row(name, stop(rule(equal)) > 0, stops)
    stops = {elo: first_looks(student(legs) > 1) for elo, legs in apart.items()}
    false = first_looks(np.abs(student(equal)) > 1) > 0
    yield _rule_row("naive: Student's test at every look", false, stops)
    single = (np.abs(student(equal)) > 1).mean()
    for power in (0.5, 0.8, 0.95):
        row: dict[str, object] = {"case": f"one look, {power:.0%} decided", "false": float(single)}
        for elo, legs in apart.items():
            over = first_looks((student(legs) > 1).mean(axis=0)[None] >= power)
            row |= {f"median_{elo:.0f}": int(over[0]) or None, f"most_{elo:.0f}": None}
        yield row


def _rule_row(name: str, false: Mask, stops: Mapping[float, Stops]) -> Row:
    row: dict[str, object] = {"case": name, "false": float(false.mean())}
    for elo, ends in stops.items():
        low, high = np.quantile(np.where(ends > 0, ends, np.inf), [0.5, 0.9], method="higher")
        row |= {f"median_{elo:.0f}": float(low), f"most_{elo:.0f}": float(high)}
    return row | {"error": float(false.std() / len(false) ** 0.5)}


def speed_table() -> Iterator[Row]:
    """Yield CPU times of intervals and orders, in multiples of one fit of the same comparisons."""
    for size, debates in ((10, 200), (30, 1_000), (200, 10_000), (1_000, 10_000)):
        board = simulated(size, debates, cluster=2)
        fitted = _cpu_ms(partial(fit, board))
        once = _cpu_ms(partial(confidence, board))
        anytime = _cpu_ms(partial(confidence, board, anytime=True))
        yield {
            "case": f"{size} participants, {debates:,} debates",
            "fit_ms": fitted,
            "once_ms": once,
            "anytime_ms": anytime,
            "once / fit": once / fitted,
            "anytime / fit": anytime / fitted,
        }


def _cpu_ms(work: Callable[[], object]) -> float:
    """Return the milliseconds of CPU time of the fastest of some runs."""
    times: list[float] = []
    while len(times) < 3 or sum(times) < 0.3:  # noqa: PLR2004
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return 1000 * min(times)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: few fields.")
@click.option("--fields", default=500, show_default=True, help="Simulated fields per case.")
@click.option("--table", type=click.Choice(_TABLES), help="One alone.")
def main(as_json: bool, short: bool, fields: int, table: str | None) -> None:
    """Measure rules of stopping."""
    count, most = (6, 200) if short else (fields, 2000)
    with threadpool_limits(1):
        if table in (None, "two"):
            report(two_table(20 * count if short else 2 * fields, most), as_json=as_json)
        if table in (None, "false"):
            report(false_table(count, most), as_json=as_json)
        if table in (None, "stopped"):
            report(stopped_table(int(_STOPPED * count)), as_json=as_json)
        if table in (None, "ladder"):
            report(ladder_table(2 if short else fields // 10), as_json=as_json)
        if table in (None, "speed"):
            report(speed_table(), as_json=as_json)


if __name__ == "__main__":
    main()

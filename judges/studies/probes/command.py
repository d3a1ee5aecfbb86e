"""`arena judges probe`: planted defects, and which judges notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.boards.selection import bench_of
from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.console.options import database, examples, judge_options, read_options
from arena.console.output import form, print_tables, titled
from arena.console.paid import RunOptions
from arena.errors import ConfigError
from arena.plugins import judge_class
from arena.records import Bench
from arena.store.database import Store
from arena.tournament.rejudge import NewBench, with_bench
from judges.studies.ballots import Taken, read_taken
from judges.studies.paid_ballots import ballot_options, take_and_show
from judges.studies.probes.copies import UNALTERED
from judges.studies.probes.defects import DEFECTS, NONE
from judges.studies.probes.plan import Probe, plan_probe, simulated, sitting
from judges.studies.probes.report import Finding, Reading, finding, probe_table


@click.command(
    "probe",
    epilog=examples(
        "arena judges probe --dry-run",
        "arena judges probe weekend --debates 30 --defect instruction --defect padding",
        "arena judges probe --judge single --model openai/gpt-4o-mini --usd 2",
    ),
)
@click.argument("tournament", required=False)
@database
@click.option(
    "--bench", "benches", multiple=True, metavar="NAME", help="A stored bench; all by default."
)
@click.option("--judge", metavar="METHOD", help="A judging method instead of stored benches.")
@judge_options
@click.option(
    "--defect",
    "defects",
    multiple=True,
    type=click.Choice(list(DEFECTS)),
    help="What to plant; all by default, may be given again.",
)
@click.option(
    "--debates",
    type=click.IntRange(min=2),
    default=20,
    show_default=True,
    help="How many stored debates are copied.",
)
@ballot_options
@form
def probe(  # noqa: PLR0913, PLR0917 - one parameter for each option
    tournament: str | None,
    db: Path,
    form: str,
    benches: tuple[str, ...],
    defects: tuple[str, ...],
    debates: int,
    run_options: RunOptions,
    **how: Any,  # noqa: ANN401 - the options that name a judge
) -> None:
    """Plant defects in copies of a TOURNAMENT's debates and see which judges notice.

    Reports how often each judge catches a fault or falls for a lure, beyond what it changes its
    mind by chance. Debates, ballots and boards stay as they are. Interrupted, the same command
    goes on.
    """
    store = Store(db)
    store.check()
    resolved = stored_config(store, tournament)
    resolved, chosen = _benches(resolved, benches, how)
    planned = plan_probe(store, resolved, chosen, defects or tuple(DEFECTS), debates)
    show = partial(_show, store, planned, form)
    take_and_show(store, sitting(store, planned), run_options, form=form, show=show)


def _benches(
    resolved: ResolvedConfig, named: Sequence[str], how: Mapping[str, Any]
) -> tuple[ResolvedConfig, tuple[Bench, ...]]:
    """The judges to probe, and the tournament with them; raises ConfigError where none is fit."""
    if resolved.imported or resolved.config.tournament.contest != "debate":
        raise ConfigError(
            f"tournament {resolved.name!r} has no debates of six speeches to plant defects in. "
            "Name another; `arena list` shows them."
        )
    if how["judge"]:
        if named:
            raise ConfigError("--bench and --judge exclude each other: name one of them.")
        options = read_options(how["options"])
        new = NewBench(judge=how["judge"], model=how["model"], options=options)
        resolved, bench = with_bench(resolved, new)
        return resolved, (bench,)
    if how["model"] or how["options"]:
        raise ConfigError("--model and --option belong to a --judge: name one, for example single.")
    chosen = [bench_of(resolved, name) for name in dict.fromkeys(named)] or list(resolved.benches)
    asked = tuple(one for one in chosen if judge_class(one.judge).needs_model)
    if not asked:
        raise ConfigError("none of these benches asks a model: there is nothing to probe.")
    return resolved, asked


def _show(store: Store, planned: Probe, form: str) -> None:
    taken = read_taken(store, planned.trials)
    findings = [
        _finding(planned, taken, bench, name)
        for bench in planned.benches
        for name in planned.defects
    ]
    name, played = planned.found.resolved.name, simulated(planned)
    tables = [
        probe_table(
            one.name,
            findings,
            title=titled(name, "planted defects", f"judge {one.name}", simulated=played),
        )
        for one in planned.benches
    ]
    tables = [replace(one, notes=()) for one in tables[:-1]] + tables[-1:]
    content = {
        "tournament": name,
        "simulated": played,
        "debates": len(planned.found.debates),
        "findings": [asdict(one) for one in findings],
    }
    print_tables(tables, content, form)


def _finding(planned: Probe, taken: Mapping[str, Taken], bench: Bench, name: str) -> Finding:
    matchups = {one.debate_id: one.matchup_id for one in planned.found.debates}
    own = [one for one in planned.trials if one.bench.name == bench.name]
    known = dict(planned.readings)
    for trial in own:
        if trial.defect == NONE and trial.ballot_id in taken:
            known[trial.item, bench.name, trial.run] = taken[trial.ballot_id]
    readings, copies = [], [one for one in own if one.defect == name]
    for trial in copies:
        three = [
            *(known.get((trial.item, bench.name, run)) for run in UNALTERED),
            taken.get(trial.ballot_id),
        ]
        valid = [one for one in three if one is not None and one.pro_mark is not None]
        if len(valid) == len(three):
            first, again, copy = valid
            cluster = matchups[trial.item]
            readings.append(
                Reading(cluster=cluster, side=trial.side, first=first, again=again, copy=copy)
            )
    seed = planned.found.resolved.config.tournament.seed
    lost = len(copies) - len(readings)
    return finding(bench.name, DEFECTS[name], readings, failed=lost, seed=seed)

"""`arena judges probe`: plant defects in copies of debates and report which judges notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.boards.selection import find_bench
from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.console.options import database, examples, judge_options, read_options
from arena.console.output import form, print_tables, titled
from arena.console.run_options import RunOptions
from arena.errors import ConfigError
from arena.plugins import judge_class
from arena.records import Bench
from arena.store.database import Store
from arena.tournament.rejudge import NewBench, add_bench
from judges.studies.ballots import Taken, read_taken
from judges.studies.paid_ballots import ballot_options, take_and_show
from judges.studies.probes.copies import ORIGINAL_RUNS
from judges.studies.probes.defects import DEFECTS, NONE
from judges.studies.probes.findings import Finding, Readings, findings_table, measure_defect
from judges.studies.probes.probe_plan import Probe, plan_ballots, plan_probe


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
    "--bench",
    "benches",
    multiple=True,
    metavar="NAME",
    help="A stored bench; all by default. May be repeated.",
)
@click.option("--judge", metavar="METHOD", help="A judging method instead of stored benches.")
@judge_options
@click.option(
    "--defect",
    "defects",
    multiple=True,
    type=click.Choice(list(DEFECTS)),
    help="A defect to plant; all by default. May be repeated.",
)
@click.option(
    "--debates",
    type=click.IntRange(min=2),
    default=20,
    show_default=True,
    help="Number of stored debates to copy.",
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
    """Test which judges notice defects planted in copies of a TOURNAMENT's debates.

    A defect is a fault (such as a missing last speech), which a judge should notice, or a lure
    (such as flattery), which it should ignore. The table shows how often each judge catches a fault
    or falls for a lure, beyond the verdicts that it changes by chance. Debates, ballots and
    leaderboards stay unchanged. If interrupted, run the same command again to continue.
    """
    store = Store(db)
    store.check()
    resolved, probed = _select_benches(stored_config(store, tournament), benches, how)
    planned = plan_probe(store, resolved, probed, defects or tuple(DEFECTS), debates)
    show = partial(_print_findings, store, planned, form)
    take_and_show(store, plan_ballots(store, planned), run_options, form=form, show=show)


def _select_benches(
    resolved: ResolvedConfig, names: Sequence[str], how: Mapping[str, Any]
) -> tuple[ResolvedConfig, tuple[Bench, ...]]:
    """Return the benches to probe, and the configuration with them.

    Args:
        resolved: the tournament's configuration.
        names: of stored benches; all of them if none is named.
        how: the options that name a judge instead.

    Raises:
        ConfigError: the options contradict each other, or no bench can be probed.
    """
    if resolved.imported or resolved.config.tournament.contest != "debate":
        raise ConfigError(
            f"tournament {resolved.name!r} has no debates of six speeches, in which defects can be "
            "planted. Name another tournament; `arena list` shows them."
        )
    if how["judge"]:
        if names:
            raise ConfigError("--bench and --judge cannot be combined. Use one of them.")
        options = read_options(how["options"])
        new = NewBench(judge=how["judge"], model=how["model"], options=options)
        resolved, bench = add_bench(resolved, new)
        return resolved, (bench,)
    if how["model"] or how["options"]:
        raise ConfigError(
            "--model and --option need --judge. Name a judge, for example --judge single."
        )
    stored = [find_bench(resolved, name) for name in dict.fromkeys(names)] or list(resolved.benches)
    benches = tuple(bench for bench in stored if judge_class(bench.judge).needs_model)
    if not benches:
        raise ConfigError("none of these benches asks a model, so there is nothing to probe.")
    return resolved, benches


def _print_findings(store: Store, planned: Probe, form: str) -> None:
    ballots = read_taken(store, planned.requests)
    findings = [
        _measure(planned, ballots, bench, defect)
        for bench in planned.benches
        for defect in planned.defects
    ]
    name = planned.sample.resolved.name
    tables = [
        findings_table(
            bench.name,
            findings,
            title=titled(name, "planted defects", f"judge {bench.name}", caveat=planned.caveat),
        )
        for bench in planned.benches
    ]
    # All tables have the same notes: they are printed once, below the last.
    tables = [replace(table, notes=()) for table in tables[:-1]] + tables[-1:]
    content = {
        "tournament": name,
        "simulated": planned.simulated,
        "caveat": planned.caveat,
        "debates": len(planned.sample.debates),
        "findings": [asdict(finding) for finding in findings],
    }
    print_tables(tables, content, form)


def _measure(planned: Probe, ballots: Mapping[str, Taken], bench: Bench, defect: str) -> Finding:
    """Measure the effect of a defect on a bench by the ballots that are stored so far."""
    matchups = {debate.debate_id: debate.matchup_id for debate in planned.sample.debates}
    originals = _collect_originals(planned, ballots, bench)
    readings = []
    copies = [
        request
        for request in planned.requests
        if request.bench.name == bench.name and request.defect == defect
    ]
    for request in copies:
        three = [
            *(originals.get((request.item, bench.name, run)) for run in ORIGINAL_RUNS),
            ballots.get(request.ballot_id),
        ]
        valid = [ballot for ballot in three if ballot is not None and ballot.pro_mark is not None]
        if len(valid) == len(three):
            first, again, copy = valid
            cluster = matchups[request.item]
            readings.append(
                Readings(cluster=cluster, side=request.side, first=first, again=again, copy=copy)
            )
    seed = planned.sample.resolved.config.tournament.seed
    failed = len(copies) - len(readings)
    return measure_defect(bench.name, DEFECTS[defect], readings, failed=failed, seed=seed)


def _collect_originals(
    planned: Probe, ballots: Mapping[str, Taken], bench: Bench
) -> dict[tuple[str, str, int], Taken]:
    """Return the ballots on the original debates: the tournament's, and a bench's of this probe."""
    originals = dict(planned.originals)
    for request in planned.requests:
        is_original = request.bench.name == bench.name and request.defect == NONE
        if is_original and request.ballot_id in ballots:
            originals[request.item, bench.name, request.run] = ballots[request.ballot_id]
    return originals

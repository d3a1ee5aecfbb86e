"""`arena judges probe`: plant defects in copies of debates and report which judges notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arena.config.resolved import ResolvedConfig, find_bench
from arena.config.stored import stored_config
from arena.console.options import database, examples, judge_options, read_options
from arena.errors import ConfigError
from arena.output.formats import form, print_tables
from arena.plugins import judge_class
from arena.records import Bench
from arena.store.database import Store
from arena.tournament.job import RunOptions
from arena.tournament.rejudge import NewBench, add_bench
from judges.studies.paid_ballots import ballot_options, take_and_show
from judges.studies.probes.defects import DEFECTS
from judges.studies.probes.instructions import INSTRUCTIONS
from judges.studies.probes.measurement import measure_probe, probe_tables
from judges.studies.probes.probe_plan import plan_ballots, plan_probe

#: The choice of all kinds of instruction.
_ALL_INSTRUCTIONS = "instructions"


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
    type=click.Choice([*DEFECTS, _ALL_INSTRUCTIONS]),
    help="A defect to plant, or the ten kinds of instruction; all by default. May be repeated.",
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
    leaderboards stay unchanged. If it is interrupted, it prints the command that continues: arena
    judges probe TOURNAMENT with all of these options.
    """
    store = Store(db)
    store.check()
    resolved, probed = _select_benches(stored_config(store, tournament), benches, how)
    if _ALL_INSTRUCTIONS in defects:
        defects = tuple({**dict.fromkeys(defects), **INSTRUCTIONS}.keys() - {_ALL_INSTRUCTIONS})
    planned = plan_probe(store, resolved, probed, defects or tuple(DEFECTS), debates)

    def show() -> None:
        findings = measure_probe(store, planned)
        content = {
            "tournament": resolved.name,
            "simulated": planned.simulated,
            "caveat": planned.caveat,
            "debates": len(planned.debates),
            "findings": [asdict(finding) for finding in findings],
        }
        print_tables(probe_tables(planned, findings), content, form)

    take_and_show(store, plan_ballots(store, planned), run_options, form=form, show=show)


def _select_benches(
    resolved: ResolvedConfig, names: Sequence[str], how: Mapping[str, Any]
) -> tuple[ResolvedConfig, tuple[Bench, ...]]:
    """Return the benches to probe, and the configuration with them."""
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

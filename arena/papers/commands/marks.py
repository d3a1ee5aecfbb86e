"""`arena marks`: print the mean marks of each participant's essays."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path

import click

from arena.console.options import bench_option, database, examples, tournament
from arena.console.stored_tournament import open_stored
from arena.errors import ConfigError
from arena.output.formats import envelope, form, print_tables, titled
from arena.output.interval_text import format_interval_method
from arena.output.tables import Column, tabulate
from arena.papers.essays.marks import MARKED, MeanMark, essay_marks
from arena.papers.essays.published import published_figures, published_name
from arena.papers.essays.tables import MARKING_JUDGE, marking_command
from arena.papers.paper_table import format_known, interval, measure, name
from arena.store.command_lines import command_line


@click.command(epilog=examples("arena marks", "arena marks -t essays --format json"))
@database
@tournament
@bench_option("A bench of the judge marks; the first one by default.")
@form
def marks(db: Path, tournament: str | None, bench: str | None, form: str) -> None:
    """Print mean marks of the essays, from 1 to 5.

    Marks are given for relevance and preference. The judge `marks` gives them, to each essay by
    itself. Add a bench of it with: `arena rejudge TOURNAMENT --judge marks --model MODEL --runs 1`
    """
    store, resolved = open_stored(db, tournament)
    benches = [bench.name for bench in resolved.benches if bench.judge == MARKING_JUDGE]
    if not benches:
        essays = not resolved.imported and resolved.config.tournament.contest == "essay"
        advice = (
            f"Add one with: {marking_command(resolved.name, db)}"
            if essays
            else 'Only tournaments with contest = "essay" can have one, for example: arena run '
            "essays"
        )
        raise ConfigError(
            f"tournament {resolved.name!r} has no bench of the judge {MARKING_JUDGE!r}. {advice}"
        )
    if bench is not None and bench not in benches:
        raise ConfigError(
            f"{bench!r} is not a bench of the judge {MARKING_JUDGE!r}. Accepted: "
            f"{', '.join(benches)}."
        )
    judging = bench or benches[0]
    rows = essay_marks(store, resolved.name, bench=judging, seed=resolved.config.tournament.seed)
    title = titled(resolved.name, f"bench {judging}", caveat=resolved.caveat)
    content = envelope(resolved, bench=judging) | {
        "marks": [asdict(row) | {"published": _published(row)} for row in rows],
    }
    method = format_interval_method("motion", [row.motions for row in rows])
    note = (
        f"Marks run from 1 to 5. Interval: {method}. Published, for orientation: the same "
        "debaters with another model and other propositions (arXiv 2406.19643)."
        if rows
        else "No essay has been marked yet. Continue with: "
        f"{command_line('resume', resolved.name, db=db)}"
    )
    print_tables([tabulate(_COLUMNS, rows, title=title, notes=[note])], content, form)


def _published(row: MeanMark) -> float:
    """Return the mean that is published of the participant's debater; NaN for none."""
    figures = published_figures(*MARKED)
    name = published_name(row.debater, personas=row.personas)
    return figures.get(name, {}).get(row.dimension, math.nan)


_COLUMNS: tuple[Column[MeanMark], ...] = (
    name("dimension", head="mark"),
    name("participant"),
    measure("mark", ".2f", head="mean"),
    *interval(".2f"),
    measure("essays"),
    Column(head="published", read=lambda row: format_known(_published(row), ".2f")),
)

"""`arena marks`: relevance and preference of essays, each marked for itself."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path

import click

from arena.console.options import database, examples, tournament
from arena.console.output import form, print_tables, titled
from arena.console.stored import open_stored
from arena.console.tables import Table
from arena.errors import ConfigError
from arena.essays.marks import Marked, essay_marks
from arena.report.interval_text import method

_JUDGE = "marks"


@click.command(epilog=examples("arena marks", "arena marks -t essays --format json"))
@database
@tournament
@click.option("--bench", metavar="NAME", help="A bench of the judge marks; the first by default.")
@form
def marks(db: Path, tournament: str | None, bench: str | None, form: str) -> None:
    """Print the mean relevance and preference of each participant's essays, from 1 to 5.

    They are given by a bench of the judge marks, each essay by itself:
    arena rejudge TOURNAMENT --judge marks --model MODEL --runs 1
    """
    store, resolved = open_stored(db, tournament)
    benches = [one.name for one in resolved.benches if one.judge == _JUDGE]
    if not benches:
        essays = not resolved.imported and resolved.config.tournament.contest == "essay"
        advice = (
            f"Give it one: arena rejudge {resolved.name!r} --judge {_JUDGE} --model MODEL --runs 1"
            if essays
            else 'Only essays are marked (contest = "essay"): arena run essays'
        )
        raise ConfigError(
            f"tournament {resolved.name!r} has no bench of the judge {_JUDGE!r}. {advice}"
        )
    if bench is not None and bench not in benches:
        raise ConfigError(
            f"{bench!r} is no bench of the judge {_JUDGE!r}. Known: {', '.join(benches)}."
        )
    chosen = bench or benches[0]
    found = essay_marks(store, resolved.name, bench=chosen, seed=resolved.config.tournament.seed)
    simulated = resolved.simulated
    title = titled(resolved.name, f"bench {chosen}", simulated=simulated)
    content = {
        "tournament": resolved.name,
        "bench": chosen,
        "simulated": simulated,
        "marks": [asdict(one) for one in found],
    }
    print_tables([_table(found, title)], content, form)


def _table(found: list[Marked], title: str) -> Table:
    note = (
        f"From 1 to 5. Interval: {method('motion', [one.motions for one in found])}. Published, "
        "for orientation: the same debaters with another model and other propositions "
        "(arXiv 2406.19643)."
    )
    return Table(
        title=title,
        head=("mark", "participant", "mean", "95 % interval", "essays", "published"),
        rows=tuple(
            (
                one.dimension,
                one.participant,
                f"{one.mark:.2f}",
                "-" if math.isnan(one.lower) else f"{one.lower:.2f} to {one.upper:.2f}",
                str(one.essays),
                "-" if math.isnan(one.published) else f"{one.published:.2f}",
            )
            for one in found
        ),
        labels=2,
        notes=(note if found else "Nothing is marked yet. Go on with: arena resume",),
    )

"""`arena versus`: compare two participants."""

from __future__ import annotations

from pathlib import Path

import click

from arena.boards.selecting import bench_debates, dimensions, find_bench, select_comparisons
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.console.options import (
    bench_option,
    category_and_language,
    database,
    examples,
    tournament,
)
from arena.console.stored_tournament import check_participants, open_stored, select
from arena.errors import ConfigError
from arena.output.formats import format_option, print_tables, titled
from arena.report.head_to_head import in_paper_order
from arena.report.versus import versus, versus_content, versus_table
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted

_MEETINGS = """
    SELECT count(*) AS planned, count(*) FILTER (d.status = 'finished') AS finished
    FROM debates d
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament
      AND ((p.name = $first AND c.name = $second) OR (p.name = $second AND c.name = $first))
"""


@click.command(
    "versus",
    epilog=examples(
        "arena versus a4d-good direct-good",
        "arena versus a4d-good a4d-good-no-searcher --bench single",
        "arena versus a4d-good direct-good --category policy",
        "arena versus a4d-good direct-good --format csv > versus.csv",
    ),
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@database
@tournament
@bench_option("The bench whose ballots count; the first one by default.")
@category_and_language
@format_option("table", "csv", "json", "markdown")
def versus_command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    first: str,
    second: str,
    db: Path,
    tournament: str | None,
    bench: str | None,
    category: str,
    language: str,
    form: str,
) -> None:
    """Compare participants A and B by their points.

    The table shows A's mean points per debate (out of three) on each dimension, over the debates of
    the two that a bench has judged in full, with a 95 % interval and the p-value of a paired test;
    both treat a matchup as one observation. A line below it has the difference of their ratings on
    the board, which rests on all of its debates.
    """
    store, resolved = open_stored(db, tournament)
    _check_names(resolved, first, second)
    judging = find_bench(resolved, bench)
    selected = select(resolved, bench=judging.name, category=category, language=language)
    pair = versus(
        bench_debates(store, resolved, selected),
        first,
        second,
        rated=select_comparisons(store, resolved, selected).comparisons,
        dimensions=in_paper_order(dimensions(judging)),
        seed=resolved.config.tournament.seed,
    )
    if pair is None:
        raise ConfigError(_missing(store, resolved, selected, first=first, second=second))
    meeting = (resolved.name, f"{first} versus {second}", f"bench {judging.name}")
    title = titled(*meeting, *selected.narrowing, caveat=resolved.caveat)
    content = versus_content(pair, resolved, selected)
    print_tables([versus_table(pair, title=title)], content, form)


def _check_names(resolved: ResolvedConfig, first: str, second: str) -> None:
    known = check_participants(resolved, (first, second))
    if first == second:
        raise ConfigError(
            f"{first!r} was given twice, but a participant never meets itself. Name two of: "
            f"{', '.join(sorted(known))}."
        )


def _missing(
    store: Store, resolved: ResolvedConfig, selected: Selection, *, first: str, second: str
) -> str:
    """Return why there is no judged debate of the two."""
    parameters = {"tournament": resolved.name, "first": first, "second": second}
    debates = store.rows(_MEETINGS, parameters)[0]
    if not debates["planned"]:
        counts = command_line("matrix", "--counts", db=store.path, tournament=resolved.name)
        return (
            f"{first} and {second} never meet in tournament {resolved.name!r}. "
            f"Which pairs do: {counts}"
        )
    if selected.narrowing:
        return (
            f"no debate of {first} and {second} that bench {selected.bench!r} has judged in full "
            f"fits ({', '.join(selected.narrowing)}). Choose another --category or --language, or "
            "leave them out."
        )
    return (
        f"none of the {counted(debates['planned'], 'debate')} of {first} and {second} has all its "
        f"ballots of bench {selected.bench!r} yet ({debates['finished']} finished). Continue with: "
        f"{command_line('resume', resolved.name, db=store.path)}"
    )

"""`arena versus`: compare two participants."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from arena.boards.selecting import check_selection, scope
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
from arena.report.pair_data import read_pair
from arena.report.versus import (
    Versus,
    format_answer,
    versus,
    versus_content,
    versus_table,
)
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted

_MEETINGS = """
    SELECT count(*) AS planned, count(*) FILTER (d.status = 'finished') AS finished,
           count(*) FILTER (d.status = 'forfeit') AS forfeits
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
@bench_option("The bench whose ballots count, or `all`; by default that of the leaderboard.")
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
    """Say whether A is better than B, and how sure that is.

    The first sentence rests on the leaderboard of the same verdicts, which counts all of its
    debates: the difference in Elo with its 95 % interval, whether the order is settled, and what
    would probably settle it. The
    table shows A's mean points per debate (out of three) on each dimension, over the debates of
    the two that a bench has judged in full, with a 95 % interval and the p-value of a paired test;
    both treat a matchup as one observation.
    """
    store, resolved = open_stored(db, tournament)
    _check_names(resolved, first, second)
    selected = select(resolved, bench=bench, category=category, language=language)
    check_selection(store, resolved, selected)
    data = read_pair(store, selected, scope(resolved), first, second)
    pair = versus(data, first, second, seed=resolved.config.tournament.seed)
    missing = () if pair.debates else (_explain_missing(store, resolved, selected, pair),)
    if missing and pair.unknown:
        raise ConfigError(" ".join((format_answer(pair), *missing)))
    meeting = (resolved.name, f"{first} versus {second}", selected.judging)
    title = titled(*meeting, *selected.narrowing, caveat=resolved.caveat)
    table = versus_table(pair, title=title)
    content = versus_content(pair, resolved, selected)
    print_tables([replace(table, notes=(*table.notes, *missing))], content, form)


def _check_names(resolved: ResolvedConfig, first: str, second: str) -> None:
    known = check_participants(resolved, (first, second))
    if first == second:
        raise ConfigError(
            f"{first!r} was given twice, but a participant never meets itself. Name two of: "
            f"{', '.join(sorted(known))}."
        )


def _explain_missing(
    store: Store, resolved: ResolvedConfig, selected: Selection, pair: Versus
) -> str:
    """Explain why no debate of the two is judged, and what to do about it."""
    names = f"{pair.first} and {pair.second}"
    parameters = {"tournament": resolved.name, "first": pair.first, "second": pair.second}
    debates = store.rows(_MEETINGS, parameters)[0]
    planned = counted(debates["planned"], "debate")
    command = partial(command_line, db=store.path)
    if not debates["planned"]:
        counts = command("matrix", "--counts", tournament=resolved.name)
        return f"{names} never meet in tournament {resolved.name!r}. Which pairs do: {counts}"
    if selected.narrowing:
        return (
            f"No debate of {names} that is judged in full by {selected.judging} fits "
            f"({', '.join(selected.narrowing)}). Choose another --category or --language, or "
            "leave them out."
        )
    if debates["forfeits"] == debates["planned"]:
        forfeits = command("debates", "--participant", pair.first, tournament=resolved.name)
        return f"All {planned} of {names} were forfeited. Which: {forfeits}"
    return (
        f"None of the {planned} of {names} has all its "
        f"ballots of {selected.judging} yet ({debates['finished']} finished). Continue with: "
        f"{command('resume', resolved.name)}"
    )

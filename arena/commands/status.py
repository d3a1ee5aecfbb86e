"""`arena status`: how far a tournament is, from any terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from arena.console.options import database, examples
from arena.console.options import tournament as tournament_option
from arena.console.stored_tournament import open_stored
from arena.llm.budget import format_purse
from arena.output.formats import as_json, format_matters
from arena.read.run_figures import run_figures
from arena.read.run_status import (
    Outcome,
    RunStatus,
    read_status,
    status_content,
)
from arena.store.command_lines import command_line
from arena.text import format_cap, plain
from arena.tournament.figures import format_estimated, format_line, format_troubles, format_workers

#: The exit code by what is said.
_EXIT_CODES: Mapping[Outcome, int] = {
    "done": 0,
    "left": 3,
    "flawed": 4,
    "missed": 4,
    "running": 5,
}
#: Seconds between two looks of `--watch`.
_WATCH_SECONDS = 2.0
#: The failures of a run that its matters name, by the kind of the matter.
_KINDS = {"silent": "forfeit", "forfeits": "forfeit", "judge": "failed"}
#: Rows of the standings that are shown.
_MOST_ROWS = 8


@click.command(
    epilog=examples(
        "arena status",
        "arena status --watch",
        "arena status --json --db weekend.duckdb",
    )
)
@database
@tournament_option
@click.option("--json", "is_json", is_flag=True, help="One JSON object for programs.")
@click.option("--watch", is_flag=True, help="Show it again every two seconds while a run works.")
def status(db: Path, tournament: str | None, is_json: bool, watch: bool) -> None:  # noqa: FBT001
    """Say how far a tournament is, what it cost, and what failed.

    The exit code is 0 where all is done, 3 where work is left and nobody works on it, 4 where all
    is done but for void debates, failed ballots and errors, or the target is not reached, and 5
    where a run is working on it.
    """
    while True:
        store, resolved = open_stored(db, tournament)
        state = read_status(store, resolved, resample=is_json)  # only JSON has medians
        if watch and sys.stdout.isatty():
            click.clear()
        if is_json:
            click.echo(as_json(status_content(state), indent=None))
        else:
            for line in _lines(state, db):
                click.echo(line)
        if not watch or state.outcome != "running":
            sys.exit(_EXIT_CODES[state.outcome])
        time.sleep(_WATCH_SECONDS)


def _lines(state: RunStatus, db: Path) -> Iterator[str]:
    yield f"Tournament {state.tournament!r} in {db}: {state.words}"
    yield from format_matters(state.matters)
    words = {} if state.outcome == "running" else {"playing": "cut off"}
    debates = ", ".join(
        f"{number} {words.get(name, name)}" for name, number in state.debates.items() if number
    )
    yield f"  debates: {debates or 'none'}"
    if state.others:
        yield f"  not counted: {state.format_others()}"
    yield f"  ballots: {state.format_ballots() or 'none'}"
    yield f"  done: {state.format_share()}"
    yield f"  spent: {_format_spent(state)}"
    if roles := state.bill.format_roles():
        yield f"    {roles}"
    if estimated := format_estimated(state.estimated_calls):
        yield f"   {estimated}"
    for purse in state.purses:
        yield f"    {format_purse(purse)}"
    if state.purses and state.reserved_usd:
        yield "    (what is reserved counts towards these caps, too)"
    yield from _run_lines(state)
    yield from _standings(state, db)
    if state.has_ended:
        yield plain(state.ending)


def _format_spent(state: RunStatus) -> str:
    text = f"{state.usd:.4f} USD"
    if round(state.reserved_usd, 4) > 0:
        most = state.usd + state.reserved_usd
        text += f" (up to {most:.4f} with answers that were cut off, whose bill is not known)"
    return text if state.cap is None else f"{text}; cap {format_cap(state.cap)} USD"


def _run_lines(state: RunStatus) -> Iterator[str]:
    run = state.last_run.state
    if run is None:
        return
    if state.last_run.process:
        yield f"  process: {state.last_run.process}"
    figures = run_figures(run)
    if figures is not None and state.outcome == "running":
        yield f"  this run: {format_line(figures).strip()}"
        for line in (*format_troubles(figures), *format_workers(figures)):
            yield f"    {line}"
    known = {_KINDS[matter.kind] for matter in state.matters if matter.kind in _KINDS}
    if state.outcome != "running":
        known.add("waiting")
    for kind, causes in run.failures.items():
        if kind in known:
            continue
        for cause in causes[:3]:
            yield f"  {kind}: {cause['count']} × {plain(cause['reason'])}"
    if run.last and state.outcome == "running":
        yield f"  last: {plain(run.last)}"


def _standings(state: RunStatus, db: Path) -> Iterator[str]:
    if state.board is None:
        return
    yield f"  standings of {state.board.selection.bench} after {state.board.size}:"
    for row in state.board.rows[:_MOST_ROWS]:
        if not row.is_rated:
            yield f"     -  {row.participant:24}  not rated: {row.unrated}"
            continue
        yield (
            f"    {row.rank or '-':>2}  {row.participant:24}  {row.rating:5.0f}  "
            f"({row.lower:.0f} to {row.upper:.0f}){', provisional' * row.provisional}"
        )
    if (more := len(state.board.rows) - _MOST_ROWS) > 0:
        board = command_line("leaderboard", db=db, tournament=state.tournament)
        yield f"    and {more} more: {board}"

"""`arena status`: how far a tournament is, from any terminal."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arena.console.caps_text import format_purse
from arena.console.figures_text import format_line, format_troubles
from arena.console.options import database, examples
from arena.console.options import tournament as tournament_option
from arena.console.output import as_json
from arena.console.run_status import EXIT_CODES, RunStatus, read_status, run_figures
from arena.console.stored_tournament import db_option, open_stored
from arena.llm.purse import Purse
from arena.text import counted, plain

#: Seconds between two looks of `--watch`.
_WATCH_SECONDS = 2.0
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
    is done but for void debates, failed ballots and errors, and 5 where a run is working on it.
    """
    while True:
        store, resolved = open_stored(db, tournament)
        state = read_status(store, resolved)
        if watch and sys.stdout.isatty():
            click.clear()
        if is_json:
            click.echo(as_json(_fields(state), indent=None))
        else:
            for line in _lines(state, db):
                click.echo(line)
        if not watch or state.outcome != "running":
            sys.exit(EXIT_CODES[state.outcome])
        time.sleep(_WATCH_SECONDS)


def _lines(state: RunStatus, db: Path) -> Iterator[str]:
    yield f"Tournament {state.tournament!r} in {db}: {_format_outcome(state)}"
    words = {} if state.outcome == "running" else {"playing": "cut off"}
    debates = ", ".join(
        f"{number} {words.get(name, name)}" for name, number in state.debates.items() if number
    )
    yield f"  debates: {debates or 'none'}"
    yield f"  ballots: {state.format_ballots() or 'none'}"
    yield f"  done: {state.format_share()}"
    yield f"  spent: {_format_spent(state)}"
    for purse in state.purses:
        yield f"    {format_purse(purse)}"
    yield from _run_lines(state)
    yield from _standings(state, db)
    if state.outcome in ("left", "flawed"):
        yield f"Go on with: arena resume {shlex.quote(state.tournament)}{db_option(db)}"


def _format_outcome(state: RunStatus) -> str:
    if state.outcome == "done":
        return "all is done"
    if state.outcome == "flawed":
        return "all is done but for what failed"
    return state.last_run.describe()


def _format_spent(state: RunStatus) -> str:
    text = f"{state.usd:.4f} USD"
    if state.reserved_usd:
        most = state.usd + state.reserved_usd
        text += f" (up to {most:.4f} with answers that were cut off, whose bill is not known)"
    return text if state.cap is None else f"{text}; cap {state.cap:.2f} USD"


def _run_lines(state: RunStatus) -> Iterator[str]:
    run = state.last_run.state
    if run is None:
        return
    figures = run_figures(run)
    if figures is not None and state.outcome == "running":
        yield f"  this run: {format_line(figures).strip()}"
        for line in format_troubles(figures):
            yield f"    {line}"
    for kind, causes in run.failures.items():
        for cause in causes[:3]:
            yield f"  {kind}: {cause['count']} × {plain(cause['reason'])}"
    if run.last:
        yield f"  last: {plain(run.last)}"


def _standings(state: RunStatus, db: Path) -> Iterator[str]:
    if state.board is None:
        return
    rated = counted(state.board.comparisons, "debate")
    yield f"  standings of {state.board.selection.bench} after {rated}:"
    for row in state.board.rows[:_MOST_ROWS]:
        if row.rank is None:
            yield f"     -  {row.participant:24}  no comparison yet"
            continue
        yield (
            f"    {row.rank:2d}  {row.participant:24}  {row.rating:5.0f}  "
            f"({row.lower:.0f} to {row.upper:.0f})"
        )
    if (more := len(state.board.rows) - _MOST_ROWS) > 0:
        name = shlex.quote(state.tournament)
        yield f"    and {more} more: arena leaderboard --tournament {name}{db_option(db)}"


def _fields(state: RunStatus) -> dict[str, Any]:
    standings = [asdict(row) for row in state.board.rows] if state.board else []
    return {
        "tournament": state.tournament,
        "outcome": state.outcome,
        "process": state.last_run.process,
        "run": asdict(state.last_run.state) if state.last_run.state else None,
        "debates": dict(state.debates),
        "ballots": dict(state.ballots),
        "ballots_planned": state.ballots_planned,
        "share": state.share,
        "usd": state.usd,
        "reserved_usd": state.reserved_usd,
        "cap": state.cap,
        "caps": [_cap_fields(purse) for purse in state.purses],
        "standings": standings,
    }


def _cap_fields(purse: Purse) -> dict[str, Any]:
    return {
        "measure": purse.measure,
        "limit": purse.limit,
        "spent": purse.spent,
        "participant": purse.participant,
        "per_day": purse.is_daily,
    }

"""`arena leaderboard`: print ratings with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from arena.boards.method import Method
from arena.boards.selection import select
from arena.console.options import (
    clustering,
    database,
    examples,
    read_past_date,
    selection,
    tournaments,
)
from arena.console.rating_options import rating_method
from arena.console.stored_tournament import open_joined
from arena.output.formats import format_option
from arena.report.leaderboard import print_board, show_board


@click.command(
    epilog=examples(
        "arena leaderboard",
        "arena leaderboard --dimension source --category policy",
        "arena leaderboard --side --ties davidson",
        "arena leaderboard --diagnostics",
        "arena leaderboard --beside",
        "arena leaderboard --cluster motion",
        "arena leaderboard --covariate length --covariate references",
        "arena leaderboard --intervals bootstrap",
        "arena leaderboard --method unweighted --no-prior --anchor a4d-good",
        "arena leaderboard --method sequential --k 16",
        "arena leaderboard --format csv > board.csv",
        "arena leaderboard --changes-since 2026-11-26T08:00",
        "arena leaderboard --at 2026-11-22",
        "arena leaderboard --at 3f9c1a20b7d4",
        "arena leaderboard --dimension source --keep",
        "arena leaderboard -t weekend -t monday",
    )
)
@database
@tournaments
@selection
@clustering
@rating_method
@click.option(
    "--diagnostics",
    is_flag=True,
    help="Add which participants the debates connect and separate.",
)
@click.option(
    "--beside",
    "by_bench",
    is_flag=True,
    help="Add the ratings by every bench, and how well their orders agree.",
)
@click.option(
    "--at",
    metavar="DATE|BOARD",
    help="Show a board as it was: the last that was kept on this date or before (UTC), or the kept "
    "board with this hash. Nothing newer is mixed in.",
)
@click.option(
    "--keep",
    is_flag=True,
    help="Keep this board for `--at` and `arena reproduce`; runs keep the overall ones themselves.",
)
@click.option(
    "--changes-since",
    metavar="DATE",
    callback=lambda _context, _option, text: None if text is None else read_past_date(text),
    help="Add what has changed since a date (UTC): places, debates, ballots, money.",
)
@format_option("table", "csv", "json", "markdown")
def leaderboard(
    db: Path,
    tournaments: tuple[str, ...],
    form: str,
    method: Method,
    diagnostics: bool,
    by_bench: bool,
    **filters: Any,  # noqa: ANN401
) -> None:
    """Print the leaderboard of a tournament, with 95 % intervals.

    With several `-t`, the debates of all these tournaments count on one board.
    """
    for option, wanted in (("--diagnostics", diagnostics), ("--beside", by_bench)):
        if wanted and form == "csv":
            raise click.UsageError(
                f"{option} cannot be written as CSV; use --format table, markdown or json"
            )
    if by_bench and method.k is not None:
        raise click.UsageError("--beside compares fits; it does not go with --method sequential")
    at, keep, since = (filters.pop(name) for name in ("at", "keep", "changes_since"))
    if since is not None and form != "table":
        raise click.UsageError("--changes-since adds sentences to a table; leave out --format")
    store, resolved = open_joined(db, tournaments)
    if resolved.joined:
        of_one = {"--at": at is not None, "--keep": keep, "--changes-since": since is not None}
        _check_one_tournament(of_one)
    # Most calls show a board as it is now, without what belongs to those that were kept.
    if at is not None:
        from arena.report.kept_leaderboard import find_kept  # noqa: PLC0415

        others = {"--beside": by_bench, "--keep": keep, "--changes-since": since is not None}
        _check_alone("--at", others)
        named = bool(tournaments)
        kept = find_kept(store, resolved, at, method, filters, named=named)
        board = kept.board()
        if form in ("table", "markdown"):
            click.echo(f"As kept on {kept.created_at:%Y-%m-%d %H:%M} UTC: board {kept.name}\n")
        print_board(board, db, form=form, diagnostics=diagnostics)
        return
    board = show_board(
        store,
        resolved,
        form=form,
        method=method,
        diagnostics=diagnostics,
        by_bench=by_bench,
        **filters,
    )
    if since is not None:
        from arena.report.overview.changes import format_changes  # noqa: PLC0415

        click.echo(format_changes(store, resolved, board, since))
    if keep:
        from arena.report.kept_leaderboard import keep_shown  # noqa: PLC0415

        keep_shown(store, resolved, select(resolved, **filters), method)


def _check_one_tournament(options: Mapping[str, bool]) -> None:
    """Check that none of the options is used that are of the boards of a single tournament."""
    for option, is_used in options.items():
        if is_used:
            raise click.UsageError(
                f"{option} is for the board of one tournament; repeat -t without it, or name one"
            )


def _check_alone(option: str, others: Mapping[str, bool]) -> None:
    """Check that none of some options is used together with one."""
    for other, is_used in others.items():
        if is_used:
            raise click.UsageError(f"{option} shows a board as it was kept; leave out {other}")

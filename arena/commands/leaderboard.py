"""`arena leaderboard`: print ratings with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.boards.keep import keep_board
from arena.boards.kept_boards import FEWEST_DIGITS, KeptBoard, board_at, find_board, read_board_name
from arena.boards.method import STORED, Method
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
from arena.errors import ConfigError
from arena.output.formats import format_option
from arena.report.leaderboard import format_changes, print_board, show_board
from arena.store.command_lines import command_line

if TYPE_CHECKING:
    from arena.boards.selection import Selection
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store


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
    if at is not None:
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
        click.echo(format_changes(store, resolved, board, since))
    if keep:
        _keep(store, resolved, select(resolved, **filters), method)


def _keep(store: Store, resolved: ResolvedConfig, selection: Selection, method: Method) -> None:
    """Keep a board, and say under which name."""
    with store.runner_lock():
        kept = keep_board(store, resolved, selection, method)
    if kept is not None:
        again = command_line(
            "leaderboard", "--at", kept.name, db=store.path, tournament=resolved.name
        )
        click.echo(f"Kept as board {kept.name}: {again}", err=True)


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


#: What `arena leaderboard` selects without options.
_DEFAULTS: Final[Mapping[str, Any]] = {
    "bench": None,
    "dimension": "overall",
    "category": "all",
    "language": "all",
    "since": None,
    "until": None,
    "without": (),
    "cluster": "auto",
}


def find_kept(
    store: Store,
    resolved: ResolvedConfig,
    at: str,
    method: Method,
    filters: Mapping[str, Any],
    *,
    named: bool,
) -> KeptBoard:
    """Find the kept board that a date and a selection, or a hash, name.

    Args:
        resolved: of the tournament; the newest, where none was named.
        at: a date (and time, UTC), or the first digits of the hash of a board.
        method: how the board is rated; a hash says that itself.
        named: whether the tournament was named; else a hash may be of any.

    Raises:
        ConfigError: `at` is neither, no such board was kept, or options go with a hash.
    """
    until = _read_date(at)
    if until is not None:
        return board_at(store, select(resolved, **filters), method, until)
    if read_board_name(at) is None:
        raise ConfigError(
            f"--at {at!r}: accepted are a date (2026-11-22), a date and time (2026-11-22T18:00, "
            f"UTC), or at least {FEWEST_DIGITS} digits of the hash of a kept board."
        )
    kept = find_board(store, at)
    _check_without_options(kept, resolved, method, filters, named=named)
    return kept


def _read_date(at: str) -> datetime | None:
    """Return the time before which a board was kept; None where it is no date."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    if read_board_name(at) is not None:
        return None  # digits of a hash that could be a date without hyphens
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    is_day = len(at) == len("2026-11-22")
    return moment + (timedelta(days=1) if is_day else timedelta(seconds=1))


def _check_without_options(
    kept: KeptBoard,
    resolved: ResolvedConfig,
    method: Method,
    filters: Mapping[str, Any],
    *,
    named: bool,
) -> None:
    """Check that nothing is selected besides a hash, which says all that itself."""
    selected = [name for name, value in filters.items() if value != _DEFAULTS.get(name)]
    if method != STORED:
        selected.append("method")
    if named and kept.tournament != resolved.name:
        selected.append("tournament")
    if selected:
        raise ConfigError(
            f"board {kept.name} is of tournament {kept.tournament!r} and says itself what it "
            f"selects and how it is rated; leave out: {', '.join(selected)}."
        )

"""`arena run` and `arena resume`: plan, confirm, play, and print the board."""

from __future__ import annotations

from pathlib import Path

import click

from arena.config.load import load_config
from arena.config.one_motion import one_motion_config
from arena.config.resolve import resolve
from arena.console.one_motion import asked_motion, one_motion_options, show_verdict
from arena.console.options import database, examples
from arena.console.paid import RunOptions, go, how_options
from arena.console.stored import open_stored
from arena.report.leaderboard import show_overall
from arena.store.database import Store


@click.command(
    epilog=examples(
        "arena run                        the offline example: simulated models, no key",
        "arena run local --yes            any OpenAI-compatible server on this machine",
        "arena run paper --dry-run        the arena of the paper: its plan and cost, no key",
        "arena run weekend.toml --dry-run",
        "arena run weekend.toml --yes --db weekend.duckdb",
        'arena run --motion "Cities should ban cars" --a offline/strong --b offline/fair',
    )
)
@click.argument("file", required=False)
@database
@how_options
@one_motion_options
def run(
    file: str | None,
    db: Path,
    yes: bool,  # noqa: FBT001 - a flag
    dry_run: bool,  # noqa: FBT001 - a flag
    concurrency: int | None,
    **single: str | None,
) -> None:
    """Play the tournament of FILE: a path, or an example (offline, arena66, local).

    What is stored already is not played again; new participants, motions, benches or repeats in
    the file are added to it. With --motion, two models debate one motion, both ways round,
    without a search, and its verdict is printed.
    """
    asked = asked_motion(file, single)
    options = RunOptions(yes=yes, dry_run=dry_run, concurrency=concurrency)
    if asked is not None:
        go(one_motion_config(asked), Store(db), options, finish=show_verdict)
        return
    file = file or "offline"
    go(resolve(load_config(file), where=file), Store(db), options, finish=show_overall)


@click.command(
    epilog=examples(
        "arena resume", "arena resume weekend --db weekend.duckdb", "arena resume --yes"
    )
)
@click.argument("tournament", required=False)
@database
@how_options
def resume(
    tournament: str | None,
    db: Path,
    yes: bool,  # noqa: FBT001 - a flag
    dry_run: bool,  # noqa: FBT001 - a flag
    concurrency: int | None,
) -> None:
    """Go on with a stored TOURNAMENT (the newest by default): no file is needed."""
    store, resolved = open_stored(db, tournament)
    options = RunOptions(yes=yes, dry_run=dry_run, concurrency=concurrency)
    go(resolved, store, options, finish=show_overall)

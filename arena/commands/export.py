"""`arena export`: battles, leaderboards and games for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.battles.columns import SHAPES
from arena.battles.exporter import (
    FORMATS,
    battle_table,
    board_table,
    games,
    replacing,
    write_table,
)
from arena.boards.board import board
from arena.boards.comparisons import Selection, compared_debates
from arena.boards.exclusions import uncounted
from arena.boards.selection import check, scope
from arena.config.resolve import ResolvedConfig
from arena.console.options import database, examples, selection, tournament
from arena.console.stored import open_stored, select
from arena.errors import ConfigError
from arena.report.leaderboard import board_json
from arena.store.database import Store

_WHAT = {
    "battles": (*FORMATS, ".pgn"),
    "leaderboard": (".csv", ".json", ".parquet"),
}


@click.command(
    "export",
    epilog=examples(
        "arena export battles.csv",
        "arena export votes.parquet --shape sides --bench all",
        "arena export board.json --what leaderboard --category policy",
        "arena export games.pgn --force",
    ),
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@database
@tournament
@selection
@click.option(
    "--what",
    type=click.Choice(list(_WHAT)),
    default="battles",
    show_default=True,
    help="Battles: .csv, .jsonl, .parquet, .pgn; leaderboard: .csv, .json, .parquet.",
)
@click.option(
    "--shape",
    type=click.Choice(list(SHAPES)),
    default="models",
    show_default=True,
    help="Of battles: model_a, model_b, winner; or left, right, winner.",
)
@click.option("--force", is_flag=True, help="Replace FILE where it is there already.")
def export(
    file: Path,
    db: Path,
    tournament: str | None,
    what: str,
    shape: str,
    force: bool,  # noqa: FBT001 - a flag
    **chosen: Any,  # noqa: ANN401 - a selection
) -> None:
    """Write a tournament to FILE, in the format that its name ends in.

    Battles are what the leaderboard is made from, one row per debate that counts, with its weight
    and its cluster (group): `arena import` gives the same board again. As PGN they are games of
    chess without moves, for chess rating tools; those know no weights.
    """
    if file.suffix.lower() not in _WHAT[what]:
        raise ConfigError(f"{file}: for {what}, its name must end in {', '.join(_WHAT[what])}.")
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **chosen)
    with replacing(file, force=force) as beside:
        written = _EXPORTS[what](store, resolved, selected, beside, shape)
    click.echo(f"{written} written to {file}.")
    for one in uncounted(store, selected, scope(resolved)).said:
        click.echo(f"{one}.")


def _battles(
    store: Store, resolved: ResolvedConfig, chosen: Selection, path: Path, shape: str
) -> str:
    check(store, resolved, chosen)
    compared = compared_debates(store, chosen, scope(resolved))
    if path.suffix.lower() == ".pgn":
        with path.open("w", encoding="utf-8") as file:
            file.writelines(games(compared, event=resolved.name))
        return f"{len(compared):,} games"
    write_table(battle_table(compared, SHAPES[shape], simulated=resolved.simulated), path)
    return f"{len(compared):,} battles"


def _leaderboard(
    store: Store, resolved: ResolvedConfig, chosen: Selection, path: Path, shape: str
) -> str:
    found = board(store, resolved, chosen)
    if path.suffix.lower() == ".json":
        path.write_text(board_json(found), encoding="utf-8")
    else:
        write_table(board_table(found), path)
    return f"The leaderboard of {len(found.rows)} participants"


_EXPORTS = {"battles": _battles, "leaderboard": _leaderboard}

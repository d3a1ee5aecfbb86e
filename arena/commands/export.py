"""`arena export`: write battles, leaderboards and games for other programs."""

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
    replace_file,
    write_table,
)
from arena.boards.board import board
from arena.boards.comparisons import Selection, compared_debates
from arena.boards.exclusions import uncounted
from arena.boards.selection import check_selection, scope
from arena.config.resolve import ResolvedConfig
from arena.console.options import database, examples, selection, tournament
from arena.console.stored_tournament import open_stored, select
from arena.errors import ConfigError
from arena.report.leaderboard import board_json
from arena.store.database import Store

#: What can be written, and the formats of each.
_FORMATS = {
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
    type=click.Choice(list(_FORMATS)),
    default="battles",
    show_default=True,
    help="Battles: .csv, .jsonl, .parquet, .pgn; leaderboard: .csv, .json, .parquet.",
)
@click.option(
    "--shape",
    type=click.Choice(list(SHAPES)),
    default="models",
    show_default=True,
    help="Columns of battles: model_a, model_b, winner (arena) or left, right, winner (sides).",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def export(
    file: Path,
    db: Path,
    tournament: str | None,
    what: str,
    shape: str,
    force: bool,  # noqa: FBT001 - a flag
    **filters: Any,  # noqa: ANN401 - a selection
) -> None:
    """Export the battles or the leaderboard of a tournament.

    The ending of FILE selects the format. Battles are the results that the leaderboard is computed
    from: one row per debate, with its weight and its cluster (group). `arena import` reproduces the
    leaderboard from them. In PGN they are games of chess without moves, for chess rating tools,
    which ignore weights.
    """
    if file.suffix.lower() not in _FORMATS[what]:
        raise ConfigError(
            f"{file}: --what {what} needs a file name that ends in one of "
            f"{', '.join(_FORMATS[what])}."
        )
    store, resolved = open_stored(db, tournament)
    selected = select(resolved, **filters)
    with replace_file(file, force=force) as temporary:
        written = _EXPORTS[what](store, resolved, selected, temporary, shape)
    click.echo(f"{written} written to {file}.")
    for reason in uncounted(store, selected, scope(resolved)).said:
        click.echo(f"{reason}.")


def _export_battles(
    store: Store, resolved: ResolvedConfig, selected: Selection, path: Path, shape: str
) -> str:
    check_selection(store, resolved, selected)
    compared = compared_debates(store, selected, scope(resolved))
    if path.suffix.lower() == ".pgn":
        with path.open("w", encoding="utf-8") as file:
            file.writelines(games(compared, event=resolved.name))
        return f"{len(compared):,} games"
    write_table(battle_table(compared, SHAPES[shape], simulated=resolved.simulated), path)
    return f"{len(compared):,} battles"


def _export_leaderboard(
    store: Store, resolved: ResolvedConfig, selected: Selection, path: Path, shape: str
) -> str:
    leaderboard = board(store, resolved, selected)
    if path.suffix.lower() == ".json":
        path.write_text(board_json(leaderboard), encoding="utf-8")
    else:
        write_table(board_table(leaderboard), path)
    return f"The leaderboard of {len(leaderboard.rows)} participants"


_EXPORTS = {"battles": _export_battles, "leaderboard": _export_leaderboard}

"""`arena influence`: find the motions and debates that decide a leaderboard."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.boards.covariates import select_for_model
from arena.boards.selection import select
from arena.console.options import database, examples, selection, tournaments
from arena.console.rating_options import rating_model
from arena.console.stored_tournament import open_joined
from arena.console.waiting import show_computing
from arena.output.formats import form, print_tables, titled
from arena.report.influence import find_influences, influence_tables
from arena.store.motions import motion_names

if TYPE_CHECKING:
    from ratings import Model


@click.command(
    "influence",
    epilog=examples(
        "arena influence",
        "arena influence --dimension source --category policy",
        "arena influence --top 66 --format json > influence.json",
    ),
)
@database
@tournaments
@selection
@rating_model
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1, max=100),
    default=10,
    show_default=True,
    help="Number of motions to list, the most decisive first.",
)
@form
def influence_command(
    db: Path,
    tournaments: tuple[str, ...],
    model: Model,
    top: int,
    form: str,
    **filters: Any,  # noqa: ANN401 - the selection
) -> None:
    """Print which motions and debates decide the order.

    Each motion is left out in turn and the ratings are computed without it. Then the command finds
    the fewest debates whose removal, or whose opposite result, would put another participant first.
    Identical battles of an imported log are counted, not listed one by one.
    """
    store, resolved = open_joined(db, tournaments)
    selected = select(resolved, **filters)
    compared = select_for_model(store, resolved, selected, model, by_motion=True)
    motions = motion_names(store, compared.rows["motion"])
    with show_computing("Rating without each motion"):
        result = find_influences(compared, motions, model, top=top)
    simulated = resolved.simulated
    title = titled(selected.title, caveat=resolved.caveat)
    head = {"selection": asdict(selected), "simulated": simulated, "caveat": resolved.caveat}
    content = head | asdict(result)
    print_tables(influence_tables(result, title, db), content, form)

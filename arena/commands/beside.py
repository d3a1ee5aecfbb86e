"""The boards of all benches side by side."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from arena.boards import board
from arena.commands.console import console, plain
from arena.comparisons import Selection
from arena.entry import Entry
from arena.rank_correlation import correlations
from arena.store import Store


def beside(store: Store, entry: Entry) -> str:
    """Every participant's Elo by each bench, and how alike the benches order them."""
    boards = {
        bench.name: board(store, entry, Selection(tournament=entry.name, bench=bench.name))
        for bench in entry.benches
    }
    ratings = {
        name: {row.participant: row.rating for row in one.rows}
        for name, one in boards.items()
        if one.comparisons
    }
    table = Table(title=Text("Elo by bench"), title_justify="left", box=None, pad_edge=False)
    table.add_column("participant", no_wrap=True)
    for name in ratings:
        table.add_column(Text(plain(name)), justify="right")
    for participant in next(iter(ratings.values()), {}):
        cells = (
            f"{one[participant]:.0f}" if participant in one else "-" for one in ratings.values()
        )
        table.add_row(Text(plain(participant)), *cells)
    screen = console()
    with screen.capture() as captured:
        screen.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    alike = [
        f"Rank correlation of {one.first} and {one.second}: Kendall {one.kendall:.2f}, "
        f"Spearman {one.spearman:.2f} ({one.participants} participants)."
        for one in correlations(ratings)
    ]
    return "\n".join([*lines, "", *alike])

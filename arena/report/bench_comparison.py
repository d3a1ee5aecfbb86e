"""The boards of all benches side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from rich.table import Table
from rich.text import Text

from arena.boards.board import board
from arena.boards.comparisons import Selection
from arena.boards.rank_correlation import Correlation, correlation_said, correlations
from arena.boards.selection import dimensions
from arena.config.resolve import ResolvedConfig
from arena.console import tables as report
from arena.console.screen import console
from arena.store.database import Store
from arena.text import plain
from ratings import PAPER, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchComparison:
    """What the benches that judged a selection make of the participants.

    Attributes:
        title: what is shown.
        ratings: by bench, the rating of each participant, in Elo points.
        correlations: how alike every two benches order them.
    """

    title: str
    ratings: Mapping[str, Mapping[str, float]]
    correlations: tuple[Correlation, ...]

    def content(self) -> dict[str, Any]:
        """The same as JSON."""
        ratings = {
            bench: {name: round(elo, 2) for name, elo in one.items()}
            for bench, one in self.ratings.items()
        }
        return {"ratings": ratings, "correlations": [asdict(one) for one in self.correlations]}


def benches_beside(
    store: Store, resolved: ResolvedConfig, selection: Selection, model: Model = PAPER
) -> BenchComparison:
    """Rate a selection by each bench that judges its dimension and has ballots on it.

    Raises:
        ConfigError: as `board`.
    """
    ratings = {}
    for bench in resolved.benches:
        if bench.name in selection.without or selection.dimension not in dimensions(bench):
            continue
        found = board(store, resolved, replace(selection, bench=bench.name), model)
        if found.comparisons:
            ratings[bench.name] = {row.participant: row.rating for row in found.rows}
    dimension = () if selection.dimension == "overall" else (selection.dimension,)
    return BenchComparison(
        title=" · ".join(["Elo by bench", *dimension, *selection.narrowing]),
        ratings=ratings,
        correlations=tuple(correlations(ratings)),
    )


def beside(found: BenchComparison) -> str:
    """Every participant's Elo by each bench, and how alike the benches order them, in words."""
    if len(found.ratings) < 2:
        who = ", ".join(found.ratings) or "nobody"
        return f"By bench: only {who} judged this; arena rejudge adds another bench."
    table = Table(box=None, pad_edge=False)
    table.add_column("participant", no_wrap=True)
    for name in found.ratings:
        table.add_column(Text(plain(name)), justify="right")
    for participant in next(iter(found.ratings.values())):
        cells = (f"{one[participant]:.0f}" for one in found.ratings.values())
        table.add_row(Text(plain(participant)), *cells)
    screen = console()
    with screen.capture() as captured:
        screen.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([found.title, *lines, "", *map(correlation_said, found.correlations)])


def beside_markdown(found: BenchComparison) -> str:
    """The same as a table of Markdown."""
    if len(found.ratings) < 2:
        return beside(found)
    first = next(iter(found.ratings.values()))
    table = report.Table(
        title=found.title,
        head=("participant", *found.ratings),
        rows=tuple(
            (name, *(f"{one[name]:.0f}" for one in found.ratings.values())) for name in first
        ),
        notes=tuple(map(correlation_said, found.correlations)),
    )
    return report.as_markdown(table).rstrip()

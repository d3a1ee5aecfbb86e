"""The boards of all benches side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from arena.boards.covariates import select_for_model
from arena.boards.method import STORED, Method
from arena.boards.ranks import Correlation, correlations, format_correlation
from arena.config.resolved import dimensions
from arena.output.formats import console
from arena.output.tables import Column, as_markdown, as_text, escape_markdown, tabulate
from arena.store.command_lines import command_line
from arena.text import plain
from ratings import confidence

if TYPE_CHECKING:
    from arena.boards.selection import Selection
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchComparison:
    """The ratings that each bench gives the participants of one selection.

    Attributes:
        rejudge: the command that adds a bench; '' where there is none.
        ratings: by bench, the rating of each participant that it has rated, in Elo points.
    """

    title: str
    rejudge: str
    ratings: Mapping[str, Mapping[str, float]]
    correlations: tuple[Correlation, ...]

    def content(self) -> dict[str, Any]:
        """Return the comparison as JSON objects."""
        ratings = {
            bench: {name: round(elo, 2) for name, elo in by_name.items()}
            for bench, by_name in self.ratings.items()
        }
        return {"ratings": ratings, "correlations": [asdict(pair) for pair in self.correlations]}

    @property
    def sentences(self) -> list[str]:
        """How alike every two benches order the participants."""
        return [format_correlation(pair) for pair in self.correlations]

    def text(self, *, markdown: bool = False) -> str:
        """Write each participant's Elo by every bench, and how alike the benches order them."""
        ratings, sentences = self.ratings, self.sentences
        if len(ratings) < 2:
            benches = ", ".join(ratings) or "nobody"
            more = self.rejudge and f" Add another bench with: {self.rejudge}"
            alone = f"By bench: only {benches} has judged these debates.{more}"
            return escape_markdown(alone) if markdown else alone
        columns = [
            Column(head="participant", read=plain, label=True),
            *(
                Column(head=plain(bench), read=by_name.get, style=_format_elo)
                for bench, by_name in ratings.items()
            ),
        ]
        names = dict.fromkeys(name for by_name in ratings.values() for name in by_name)
        table = tabulate(columns, names)  # in the order of the first bench
        if markdown:
            titled = replace(table, title=self.title, notes=tuple(sentences))
            return as_markdown(titled).rstrip()
        return "\n".join([self.title, as_text(table, width=console().width), *sentences])


def compare_benches(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method = STORED
) -> BenchComparison:
    """Rate a selection by each bench that judges its dimension and has ballots on it.

    Raises:
        ConfigError: as `select_for_model`.
        RatingError: the ballots of a bench cannot be rated by the method.
    """
    ratings = {}
    for bench in resolved.benches:
        if bench.name in selection.without or selection.dimension not in dimensions(bench):
            continue
        own = replace(selection, bench=bench.name)
        comparisons = select_for_model(store, resolved, own, method.model).comparisons
        if len(comparisons):
            rated = confidence(method.weigh(comparisons), method.model, anchor=method.anchor)
            ratings[bench.name] = rated.from_the_top
    dimension = () if selection.dimension == "overall" else (selection.dimension,)
    words = ("rejudge", resolved.name, "--judge", "METHOD", "--model", "MODEL")
    return BenchComparison(
        rejudge="" if resolved.joined else command_line(*words, db=store.path),
        title=" · ".join(["Elo by bench", *dimension, *selection.narrowing]),
        ratings=ratings,
        correlations=tuple(correlations(ratings)),
    )


def _format_elo(elo: float | None) -> str:
    return "-" if elo is None else f"{elo:.0f}"

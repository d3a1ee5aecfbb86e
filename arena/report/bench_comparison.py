"""The boards of all benches side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.boards.covariates import select_for_model
from arena.boards.method import STORED, Method
from arena.boards.ranks import Correlation, correlations, format_correlation
from arena.boards.selecting import dimensions
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.output.formats import console
from arena.output.tables import Column, as_markdown, as_text, tabulate
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import plain
from ratings import confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchComparison:
    """The ratings that each bench gives the participants of one selection.

    Attributes:
        title: what is compared.
        rejudge: the command that adds a bench.
        ratings: by bench, the rating of each participant, in Elo points.
        correlations: how alike every two benches order them.
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
    def participants(self) -> tuple[str, ...]:
        """Names in the order of the first bench."""
        return tuple(next(iter(self.ratings.values()), ()))

    @property
    def sentences(self) -> list[str]:
        """How alike every two benches order the participants."""
        return [format_correlation(pair) for pair in self.correlations]


def compare_benches(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method = STORED
) -> BenchComparison:
    """Rate a selection by each bench that judges its dimension and has ballots on it.

    Args:
        resolved: the tournament's configuration.
        selection: of its comparisons, by any bench.
        method: how to fit.

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
    return BenchComparison(
        rejudge=command_line(
            "rejudge", resolved.name, "--judge", "METHOD", "--model", "MODEL", db=store.path
        ),
        title=" · ".join(["Elo by bench", *dimension, *selection.narrowing]),
        ratings=ratings,
        correlations=tuple(correlations(ratings)),
    )


def comparison_text(comparison: BenchComparison) -> str:
    """Write each participant's Elo by every bench, and how alike the benches order them."""
    if len(comparison.ratings) < 2:
        return _too_few(comparison)
    table = tabulate(_columns(comparison), comparison.participants)
    return "\n".join(
        [comparison.title, as_text(table, width=console().width), *comparison.sentences]
    )


def comparison_markdown(comparison: BenchComparison) -> str:
    """Write the comparison as a table of Markdown."""
    if len(comparison.ratings) < 2:
        return _too_few(comparison)
    table = tabulate(
        _columns(comparison),
        comparison.participants,
        title=comparison.title,
        notes=comparison.sentences,
    )
    return as_markdown(table).rstrip()


def _too_few(comparison: BenchComparison) -> str:
    benches = ", ".join(comparison.ratings) or "nobody"
    return (
        f"By bench: only {benches} has judged these debates. Add another bench with: "
        f"{comparison.rejudge}"
    )


def _columns(comparison: BenchComparison) -> Iterator[Column[str]]:
    yield Column(head="participant", read=plain, label=True)
    for bench, ratings in comparison.ratings.items():
        yield Column(head=plain(bench), read=ratings.__getitem__, style=".0f")

"""The selections whose boards are stored: every bench, dimension and category."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arena.boards.comparisons import ComparisonSet, compare_by_category
from arena.boards.selecting import bench_dimensions, scope, select_comparisons
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.store.database import Store


def rated_selections(
    store: Store, resolved: ResolvedConfig, *, entry: int | None = None
) -> Iterator[tuple[Selection, ComparisonSet]]:
    """Yield every bench, dimension and category that has debates, with its comparisons.

    Args:
        store: holds the ballots.
        resolved: the tournament.
        entry: the number up to which ballots count; all by default.
    """
    for bench in resolved.board_benches:
        for dimension in bench_dimensions(resolved, bench):
            selection = Selection(
                tournament=resolved.name, bench=bench, dimension=dimension, entry=entry
            )
            by_category = _compare_by_category(store, resolved, selection)
            for category in ("all", *resolved.categories):
                if category in by_category:
                    yield replace(selection, category=category), by_category[category]


def _compare_by_category(
    store: Store, resolved: ResolvedConfig, selection: Selection
) -> dict[str, ComparisonSet]:
    if not resolved.is_battle_log:
        return compare_by_category(store, selection, scope(resolved))
    return {
        category: select_comparisons(store, resolved, replace(selection, category=category))
        for category in ("all", *resolved.categories)
    }

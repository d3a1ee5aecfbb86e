"""The comparisons of a selection in the order in which the debates ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from arena.boards.comparisons import compared_debates
from arena.boards.selecting import scope
from arena.boards.selection import Cluster, Selection
from arena.config.resolve import ResolvedConfig
from arena.store.database import Store
from ratings import Comparisons

#: Battles without a time keep the order of their log, after those with one.
_ENDED: Final = """
    SELECT debate_id FROM debates WHERE tournament = $tournament
    ORDER BY finished_at NULLS LAST, rowid
"""
_CLUSTERED_BY: Final[Mapping[Cluster, str]] = {
    "auto": "matchup_id",
    "matchup": "matchup_id",
    "motion": "motion_id",
    "debate": "debate_id",
}


def in_order_of_play(store: Store, resolved: ResolvedConfig, selection: Selection) -> Comparisons:
    """Read the comparisons of a checked selection, a row each, the first that ended first.

    Args:
        store: holds the debates.
        resolved: the tournament's configuration.
        selection: of its comparisons.
    """
    counted = scope(resolved)
    compared = compared_debates(store, selection, counted)
    ended = store.read(_ENDED, {"tournament": resolved.name})["debate_id"]
    place = dict(zip(ended, range(len(ended)), strict=True))
    rows = compared.assign(place=compared["debate_id"].map(place)).sort_values(["place", "bench"])
    return Comparisons.of(
        rows["pro"],
        rows["con"],
        rows["outcome"].to_numpy(dtype=float),
        cluster=rows[_CLUSTERED_BY[selection.cluster]],
        names=counted.names,
    )

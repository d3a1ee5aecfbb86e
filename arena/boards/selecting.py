"""Checked selections of a stored tournament's comparisons: bench, dimension, category and so on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

import pandas as pd

from arena.boards.comparisons import (
    ComparisonSet,
    compare,
    compared_debates,
    count_without_motion,
)
from arena.boards.selection import Cluster, Scope, Selection, format_moment
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.config.resolved import ResolvedConfig, bench_dimensions, dimensions, find_bench
from arena.errors import ConfigError, suggest
from arena.store.database import Store
from arena.text import counted
from ratings import Comparisons

_JUDGES = """
    SELECT DISTINCT voter FROM ballots JOIN debates USING (debate_id)
    WHERE tournament = $tournament AND voter <> '' ORDER BY voter
"""
#: The number of names that an error message lists.
_LISTED = 20

_LAST_ENTRY: Final = "SELECT coalesce(max(entry), 0) AS entry FROM ballots"
_LAST_BATTLE: Final = "SELECT coalesce(max(rowid) + 1, 0) AS entry FROM battles"


def select_comparisons(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    *,
    by_motion: bool = False,
    by_judge: bool = False,
) -> ComparisonSet:
    """Check a selection of a stored tournament and read its comparisons, as `compare` does.

    Raises:
        ConfigError: the tournament has no such bench, dimension, category, language or judge.
    """
    check_selection(store, resolved, selection)
    return compare(store, selection, scope(resolved), by_motion=by_motion, by_judge=by_judge)


def check_selection(store: Store, resolved: ResolvedConfig, selection: Selection) -> None:
    """Check that a tournament has what is selected; raises like `select_comparisons`."""
    is_all = selection.bench == "all"
    selected = resolved.benches if is_all else (find_bench(resolved, selection.bench),)
    benches = [bench for bench in selected if bench.name not in selection.without]
    if not benches:
        raise ConfigError(f"no bench is left after leaving out {', '.join(selection.without)}.")
    judged = {name: None for bench in benches for name in dimensions(bench)}
    for kind, value, accepted in (
        ("dimension", selection.dimension, judged),
        ("category", selection.category, ("all", *resolved.categories)),
        ("language", selection.language, ("all", *resolved.languages)),
    ):
        if value not in accepted:
            raise ConfigError(
                f"unknown {kind} {value!r}. Accepted: {_format_names(accepted)}."
                f"{suggest(value, accepted)}"
            )
    if selection.since and selection.until and selection.since >= selection.until:
        raise ConfigError(
            f"since {format_moment(selection.since)} is not before until "
            f"{format_moment(selection.until)}, so no debate is selected. Choose an earlier "
            "--since or a later --until."
        )
    _check_without(store, resolved, selection)
    # Imports without a motion would all count as one motion's.
    by_motion = resolved.imported and selection.cluster == "motion"
    if by_motion and (debates := count_without_motion(store, resolved.name)):
        noun = "battle" if resolved.is_battle_log else "debate"
        raise ConfigError(
            f"{counted(debates, noun)} of {resolved.name!r} without a motion cannot be "
            f"grouped by motion. Use --cluster matchup (the group of each {noun}) or --cluster "
            "debate."
        )


def format_why_empty(selection: Selection, *, waiting: int, left_out: int, silent: int = 0) -> str:
    """Format why a selection has no comparisons, as the beginning of a sentence.

    Args:
        selection: the empty one.
        waiting: the number of its finished debates that lack ballots.
        left_out: the number of its judged debates whose judges are left out.
        silent: the number of those that have all their ballots, and no verdict on its dimension.
    """
    if silent and not waiting and not left_out:
        return f"No debate has all its verdicts on {selection.dimension}"
    if left_out and not waiting:
        return f"Nobody but {', '.join(selection.without)} judged these debates"
    if waiting or not selection.narrowing:
        return "No debate has all its ballots yet"
    return f"No finished debate fits ({', '.join(selection.narrowing)})"


def all_debates(store: Store, resolved: ResolvedConfig) -> pd.DataFrame:
    """Read the comparisons of all benches on all dimensions, as a table of `compared_debates`."""
    selection = Selection(tournament=resolved.name, bench="all")
    counting, judged = scope(resolved), bench_dimensions(resolved, "all")
    return pd.concat(
        [compared_debates(store, replace(selection, dimension=name), counting) for name in judged]
    )


def scope(resolved: ResolvedConfig) -> Scope:
    """Return the benches and participants whose comparisons count in a tournament."""
    rules = vote_rules(resolved.benches)
    return Scope(
        runs={bench.name: bench.runs for bench in resolved.benches},
        participants=resolved.names,
        imported=resolved.is_battle_log,
        majority=majority_benches(rules),
        by_ballot=frozenset(bench.name for bench in resolved.benches if bench.count == "ballots"),
        partial=frozenset(rules),
    )


def read_last_entry(store: Store, resolved: ResolvedConfig) -> int:
    """Return the number up to which ballots count now; of imported battles, how many there are."""
    query = _LAST_BATTLE if resolved.is_battle_log else _LAST_ENTRY
    return int(store.rows(query)[0]["entry"])


def participant_ids(resolved: ResolvedConfig) -> list[str]:
    """Return the ids of a tournament's participants."""
    return list(resolved.names)


def participant_names(resolved: ResolvedConfig) -> list[str]:
    """Return the names of a tournament's participants in the order of the configuration."""
    return [participant.name for participant in resolved.participants]


def _check_without(store: Store, resolved: ResolvedConfig, selection: Selection) -> None:
    known = [bench.name for bench in resolved.benches]
    if set(selection.without) <= set(known):
        return
    known.extend(store.read(_JUDGES, {"tournament": resolved.name})["voter"])
    for name in selection.without:
        if name not in known:
            raise ConfigError(
                f"no bench or judge {name!r} to leave out (--without). Known: "
                f"{_format_names(known)}.{suggest(name, known)}"
            )


def _format_names(items: Iterable[str]) -> str:
    listed = list(items)
    more = f", and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more


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
    """Read the comparisons of a checked selection, a row each, the first that ended first."""
    counting = scope(resolved)
    compared = compared_debates(store, selection, counting)
    ended = store.read(_ENDED, {"tournament": resolved.name})["debate_id"]
    place = dict(zip(ended, range(len(ended)), strict=True))
    rows = compared.assign(place=compared["debate_id"].map(place)).sort_values(["place", "bench"])
    return Comparisons.of(
        rows["pro"],
        rows["con"],
        rows["outcome"].to_numpy(dtype=float),
        cluster=rows[_CLUSTERED_BY[selection.cluster]],
        names=counting.names,
    )

"""What a reading command may choose of a tournament: benches, dimensions, categories and so on."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from arena.boards.comparisons import (
    ComparisonSet,
    Scope,
    Selection,
    compare,
    compared_debates,
    moment,
)
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.plugins import make_judge
from arena.records import IMPORTED, Bench
from arena.store.battles import NO_MOTION
from arena.store.database import Store

_JUDGES = """
    SELECT DISTINCT voter FROM ballots JOIN debates USING (debate_id)
    WHERE tournament = $tournament AND voter <> '' ORDER BY voter
"""
_UNNAMED = """
    SELECT count(*) AS battles FROM battles
    WHERE tournament = $tournament AND motion_id IN (
        SELECT motion_id FROM motions WHERE motion_set = 'imported' AND text = $unnamed
    )
"""
_LISTED = 20


def pick(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    *,
    by_motion: bool = False,
    by_judge: bool = False,
) -> ComparisonSet:
    """The comparisons of a selection of a stored tournament; the options are those of `compare`.

    Raises:
        ConfigError: the tournament has no such bench, dimension, category, language or judge.
    """
    check(store, resolved, selection)
    chosen = scope(resolved)
    return compare(store, selection, chosen, by_motion=by_motion, by_judge=by_judge)


def check(store: Store, resolved: ResolvedConfig, selection: Selection) -> None:
    """See that a tournament has what is selected; raises like `pick`."""
    benches = _benches(resolved, selection)
    known = {name: None for bench in benches for name in dimensions(bench)}
    for what, given, accepted in (
        ("dimension", selection.dimension, known),
        ("category", selection.category, ("all", *resolved.categories)),
        ("language", selection.language, ("all", *resolved.languages)),
    ):
        if given not in accepted:
            raise ConfigError(f"unknown {what} {given!r}. Accepted: {_listed(accepted)}.")
    if selection.since and selection.until and selection.since >= selection.until:
        raise ConfigError(
            f"since {moment(selection.since)} is not before until {moment(selection.until)}: "
            "no debate fits."
        )
    _check_without(store, resolved, selection)
    if resolved.imported and selection.cluster == "motion":
        _check_motions(store, resolved)


def why_empty(selection: Selection, *, waiting: int, left_out: int) -> str:
    """Why nothing is rated, as the beginning of a sentence.

    Args:
        selection: that has no comparisons.
        waiting: finished debates of it that lack ballots.
        left_out: judged ones whose judges are left out.
    """
    if left_out and not waiting:
        return f"Nobody but {', '.join(selection.without)} judged these debates"
    if waiting or not selection.narrowing:
        return "No debate has all its ballots yet"
    return f"No finished debate fits ({', '.join(selection.narrowing)})"


def all_debates(store: Store, resolved: ResolvedConfig) -> pd.DataFrame:
    """The comparisons of all benches and dimensions, as `compared_debates` gives them."""
    named = {name: None for bench in resolved.benches for name in dimensions(bench)}
    return _judged_on(store, resolved, "all", named)


def bench_debates(store: Store, resolved: ResolvedConfig, bench: Bench) -> pd.DataFrame:
    """The comparisons of one bench on all of its dimensions, in the same form."""
    return _judged_on(store, resolved, bench.name, dimensions(bench))


def scope(resolved: ResolvedConfig) -> Scope:
    """Whose comparisons count in a tournament."""
    return Scope(
        runs={bench.name: bench.runs for bench in resolved.benches},
        participants={one.participant_id: one.name for one in resolved.participants},
        imported=resolved.imported,
    )


def bench_of(resolved: ResolvedConfig, name: str | None) -> Bench:
    """A bench by its name, the first where none is given.

    Raises:
        ConfigError: the tournament has no such bench.
    """
    for bench in resolved.benches:
        if name in (None, bench.name):
            return bench
    known = ", ".join(bench.name for bench in resolved.benches)
    raise ConfigError(f"tournament {resolved.name!r} has no bench {name!r}. Known: {known}.")


def dimensions(bench: Bench) -> tuple[str, ...]:
    """The dimensions that a bench gives verdicts on."""
    if bench.judge == IMPORTED:
        return ("overall",)
    return make_judge(bench.judge, bench.options).dimensions


def ids(resolved: ResolvedConfig) -> list[str]:
    """The ids of a tournament's participants."""
    return [one.participant_id for one in resolved.participants]


def names(resolved: ResolvedConfig) -> list[str]:
    """The names of a tournament's participants, as configured."""
    return [one.name for one in resolved.participants]


def _judged_on(
    store: Store, resolved: ResolvedConfig, bench: str, judged: Iterable[str]
) -> pd.DataFrame:
    chosen = [Selection(tournament=resolved.name, bench=bench, dimension=name) for name in judged]
    return pd.concat([compared_debates(store, one, scope(resolved)) for one in chosen])


def _benches(resolved: ResolvedConfig, selection: Selection) -> list[Bench]:
    every = selection.bench == "all"
    named = resolved.benches if every else (bench_of(resolved, selection.bench),)
    kept = [one for one in named if one.name not in selection.without]
    if not kept:
        raise ConfigError(f"no bench is left without {', '.join(selection.without)}.")
    return kept


def _check_without(store: Store, resolved: ResolvedConfig, selection: Selection) -> None:
    benches = [bench.name for bench in resolved.benches]
    others = [name for name in selection.without if name not in benches]
    if not others:
        return
    judges = list(store.read(_JUDGES, {"tournament": resolved.name})["voter"])
    for name in others:
        if name not in judges:
            known = _listed([*benches, *judges])
            raise ConfigError(f"no bench or judge {name!r} to leave out. Known: {known}.")


def _check_motions(store: Store, resolved: ResolvedConfig) -> None:
    """See that battles have motions: those without would all be of one."""
    (row,) = store.rows(_UNNAMED, {"tournament": resolved.name, "unnamed": NO_MOTION})
    if row["battles"]:
        raise ConfigError(
            f"{row['battles']} battles of {resolved.name!r} have no motion, so nobody knows which "
            "belong together. Use --cluster matchup (the group of each battle) or debate."
        )


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    more = f", and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return ", ".join(found[:_LISTED]) + more

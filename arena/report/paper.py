"""The tables of the Agent4Debate paper (Zhang et al. 2024, arXiv 2408.04472), from a tournament."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from arena.boards.board import board
from arena.boards.comparisons import Selection
from arena.boards.matrix import matrix
from arena.boards.selection import dimensions, pick
from arena.config.resolve import ResolvedConfig
from arena.console.tables import Table
from arena.records import Bench
from arena.report.consistency import between, consistency_table, within
from arena.report.convergence import convergence, convergence_table
from arena.report.elo import elo_tables
from arena.report.head_to_head import (
    HeadToHead,
    head_to_head,
    head_to_head_table,
    in_paper_order,
)
from arena.report.matrix_table import matrix_table
from arena.report.paper_source import TEAM, Material, read_material, whole_teams
from arena.report.traces.interactions import tokens_table, turns_table, usage
from arena.store.database import Store


def paper_tables(
    store: Store, resolved: ResolvedConfig, benches: Sequence[Bench]
) -> Iterator[Table]:
    """All tables: those of each bench, then those of all benches, then those of the agents.

    Args:
        store: the database.
        resolved: a stored tournament.
        benches: those of its benches to report.
    """
    found = read_material(store, resolved)
    for bench in benches:
        yield from _bench_tables(store, resolved, found, bench)
    yield _consistency(found, benches)
    yield from _agents(found, resolved)


def _bench_tables(
    store: Store, resolved: ResolvedConfig, found: Material, bench: Bench
) -> Iterator[Table]:
    boards = {
        category: board(
            store,
            resolved,
            Selection(tournament=resolved.name, bench=bench.name, category=category),
        )
        for category in ("all", *resolved.categories)
    }
    if not boards["all"].comparisons:
        yield Table(
            title=f"{bench.name}-Elo",
            head=(),
            rows=(),
            notes=("No debate has all its ballots yet, so nothing is rated.",),
        )
        return
    yield from elo_tables(boards, bench=bench.name)
    rows = {row.participant: row for row in boards["all"].rows}
    comparisons = pick(store, resolved, boards["all"].selection).comparisons.one_by_one()
    yield matrix_table(
        matrix(comparisons, {name: row.rating for name, row in rows.items()}, kind="predicted"),
        title=f"{bench.name}-Elo: predicted win rate of row against column, % (Figure 3)",
    )
    yield from _head_to_heads(found, resolved, bench)
    parts = convergence(
        comparisons,
        lower=np.array([rows[name].lower for name in comparisons.names]),
        upper=np.array([rows[name].upper for name in comparisons.names]),
        rng=np.random.default_rng(resolved.config.tournament.seed),
    )
    yield convergence_table(parts, bench=bench.name)


def _head_to_heads(found: Material, resolved: ResolvedConfig, bench: Bench) -> Iterator[Table]:
    """Pairs on one model, which differ in framework or options, and the rest."""
    shown = in_paper_order(dimensions(bench))
    frame = found.scores[found.scores["bench"] == bench.name]
    model = {one.name: one.model for one in resolved.participants}

    def alike(pair: HeadToHead) -> bool:
        return model[pair.first] == model[pair.second]

    pairs = head_to_head(frame, shown)
    points = f"{bench.name}: points out of 3"
    yield head_to_head_table(
        (pair for pair in pairs if alike(pair)),
        shown,
        title=f"{points}, frameworks and ablations on one model (Tables 1, 2)",
    )
    yield head_to_head_table(
        (pair for pair in pairs if not alike(pair)),
        shown,
        title=f"{points}, pairs on different models (as Table 5)",
    )


def _consistency(found: Material, benches: Sequence[Bench]) -> Table:
    names = [bench.name for bench in benches]
    people = set(found.ballots.loc[found.ballots["people"], "debate_id"])

    def without(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[~frame["debate_id"].isin(people)]

    verdicts, ballots = found.verdicts, found.ballots
    return consistency_table(
        [*between(verdicts, names), *within(ballots, names)],
        machines=[*between(without(verdicts), names), *within(without(ballots), names)],
        benches=len(names),
    )


def _agents(found: Material, resolved: ResolvedConfig) -> Iterator[Table]:
    whole = whole_teams(resolved)
    speeches = found.speeches[found.speeches["participant"].isin(whole)]
    calls, dialogue = (
        usage(speeches, frame[frame["participant"].isin(whole)])
        for frame in (found.calls, found.dialogue)
    )
    yield turns_table(calls, dialogue, names=whole)
    teams = [one.name for one in resolved.participants if one.debater == TEAM]
    yield tokens_table(
        {
            name: usage(
                found.speeches[found.speeches["participant"] == name],
                found.calls[found.calls["participant"] == name],
            )
            for name in teams
            if name in set(chain(found.calls["participant"]))
        }
    )

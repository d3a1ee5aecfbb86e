"""Leaderboards: comparisons rated, with what a reader needs beside each rating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.comparisons import ComparisonSet, Selection, compare_by_category
from arena.boards.covariates import with_terms
from arena.boards.exclusions import Uncounted, uncounted
from arena.boards.participation import participation
from arena.boards.selection import dimensions, ids, names, pick, scope
from arena.boards.weighted_vote import vote_notes
from arena.config.resolve import ResolvedConfig
from arena.records import digest
from arena.store.database import Store, insert
from ratings import (
    PAPER,
    Comparisons,
    Confidence,
    Connectivity,
    EffectInterval,
    Model,
    bootstrap,
    confidence,
    connectivity,
    standing_notes,
    tally,
    win_rate,
)

METHOD = "weighted-bradley-terry"
ROUNDS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One participant's line of a board; ratings in Elo points.

    Attributes:
        tie_group: number of its group, from the top (`Board.tie_groups`).
    """

    rank: int
    participant: str
    rating: float
    median: float
    lower: float
    upper: float
    rank_low: int
    rank_high: int
    tie_group: int
    debates: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    forfeits: int
    usd_per_debate: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A leaderboard of one bench, dimension and category.

    Attributes:
        comparisons: debates that count.
        open: finished debates that do not count yet: a ballot is missing or failed.
        left_out: judged debates that do not count because their judges are left out.
        uncounted: further debates that do not count, and why.
        notes: what the comparisons cannot tell.
        effects: the model's terms beside the abilities, Elo points.
        tie_groups: names from the top; none of a group is settled to be below its first.
        separated: pairs whose order is settled (95 %, all pairs at once), better first.
        connectivity: who is compared with whom.
        penalty: standard deviation of the ratings' prior, Elo points.
        simulated: True where a simulated model took part.
        people: True where its ballots are people's votes.
    """

    selection: Selection
    rows: tuple[Row, ...]
    comparisons: int
    open: int
    left_out: int
    uncounted: Uncounted
    notes: tuple[str, ...]
    effects: tuple[EffectInterval, ...]
    tie_groups: tuple[tuple[str, ...], ...]
    separated: tuple[tuple[str, str], ...]
    connectivity: Connectivity
    penalty: float
    simulated: bool
    people: bool
    seed: int
    data_hash: str


def board(
    store: Store, resolved: ResolvedConfig, selection: Selection, model: Model = PAPER
) -> Board:
    """Rate one selection of a stored tournament; by the paper's model where none is given.

    Raises:
        ConfigError: the tournament has no such bench, dimension or category, or a covariate of
            the model is always the same on both sides.
    """
    found = with_terms(store, resolved, selection, model)
    chosen = found.comparisons
    seed = resolved.config.tournament.seed
    sure = confidence(chosen, model)
    median = bootstrap(chosen, model, rounds=ROUNDS, seed=seed).median
    facts = {} if resolved.imported else participation(store, selection, ids(resolved))
    return Board(
        selection=selection,
        rows=tuple(_rows(chosen, sure, median, facts)),
        comparisons=len(chosen),
        open=found.open,
        left_out=found.left_out,
        uncounted=uncounted(store, selection, scope(resolved)),
        notes=(
            *selection.clustering,
            *standing_notes(chosen).board,
            *vote_notes(store, resolved, selection),
        ),
        effects=sure.effects,
        tie_groups=sure.tie_groups,
        separated=_pairs(sure),
        connectivity=connectivity(chosen),
        penalty=sure.ratings.penalty,
        simulated=resolved.simulated,
        people=selection.bench in {one.name for one in resolved.people_benches},
        seed=seed,
        data_hash=sure.ratings.data_hash,
    )


def store_boards(store: Store, resolved: ResolvedConfig) -> None:
    """Rate every bench, dimension and category, and store it for the pages to read."""
    created = pd.Timestamp(datetime.now(UTC))
    known = store.read(
        "SELECT DISTINCT board_id, data_hash FROM ratings "
        "WHERE tournament = $name AND tie_group IS NOT NULL",  # older versions stored none
        {"name": resolved.name},
    )
    hashes = dict(zip(known["board_id"], known["data_hash"], strict=True))
    rows: list[dict[str, Any]] = []
    for selection, chosen in _chosen(store, resolved):
        if len(chosen) and hashes.get(_board_id(selection)) != chosen.data_hash:
            rows += _stored_rows(chosen, selection, resolved.config.tournament.seed, created)

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        link.execute(
            "DELETE FROM ratings "
            "WHERE tournament = $name AND NOT list_contains($present, participant)",
            {"name": resolved.name, "present": names(resolved)},
        )
        insert(link, "ratings", rows, replace=True)

    if rows:
        store.write(batch)


def _chosen(store: Store, resolved: ResolvedConfig) -> Iterator[tuple[Selection, Comparisons]]:
    """Every bench, dimension and category that has debates, with its comparisons."""
    for bench in resolved.benches:
        for dimension in dimensions(bench):
            whole = Selection(tournament=resolved.name, bench=bench.name, dimension=dimension)
            found = _by_category(store, resolved, whole)
            for category in ("all", *resolved.categories):
                if category in found:
                    yield replace(whole, category=category), found[category].comparisons


def _by_category(
    store: Store, resolved: ResolvedConfig, whole: Selection
) -> dict[str, ComparisonSet]:
    if not resolved.imported:
        return compare_by_category(store, whole, scope(resolved))
    return {
        category: pick(store, resolved, replace(whole, category=category))
        for category in ("all", *resolved.categories)
    }


def _rows(
    chosen: Comparisons,
    found: Confidence,
    median: NDArray[np.float64],
    facts: Mapping[str, Mapping[str, Any]],
) -> Iterator[Row]:
    names, rating = found.ratings.names, found.ratings.rating
    rates = win_rate(chosen)
    notes = standing_notes(chosen).participants
    group = _group_numbers(found)
    wins, ties, losses = tally(chosen)
    debates = wins + ties + losses
    order = sorted(range(len(names)), key=lambda k: (-rating[k], names[k]))
    for rank, k in enumerate(order, start=1):
        name = names[k]
        known = facts.get(name, {"forfeits": 0, "usd": 0.0})
        yield Row(
            rank=rank,
            participant=name,
            rating=float(rating[k]),
            median=float(median[k]),
            lower=float(found.lower[k]),
            upper=float(found.upper[k]),
            rank_low=int(found.rank_low[k]),
            rank_high=int(found.rank_high[k]),
            tie_group=group[name],
            debates=int(debates[k]),
            wins=int(wins[k]),
            ties=int(ties[k]),
            losses=int(losses[k]),
            win_rate=float(rates[k]),
            forfeits=int(known["forfeits"]),
            usd_per_debate=float(known["usd"]),
            note="; ".join(notes[k]),
        )


def _group_numbers(found: Confidence) -> dict[str, int]:
    """The tie group of each participant, counted from the top."""
    groups = enumerate(found.tie_groups, start=1)
    return {name: number for number, group in groups for name in group}


def _pairs(found: Confidence) -> tuple[tuple[str, str], ...]:
    names = found.ratings.names
    return tuple((names[i], names[j]) for i, j in np.argwhere(found.above))


def _board_id(selection: Selection) -> str:
    return digest(
        selection.tournament, selection.bench, selection.dimension, selection.category, METHOD
    )


def _stored_rows(
    chosen: Comparisons, selection: Selection, seed: int, created: pd.Timestamp
) -> list[dict[str, Any]]:
    found = confidence(chosen)
    group = _group_numbers(found)
    median = bootstrap(chosen, rounds=ROUNDS, seed=seed).median
    debates = tally(chosen).sum(axis=0)
    return [
        {
            "board_id": _board_id(selection),
            "tournament": selection.tournament,
            "bench": selection.bench,
            "dimension": selection.dimension,
            "category": selection.category,
            "method": METHOD,
            "participant": name,
            "rating": float(found.ratings.rating[k]),
            "median": float(median[k]),
            "lower": float(found.lower[k]),
            "upper": float(found.upper[k]),
            "rank_low": int(found.rank_low[k]),
            "rank_high": int(found.rank_high[k]),
            "tie_group": group[name],
            "comparisons": int(debates[k]),
            "data_hash": found.ratings.data_hash,
            "seed": seed,
            "created_at": created,
        }
        for k, name in enumerate(found.ratings.names)
    ]

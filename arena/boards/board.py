"""Leaderboards: ratings of the participants from a selection of comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from arena.boards.comparisons import Selection
from arena.boards.covariates import select_for_model
from arena.boards.exclusions import Uncounted, uncounted
from arena.boards.method import STORED, Method, Rated, rate
from arena.boards.order_of_play import in_order_of_play
from arena.boards.participation import participation
from arena.boards.provenance import participant_notes, provenance_notes
from arena.boards.rated_selections import rated_selections
from arena.boards.selection import participant_ids, participant_names, scope
from arena.boards.stored_calibrations import calibration_notes
from arena.boards.vote_rules import rule_notes, vote_rules
from arena.boards.weighted_vote import vote_notes
from arena.config.resolve import ResolvedConfig
from arena.records import digest
from arena.store.database import Store, insert
from arena.store.seals import seal_groups
from ratings import (
    Comparisons,
    Connectivity,
    EffectInterval,
    connectivity,
    standing_notes,
    tally,
    win_rate,
)
from ratings.bootstrap.sequential import check_sequential

#: The name of the rating method, as the database stores it.
METHOD = "weighted-bradley-terry"

#: Stored ratings of participants who are not in the tournament any more.
_GONE = (
    "FROM ratings WHERE tournament = $name AND NOT list_contains(CAST($present AS TEXT[]), "
    "participant)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A participant's row of a board; ratings in Elo points.

    Attributes:
        rank: None for a participant without a comparison, who stands below the rated ones.
        median: of the bootstrap's replicates.
        lower, upper: the 95 % interval of the rating, of the kind that the method names.
        rank_low, rank_high: the best and the worst rank that are not ruled out.
        tie_group: the number of its group, from the top (`Board.tie_groups`).
        forfeits: debates that the participant lost by its own fault.
        usd_per_debate: the mean cost of its side of a debate, as far as its bill is known.
        usd_most: that cost, if the answers that never arrived are billed at their worst case.
        note: what the comparisons cannot tell about it; '' where there is nothing to note.
    """

    rank: int | None
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
    usd_most: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A leaderboard of one bench, dimension and category.

    Attributes:
        method: how the participants are rated.
        comparisons: the number of debates that count.
        open: the number of finished debates that lack ballots and do not count yet.
        left_out: the number of judged debates whose judges are left out.
        uncounted: further debates that do not count, and why.
        notes: on what the comparisons cannot tell.
        effects: the model's terms besides the abilities, in Elo points.
        tie_groups: names from the top; nobody in a group is settled to be below its first.
        separated: pairs whose order is settled (95 %, all pairs at once), better first.
        connectivity: who is compared with whom.
        penalty: the standard deviation of the ratings' prior, in Elo points; None without one.
        simulated: True where a simulated model debates or judges.
        caveat: what has to be said of its models; '' for nothing.
        people: True where the ballots are people's votes.
        data_hash: identifies the comparisons.
    """

    selection: Selection
    method: Method = STORED
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
    penalty: float | None
    simulated: bool
    caveat: str
    people: bool
    seed: int
    data_hash: str


def board(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method = STORED
) -> Board:
    """Rate the participants by one selection of a stored tournament's comparisons.

    Args:
        store: holds the tournament.
        resolved: its configuration.
        selection: of its comparisons.
        method: how to rate; by default as the Agent4Debate paper does.

    Raises:
        ConfigError: the tournament has no such bench, dimension or category, a covariate of the
            model is always the same on both sides, or there are no intervals of the kind.
        RatingError: the comparisons cannot be rated by the method.
    """
    selected = select_for_model(store, resolved, selection, method.model)
    comparisons = selected.comparisons
    seed = resolved.config.tournament.seed
    if method.k is None:
        rated = rate(comparisons, method, seed=seed)
    else:
        check_sequential(method.k, len(comparisons))  # before all of them are read one by one
        rated = rate(in_order_of_play(store, resolved, selection), method, seed=seed)
    participants = [] if resolved.imported else participant_ids(resolved)
    participations = participation(store, selection, participants) if participants else {}
    lost = participant_notes(store, resolved.name)
    return Board(
        selection=selection,
        method=method,
        rows=tuple(
            replace(row, note="; ".join(filter(None, (row.note, lost.get(row.participant, "")))))
            for row in _rows(comparisons, rated, method, participations)
        ),
        comparisons=len(comparisons),
        open=selected.open,
        left_out=selected.left_out,
        uncounted=uncounted(store, selection, scope(resolved)),
        notes=(
            *rated.notes,
            *selection.clustering,
            *standing_notes(comparisons).board,
            *vote_notes(store, resolved, selection),
            *rule_notes(vote_rules(resolved.benches), selection),
            *provenance_notes(store, resolved.name),
            *calibration_notes(store, selection, method, comparisons=len(comparisons)),
        ),
        effects=rated.effects,
        tie_groups=rated.tie_groups,
        separated=rated.separated,
        connectivity=connectivity(comparisons),
        penalty=rated.penalty if rated.penalty < math.inf else None,
        simulated=resolved.simulated,
        caveat=resolved.caveat,
        people=selection.bench in {bench.name for bench in resolved.people_benches},
        seed=seed,
        data_hash=rated.data_hash,
    )


def store_boards(store: Store, resolved: ResolvedConfig) -> None:
    """Rate every bench, dimension and category, and store the ratings for the pages to read.

    Boards whose comparisons have not changed are skipped.
    """
    created = pd.Timestamp(datetime.now(UTC))
    stored = store.read(
        "SELECT DISTINCT board_id, data_hash FROM ratings "
        "WHERE tournament = $name AND percentile_lower IS NOT NULL",  # older versions: none
        {"name": resolved.name},
    )
    hashes = dict(zip(stored["board_id"], stored["data_hash"], strict=True))
    rows: list[dict[str, Any]] = []
    for selection, comparisons in rated_selections(store, resolved):
        if len(comparisons) and hashes.get(_board_id(selection)) != comparisons.data_hash:
            rows += _stored_rows(comparisons, selection, resolved.config.tournament.seed, created)

    def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        gone = {"name": resolved.name, "present": participant_names(resolved)}
        changed = connection.execute(f"SELECT DISTINCT board_id {_GONE}", gone).fetchall()
        connection.execute(f"DELETE {_GONE}", gone)
        insert(connection, "ratings", rows, replace=True)
        written = {row["board_id"] for row in rows}
        seal_groups(connection, "ratings", written.union(board_id for (board_id,) in changed))

    if rows:
        store.write(batch)


def _rows(
    comparisons: Comparisons,
    rated: Rated,
    method: Method,
    participations: Mapping[str, Mapping[str, Any]],
) -> Iterator[Row]:
    """Make the rows of a board from the top.

    Args:
        comparisons: of K participants.
        rated: their ratings and intervals.
        method: says which intervals to show.
        participations: forfeits and USD per debate, by name.
    """
    names, rating = rated.names, rated.rating
    rates, notes = win_rate(comparisons), standing_notes(comparisons).participants
    group, (lower, upper) = rated.group_numbers, rated.ends(method.intervals)
    low, high = rated.rank_low, rated.rank_high
    wins, ties, losses = tally(comparisons)
    debates = wins + ties + losses
    order = sorted(range(len(names)), key=lambda k: (not debates[k], -rating[k], names[k]))
    for rank, k in enumerate(order, start=1):
        own = participations.get(names[k], {"forfeits": 0, "usd": 0.0, "reserved": 0.0})
        yield Row(
            rank=rank if debates[k] else None,
            participant=names[k],
            rating=float(rating[k]),
            median=float(rated.median[k]),
            lower=float(lower[k]),
            upper=float(upper[k]),
            rank_low=int(low[k]),
            rank_high=int(high[k]),
            tie_group=group[names[k]],
            debates=int(debates[k]),
            wins=int(wins[k]),
            ties=int(ties[k]),
            losses=int(losses[k]),
            win_rate=float(rates[k]),
            forfeits=int(own["forfeits"]),
            usd_per_debate=float(own["usd"]),
            usd_most=float(own["usd"] + own["reserved"]),
            note="; ".join(notes[k]),
        )


def _board_id(selection: Selection) -> str:
    return digest(
        selection.tournament, selection.bench, selection.dimension, selection.category, METHOD
    )


def _stored_rows(
    comparisons: Comparisons, selection: Selection, seed: int, created: pd.Timestamp
) -> list[dict[str, Any]]:
    """Rate comparisons by the default method, and return the rows of the table `ratings`."""
    rated = rate(comparisons, seed=seed)
    group, low, high = rated.group_numbers, rated.rank_low, rated.rank_high
    debates = tally(comparisons).sum(axis=0)
    return [
        {
            "board_id": _board_id(selection),
            "tournament": selection.tournament,
            "bench": selection.bench,
            "dimension": selection.dimension,
            "category": selection.category,
            "method": METHOD,
            "participant": name,
            "rating": float(rated.rating[k]),
            "median": float(rated.median[k]),
            "lower": float(rated.lower[k]),
            "upper": float(rated.upper[k]),
            "percentile_lower": float(rated.percentile_lower[k]),
            "percentile_upper": float(rated.percentile_upper[k]),
            "rank_low": int(low[k]),
            "rank_high": int(high[k]),
            "tie_group": group[name],
            "comparisons": int(debates[k]),
            "data_hash": rated.data_hash,
            "seed": seed,
            "created_at": created,
        }
        for k, name in enumerate(rated.names)
    ]

"""Leaderboards: ratings of the participants from a selection of comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

import ratings
from arena.boards.agreement import RunAgreement, agreement_notes
from arena.boards.ballot_counts import ballot_notes
from arena.boards.calibration import calibration_notes
from arena.boards.comparisons import ComparisonSet
from arena.boards.covariates import select_for_model
from arena.boards.exclusions import Uncounted, uncounted
from arena.boards.method import STORED, Method
from arena.boards.participation import no_participation, participation
from arena.boards.positions import position_notes
from arena.boards.provenance import participant_notes, provenance_notes
from arena.boards.rating import Rated, rate
from arena.boards.selecting import in_order_of_play, scope
from arena.boards.selection import Selection
from arena.boards.statements import circle_notes, format_at_once, motion_notes, pairing_notes
from arena.boards.vote_rules import rule_notes, vote_rules
from arena.boards.weighted_vote import vote_notes
from arena.config.resolved import ResolvedConfig
from arena.store.database import Store
from arena.text import counted
from ratings import (
    CircleTest,
    Comparisons,
    Connectivity,
    EffectInterval,
    FirstPlace,
    MotionEffect,
    Pairing,
    PlanProgress,
    connectivity,
    standing_notes,
    tally,
    win_rate,
)
from ratings.comparisons import PLAYED
from ratings.model.reference import usual_matchups

#: The digits after the point of half widths of comparison intervals, so that those that are read
#: back from the ends of a stored board are the same.
HALF_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A participant's row of a board; ratings in Elo points.

    Attributes:
        rank: None for provisional participants, who stand below those with a place, and for those
            who are not rated, who stand below all.
        median: of the bootstrap's replicates.
        lower, upper: the 95 % interval of the rating, of the kind that the method names.
        rank_low, rank_high: the best and the worst rank that are not ruled out; None where it is
            not rated.
        tie_group: the number of its group, from the top (`Board.tie_groups`); None likewise.
        forfeits: debates that the participant lost by its own fault.
        usd_per_debate: the mean cost of its side of a debate, as far as its bill is known; NaN
            where its debater's calls are not seen.
        usd_most: that cost, if the answers that never arrived are billed at their worst case.
        note: what the comparisons cannot tell about it; '' where there is nothing to note.
        matchups: their number (`ratings.model.reference`), or that of what else intervals count as
            one observation.
        provisional: whether it has no place yet, for want of matchups.
        comparison_lower, comparison_upper: a bar that does not overlap with another's if the two
            differ (95 %, one pair at a time), whatever the reference is, and both ways where
            forfeits are uneven; NaN on boards that were kept before there were any.
        unrated: why it is not rated; '' where it is. Its rating is then that of the prior alone.
        with_losses: its rating if forfeits count as losses; None where they are few or alike.
    """

    rank: int | None
    participant: str
    rating: float
    median: float
    lower: float
    upper: float
    rank_low: int | None
    rank_high: int | None
    tie_group: int | None
    debates: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    forfeits: int
    usd_per_debate: float
    usd_most: float
    note: str
    matchups: int = 0
    provisional: bool = False
    comparison_lower: float = math.nan
    comparison_upper: float = math.nan
    unrated: str = ""
    with_losses: float | None = None

    @property
    def is_rated(self) -> bool:
        """Whether a comparison of it counts."""
        return self.debates > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A leaderboard of one bench, dimension and category.

    Attributes:
        comparisons: the number of debates that count; of all benches, that of their verdicts.
        debates: the number of debates that these verdicts are on; 0 where battles were imported.
        open: the number of finished debates that lack ballots.
        left_out: the number of judged debates whose judges are left out.
        silent: the number of those that have all their ballots, some of them without a verdict on
            the dimension.
        effects: the model's terms besides the abilities, in Elo points.
        motions: what motions add; None where the ratings are for these motions alone.
        tie_groups: names from the top; the others of a group are not separated from its first.
        separated: pairs whose order is settled (95 %, all pairs at once), better first.
        connectivity: who is compared with whom.
        penalty: the standard deviation of the ratings' prior, in Elo points; None without one.
        simulated: True where a simulated model debates or judges.
        caveat: what has to be said of its models; '' for nothing.
        people: True where the ballots are people's votes.
        comparison_error: the largest relative error of the lengths of two comparison bars against
            the interval of the pair's difference.
        first: who is first, with an interval for whoever is named so; None where ratings are
            sequential, or an earlier version stored the board.
        pairing: what intervals, orders and ranks hold for (`Comparisons.pairing`).
        circles: whether results run in circles (`Rated.circles`).
        plan: how far the planned matchups are played, where their number is known beforehand.
        agreement: of the ballots of a bench on a debate; None where few debates have two.
        both_ways: whether intervals, orders and ranks hold whether forfeits count as losses or not.
    """

    selection: Selection
    method: Method = STORED
    rows: tuple[Row, ...]
    comparisons: int
    debates: int = 0
    open: int
    left_out: int
    silent: int = 0
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
    comparison_error: float = 0.0
    first: FirstPlace | None = None
    pairing: Pairing = "fixed"
    plan: PlanProgress = PLAYED
    motions: MotionEffect | None = None
    circles: CircleTest | None = None
    both_ways: bool = False
    agreement: RunAgreement | None = None

    @property
    def size(self) -> str:
        """What counts, in words."""
        if 0 < self.debates < self.comparisons:
            return f"{counted(self.comparisons, 'verdict')} on {counted(self.debates, 'debate')}"
        return counted(self.comparisons, "debate")

    @property
    def rated(self) -> tuple[Row, ...]:
        """The rows of those who are rated, from the top; ranks and orders are among them."""
        return tuple(row for row in self.rows if row.is_rated)

    @property
    def at_once(self) -> str:
        """What settled orders and ranks hold for at once, in words."""
        return format_at_once(self)

    @property
    def leader(self) -> FirstPlace | None:
        """Who leads, with an interval that allows for that; None where nobody can be named."""
        is_known = self.method.intervals == "sandwich" and not self.connectivity.islands
        return self.first if is_known else None

    @property
    def pairs(self) -> int:
        """The number of all pairs; the order of one who is not rated is open."""
        return math.comb(len(self.rows), 2)


def board(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    method: Method = STORED,
    *,
    resample: bool = True,
) -> Board:
    """Rate the participants by one selection of a stored tournament's comparisons.

    Args:
        method: by default that of the Agent4Debate paper.
        resample: whether to resample for medians and percentiles, which takes most of the time.
    """
    selected = select_for_model(store, resolved, selection, method.model)
    comparisons = selected.comparisons
    seed = resolved.config.tournament.seed
    if method.k is None:
        rated = rate(comparisons, method, seed=seed, resample=resample)
    else:
        # Before all of them are read one by one.
        ratings.check_sequential(method.k, len(comparisons))
        rated = rate(in_order_of_play(store, resolved, selection), method, seed=seed)
    surroundings = read_surroundings(store, resolved, selection, method, selected=selected)
    return make_board(resolved, selection, method, rated=rated, surroundings=surroundings)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surroundings:
    """What a board shows besides ratings, read from the database.

    Attributes:
        participations: forfeits, costs and so on, by participant.
        lost: what notes say of participants' answers, by participant.
        notes: on the data, in their order; those of the ratings stand before them.
    """

    selected: ComparisonSet
    participations: Mapping[str, Mapping[str, Any]]
    lost: Mapping[str, str]
    uncounted: Uncounted
    notes: tuple[str, ...]


def read_surroundings(
    store: Store,
    resolved: ResolvedConfig,
    selection: Selection,
    method: Method = STORED,
    *,
    selected: ComparisonSet,
) -> Surroundings:
    """Read what a board shows besides ratings."""
    names = {} if resolved.imported else resolved.names
    return Surroundings(
        selected=selected,
        participations=participation(store, selection, list(names)) if names else {},
        lost=participant_notes(store, resolved.name),
        uncounted=uncounted(store, selection, scope(resolved)),
        notes=(
            *resolved.notes,
            *selection.clustering,
            *_verdict_notes(selected),
            *agreement_notes(selected.agreement),
            *(position_notes(selected.comparisons) if resolved.imported else ()),
            *standing_notes(selected.comparisons).board,
            *vote_notes(store, resolved, selection),
            *rule_notes(vote_rules(resolved.benches), selection),
            *_votes_notes(selected),
            *ballot_notes(resolved.benches, selection.bench, selection.without),
            *provenance_notes(store, resolved.name),
            *calibration_notes(store, selection, method, comparisons=len(selected.comparisons)),
        ),
    )


def make_board(
    resolved: ResolvedConfig,
    selection: Selection,
    method: Method = STORED,
    *,
    rated: Rated,
    surroundings: Surroundings,
) -> Board:
    """Make a board of ratings and of what stands around them."""
    selected = surroundings.selected
    comparisons = selected.comparisons
    return Board(
        selection=selection,
        method=method,
        rows=tuple(_rows(selection, rated, method, surroundings)),
        comparisons=len(comparisons),
        debates=_count_debates(selected),
        open=selected.open,
        left_out=selected.left_out,
        silent=selected.silent,
        uncounted=surroundings.uncounted,
        notes=(
            *rated.notes,
            *motion_notes(rated.motions),
            *pairing_notes(resolved, method, rated),
            *circle_notes(rated.circles),
            *surroundings.notes,
        ),
        first=rated.first,
        pairing=rated.pairing,
        plan=rated.plan,
        effects=rated.effects,
        tie_groups=rated.tie_groups,
        separated=rated.separated,
        connectivity=connectivity(comparisons),
        penalty=rated.penalty if rated.penalty < math.inf else None,
        simulated=resolved.simulated,
        caveat=resolved.caveat,
        people=selection.bench in {bench.name for bench in resolved.people_benches},
        seed=resolved.config.tournament.seed,
        data_hash=rated.data_hash,
        comparison_error=rated.comparison.error,
        motions=rated.motions,
        circles=rated.circles,
        both_ways=rated.both_ways,
        agreement=selected.agreement,
    )


def _count_debates(selected: ComparisonSet) -> int:
    """Return the number of debates whose verdicts count; 0 of battles."""
    ids = selected.rows["debate_id"]
    return int(ids[ids != ""].nunique())


def _votes_notes(selected: ComparisonSet) -> Iterator[str]:
    """Yield on how many votes the debates of people rest, where some are short of them."""
    for votes in selected.votes:
        if votes.begun:
            yield f"bench {votes.bench}: {votes.words}; a debate counts from its first vote on"


def _verdict_notes(selected: ComparisonSet) -> Iterator[str]:
    if 0 < _count_debates(selected) < len(selected.comparisons):
        yield (
            "every bench's verdict on a debate counts by itself, also in the columns debates and "
            "won-tied-lost"
        )


def _rows(
    selection: Selection, rated: Rated, method: Method, surroundings: Surroundings
) -> Iterator[Row]:
    """Make the rows of a board from the top."""
    comparisons, participations = surroundings.selected.comparisons, surroundings.participations
    unit, standing = _name_unit(selection, comparisons), standing_notes(comparisons).participants
    wins, ties, losses = tally(comparisons)
    lower, upper = rated.ends(method.intervals)
    bars = replace(rated.comparison, half=rated.comparison.half.round(HALF_DIGITS))
    bar_lower, bar_upper = bars.ends(rated.rating, rated.with_losses)
    columns = {
        "rating": rated.rating,
        "median": rated.median,
        "lower": lower,
        "upper": upper,
        "debates": wins + ties + losses,
        "wins": wins,
        "ties": ties,
        "losses": losses,
        "win_rate": win_rate(comparisons),
        "matchups": rated.matchups,
        "provisional": rated.provisional,
        "comparison_lower": bar_lower,
        "comparison_upper": bar_upper,
    }
    rows = pd.DataFrame(columns).to_dict("records")
    with_losses = [None] * len(rows) if rated.with_losses is None else rated.with_losses.tolist()
    usual, group = usual_matchups(rated.matchups), rated.group_numbers
    place = {k: rank for rank, k in enumerate(rated.placed, start=1)}
    low, high = rated.rank_low.tolist(), rated.rank_high.tolist()
    for k in rated.order.tolist():
        name, row = rated.names[k], rows[k]
        own = participations.get(name, no_participation(selection))
        unrated = "" if rated.is_rated[k] else own["unrated"]
        thin = f"provisional: {counted(row['matchups'], *unit)}, the median is {usual:g}"
        told = [f"not rated: {unrated}"] if unrated else [thin * row["provisional"], *standing[k]]
        if rated.both_ways and own["forfeits"] and not unrated:
            told.append(f"{with_losses[k]:.0f} if forfeits were losses")
        notes = (*told, surroundings.lost.get(name, ""))
        yield Row(
            rank=place.get(k),
            rank_low=low[k] or None,
            rank_high=high[k] or None,
            participant=name,
            unrated=unrated,
            tie_group=group.get(name),
            forfeits=int(own["forfeits"]),
            usd_per_debate=float(own["usd"]),
            usd_most=float(own["usd"] + own["reserved"]),
            note="; ".join(filter(None, notes)),
            with_losses=with_losses[k],
            **{str(column): value for column, value in row.items()},
        )


def _name_unit(selection: Selection, comparisons: Comparisons) -> tuple[str, str]:
    """Return what `Row.matchups` counts, pairs in each cluster: the singular and the plural."""
    if selection.cluster == "motion":
        return "opponent on a motion", "opponents on a motion"
    alone = selection.cluster == "debate" or comparisons.clusters == len(comparisons)
    return ("debate", "debates") if alone else ("matchup", "matchups")

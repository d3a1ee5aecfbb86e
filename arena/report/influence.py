"""Influence: motions that decide the order of a board, debates that decide who is first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.comparisons import ComparisonSet
from ratings import (
    PAPER,
    Comparisons,
    GroupInfluence,
    Model,
    Overturning,
    Ratings,
    confidence,
    influence,
    overturn,
)

#: Motions that are listed by default.
_TOP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionInfluence:
    """A board without the debates on one motion.

    Attributes:
        motion: its id, or the name that imported battles give it.
        debates: number of debates on it.
        first: the participant that is then first.
        turned: pairs with a place whose order is reversed, each in the order of the whole board.
        change: of every participant's rating, Elo points.
    """

    motion: str
    debates: int
    first: str
    turned: tuple[tuple[str, str], ...]
    change: dict[str, float]

    @property
    def largest(self) -> tuple[str, float]:
        """The participant whose rating changes most, and the change in Elo points."""
        return max(self.change.items(), key=lambda change: abs(change[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingDebate:
    """A debate of a set that decides who is first, or a group of equivalent imported battles.

    Attributes:
        debate_id: '' for battles.
        bench: that judged it.
        motion: '' for battles, whose motions may differ.
        times: number of battles in the set; 1 for a debate.
        alike: number of battles with the same participants, winner and weight.
    """

    debate_id: str
    bench: str
    motion: str
    pro: str
    con: str
    outcome: float
    times: int = 1
    alike: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingSet:
    """A set of debates that puts another participant first if it is left out or reversed.

    Attributes:
        change: what happens to the debates, "left out" or "reversed".
        first: the participant that is then first.
        fewest: whether no smaller set does it; otherwise the size is an upper bound.
        none_of: all sets of up to this size were tried, and leave the leader first.
        size: number of debates in the set.
        debates: the set; others with the same sides, outcome and weight would do as well.
    """

    change: str
    first: str
    fewest: bool
    none_of: int
    size: int
    debates: tuple[DecidingDebate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Influences:
    """The motions and debates that decide a leaderboard.

    Attributes:
        first, second: the leader and its runner-up; empty if nothing is rated.
        gap: between the two, Elo points.
        settled: whether the board settles that the leader is above the runner-up.
        placed: number of participants with a place, whose orders are looked at.
        debates: number of rated debates.
        motions: number of their motions.
        turning: pairs whose order a single motion can reverse, the participant in front first,
            with the number of such motions; pairs with most motions first.
        deciding: the motions that change the order most, the most decisive first.
        sets: sets of debates that decide who is first.
    """

    first: str
    second: str
    gap: float
    settled: bool = False
    placed: int = 0
    debates: int
    motions: int
    turning: tuple[tuple[str, str, int], ...]
    deciding: tuple[MotionInfluence, ...]
    sets: tuple[DecidingSet, ...]


def find_influences(
    compared: ComparisonSet, motions: pd.Series, model: Model = PAPER, *, top: int = _TOP
) -> Influences:
    """Find the motions and debates that decide a board.

    Args:
        compared: the comparisons, with the covariates of the model.
        motions: names of the motions, one for each row of `compared.rows`.
        model: of the board.
        top: number of motions to list.
    """
    debates = compared.comparisons
    if not len(debates) or len(debates.names) < 2:
        return Influences(
            first="", second="", gap=0.0, debates=0, motions=0, turning=(), deciding=(), sets=()
        )
    sure = confidence(debates, model)
    placed = [debates.names[k] for k in sure.placed]
    influence_of_motions = influence(debates, motions, model, among=placed)
    ratings = influence_of_motions.ratings
    groups = influence_of_motions.groups if len(influence_of_motions.labels) > 1 else ()
    first, second = (debates.names.index(name) for name in placed[:2])
    overturned = (
        overturn(debates, model, change=change, among=placed) for change in ("left out", "reversed")
    )
    return Influences(
        first=debates.names[first],
        second=debates.names[second],
        gap=float(ratings.rating[first] - ratings.rating[second]),
        settled=bool(sure.above[first, second]),
        placed=len(placed),
        debates=len(debates),
        motions=len(influence_of_motions.labels),
        turning=_turning(groups),
        deciding=tuple(_motion_influence(group, ratings) for group in groups[:top]),
        sets=tuple(
            _deciding_set(minimal, compared, motions)
            for minimal in overturned
            if minimal is not None
        ),
    )


def _turning(groups: Sequence[GroupInfluence]) -> tuple[tuple[str, str, int], ...]:
    motions = Counter(pair for group in groups for pair in group.turned)
    return tuple((above, below, number) for (above, below), number in motions.most_common())


def _motion_influence(group: GroupInfluence, ratings: Ratings) -> MotionInfluence:
    return MotionInfluence(
        motion=group.group,
        debates=group.comparisons,
        first=group.first,
        turned=group.turned,
        change=dict(zip(ratings.names, group.change.round(2).tolist(), strict=True)),
    )


def _deciding_set(minimal: Overturning, compared: ComparisonSet, motions: pd.Series) -> DecidingSet:
    comparisons, rows = compared.comparisons, list(minimal.rows)
    verdicts = compared.rows[["debate_id", "bench"]].iloc[rows]
    sides = _columns(comparisons.only(np.array(rows)))
    debates = verdicts.assign(motion=motions.iloc[rows], **sides)
    if not debates["debate_id"].any():
        debates = _count_alike(debates.assign(times=minimal.times, motion=""), comparisons)
    return DecidingSet(
        change=minimal.change,
        first=minimal.rival,
        fewest=minimal.fewest,
        none_of=minimal.tried,
        size=len(minimal),
        debates=tuple(
            DecidingDebate(**{str(name): value for name, value in debate.items()})
            for debate in debates.drop(columns="weight").to_dict("records")
        ),
    )


def _count_alike(battles: pd.DataFrame, comparisons: Comparisons) -> pd.DataFrame:
    """Count the battles of a set by participants, winner and weight, the most frequent first."""
    kind = ["pro", "con", "outcome", "weight"]
    every = pd.DataFrame(_columns(comparisons)).assign(alike=comparisons.times)
    own = every.merge(battles[kind].drop_duplicates()).groupby(kind, as_index=False)["alike"].sum()
    listed = battles.groupby(["debate_id", "bench", "motion", *kind], as_index=False)["times"].sum()
    order = {"times": False} | dict.fromkeys(kind, True)
    ordered: pd.DataFrame = listed.merge(own, on=kind).sort_values(
        list(order), ascending=list(order.values())
    )
    return ordered


def _columns(comparisons: Comparisons) -> dict[str, NDArray[Any]]:
    names = np.array(comparisons.names, dtype=object)
    return {
        "pro": names[comparisons.first],
        "con": names[comparisons.second],
        "outcome": comparisons.decided,
        "weight": comparisons.weight,
    }

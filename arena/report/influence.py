"""What a leaderboard rests on: motions that decide its order, debates that decide who is first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.comparisons import ComparisonSet
from arena.console.tables import Table
from arena.text import counted
from ratings import (
    PAPER,
    Comparisons,
    GroupInfluence,
    Model,
    Overturning,
    Ratings,
    influence,
    overturn,
)

_SHOWN = 10
_PAIRS = 3
_EQUAL = 0.05  # Elo points
_DONE = {"left out": "left out", "reversed": "won by the other side"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionInfluence:
    """A board without the debates on one motion.

    Attributes:
        motion: its id, or what an imported battle says it is.
        debates: on it.
        first: who is then first.
        turned: pairs whose order turns, the one in front on the whole board first.
        change: of every participant's rating, Elo points.
    """

    motion: str
    debates: int
    first: str
    turned: tuple[tuple[str, str], ...]
    change: dict[str, float]

    @property
    def largest(self) -> tuple[str, float]:
        """Whose rating changes most, and by how much."""
        return max(self.change.items(), key=lambda one: abs(one[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingDebate:
    """A debate of a set that decides who is first, or imported battles that are alike.

    Attributes:
        debate_id: '' of battles.
        bench: whose verdict.
        motion: '' of battles, whose motions may differ.
        times: how many battles; 1 of a debate.
        alike: how many there are of the same two, winner and weight.
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
class Decided:
    """A set of debates without which, or with which reversed, another participant is first.

    Attributes:
        change: what happens to them, "left out" or "reversed".
        first: who is then first.
        fewest: whether no smaller set does it; else their number is an upper bound.
        none_of: sets of up to so many debates were all tried, and leave the leader first.
        size: of the set.
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
    """What a leaderboard rests on.

    Attributes:
        first, second: who leads, and who follows; empty where nothing is rated.
        gap: between the two, Elo points.
        debates: rated.
        motions: that they are on.
        turning: pairs whose order some motions decide alone, the one in front first, with their
            number; the pair that most motions decide first.
        deciding: the motions that decide the order most, the most decisive first.
        sets: of debates that decide who is first.
    """

    first: str
    second: str
    gap: float
    debates: int
    motions: int
    turning: tuple[tuple[str, str, int], ...]
    deciding: tuple[MotionInfluence, ...]
    sets: tuple[Decided, ...]


def influences(
    compared: ComparisonSet, motions: pd.Series, model: Model = PAPER, *, top: int = _SHOWN
) -> Influences:
    """Look at what a board rests on.

    Args:
        compared: with what the model needs.
        motions: what a reader knows them by, one for each row of it.
        model: of the board.
        top: motions to list.
    """
    debates = compared.comparisons
    if not len(debates) or len(debates.names) < 2:
        return Influences(
            first="", second="", gap=0.0, debates=0, motions=0, turning=(), deciding=(), sets=()
        )
    found = influence(debates, motions, model)
    groups = found.groups if len(found.labels) > 1 else ()
    first, second = np.argsort(-found.ratings.rating, kind="stable")[:2]
    sets = [
        one
        for change in ("left out", "reversed")
        if (one := overturn(debates, model, change=change)) is not None
    ]
    return Influences(
        first=debates.names[first],
        second=debates.names[second],
        gap=float(found.ratings.rating[first] - found.ratings.rating[second]),
        debates=len(debates),
        motions=len(found.labels),
        turning=_turning(groups),
        deciding=tuple(_motion(one, found.ratings) for one in groups[:top]),
        sets=tuple(_decided(one, compared, motions) for one in sets),
    )


def influence_tables(found: Influences, title: str) -> tuple[Table, ...]:
    """Write it for people: the motions, and the debates that decide first place."""
    if not found.debates:
        note = "No debate is rated here, so nothing rests on any."
        return (Table(title=title, head=(), rows=(), notes=(note,)),)
    motions = Table(
        title=title,
        head=("motion", "debates", "turned", "largest change"),
        rows=tuple(_motion_row(one) for one in found.deciding),
        notes=(
            _motions_said(found),
            *((_turning_said(found),) if found.deciding else ()),
            *(_set_said(one, found) for one in found.sets),
        ),
    )
    return (motions, *(_set_table(one) for one in found.sets))


def _turning(groups: Sequence[GroupInfluence]) -> tuple[tuple[str, str, int], ...]:
    many = Counter(pair for one in groups for pair in one.turned)
    return tuple((above, below, times) for (above, below), times in many.most_common())


def _motion(one: GroupInfluence, whole: Ratings) -> MotionInfluence:
    return MotionInfluence(
        motion=one.group,
        debates=one.comparisons,
        first=one.first,
        turned=one.turned,
        change=dict(zip(whole.names, one.change.round(2).tolist(), strict=True)),
    )


def _decided(found: Overturning, compared: ComparisonSet, motions: pd.Series) -> Decided:
    given, rows = compared.comparisons, list(found.rows)
    said = compared.rows[["debate_id", "bench"]].iloc[rows]
    chosen = said.assign(motion=motions.iloc[rows], **_columns(given.only(np.array(rows))))
    if not chosen["debate_id"].any():
        chosen = _alike(chosen.assign(times=found.times, motion=""), given)
    return Decided(
        change=found.change,
        first=found.rival,
        fewest=found.fewest,
        none_of=found.tried,
        size=len(found),
        debates=tuple(
            DecidingDebate(**{str(name): value for name, value in one.items()})
            for one in chosen.drop(columns="weight").to_dict("records")
        ),
    )


def _alike(chosen: pd.DataFrame, given: Comparisons) -> pd.DataFrame:
    """Battles of a set counted by the two, the winner and the weight, most first."""
    kind = ["pro", "con", "outcome", "weight"]
    every = pd.DataFrame(_columns(given)).assign(alike=given.times)
    own = every.merge(chosen[kind].drop_duplicates()).groupby(kind, as_index=False)["alike"].sum()
    listed = chosen.groupby(["debate_id", "bench", "motion", *kind], as_index=False)["times"].sum()
    order = {"times": False} | dict.fromkeys(kind, True)
    found: pd.DataFrame = listed.merge(own, on=kind).sort_values(
        list(order), ascending=list(order.values())
    )
    return found


def _columns(given: Comparisons) -> dict[str, NDArray[Any]]:
    names = np.array(given.names, dtype=object)
    return {
        "pro": names[given.first],
        "con": names[given.second],
        "outcome": given.outcome,
        "weight": given.weight,
    }


def _motion_row(one: MotionInfluence) -> tuple[str, ...]:
    name, points = one.largest
    return one.motion, str(one.debates), str(len(one.turned)), f"{name} {points:+.0f}"


def _motions_said(found: Influences) -> str:
    ahead = (
        f"{found.first} leads {found.second} by {found.gap:.0f} Elo points."
        if found.gap > _EQUAL
        else f"{found.first} and {found.second} share first place."
    )
    if not found.deciding:
        return f"{ahead} No two motions are named, so none can be left out."
    others = [one.motion for one in found.deciding if one.first != found.first]
    keeps = (
        f"Without any one of the {found.motions} motions {found.first} is still first."
        if not others
        else f"{found.first} is not first without {', '.join(others)}."
    )
    pairs = len(found.deciding[0].change) * (len(found.deciding[0].change) - 1) // 2
    return (
        f"{ahead} {keeps} Each line is a board without one motion; turned: of {pairs} pairs, those "
        "in the other order."
    )


def _turning_said(found: Influences) -> str:
    if not found.turning:
        return "No order of two rests on one motion."
    listed = "; ".join(
        f"{above} above {below} ({counted(motions, 'motion')})"
        for above, below, motions in found.turning[:_PAIRS]
    )
    more = len(found.turning) - _PAIRS
    return f"Orders that one motion decides: {listed}{f'; and {more} more' if more > 0 else ''}."


def _set_said(one: Decided, found: Influences) -> str:
    size = one.size
    many = f"{counted(size, 'debate')} of {found.debates}, {_DONE[one.change]},"
    would = f"{many} would put {one.first} first"
    if one.fewest:
        return f"{would}: the fewest that do." if size > 1 else f"{would}."
    known = f"; no {counted(one.none_of, 'debate')} would" if one.none_of else ""
    return f"{would} (an upper bound: fewer may do it{known})."


def _set_table(one: Decided) -> Table:
    more = len(one.debates) - _SHOWN
    note = (f"And {more} more; --format json lists them all.",) if more > 0 else ()
    if not one.debates[0].debate_id:
        return Table(
            title=f"Battles that decide who is first, if {_DONE[one.change]}",
            head=("Pro", "Con", "won by", "battles", "of"),
            rows=tuple(_battles_row(battles) for battles in one.debates[:_SHOWN]),
            labels=3,
            notes=(*note, "Of: battles of the same two, winner and weight, any of which would do."),
        )
    return Table(
        title=f"Debates that decide who is first, if {_DONE[one.change]}",
        head=("debate", "motion", "Pro", "Con", "won by"),
        rows=tuple(_debate_row(debate) for debate in one.debates[:_SHOWN]),
        labels=5,
        notes=(*note, f"Read one: arena show {one.debates[0].debate_id[:8]}"),
    )


def _debate_row(one: DecidingDebate) -> tuple[str, ...]:
    return one.debate_id[:8], one.motion, one.pro, one.con, _winner(one)


def _battles_row(one: DecidingDebate) -> tuple[str, ...]:
    return one.pro, one.con, _winner(one), str(one.times), str(one.alike)


def _winner(one: DecidingDebate) -> str:
    return {1.0: one.pro, 0.0: one.con}.get(one.outcome, "tied")

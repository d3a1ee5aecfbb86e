"""Influence: motions that decide the order of a board, debates that decide who is first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.ranks import format_leader
from arena.output.tables import Column, Table, tabulate
from arena.store.command_lines import command_line
from arena.text import counted
from ratings import (
    PAPER,
    Comparisons,
    GroupInfluence,
    Model,
    Overturning,
    Ratings,
    confidence,
    connectivity,
    influence,
    overturn,
)

if TYPE_CHECKING:
    from arena.boards.comparisons import ComparisonSet

#: Motions that are listed by default.
_TOP = 10
#: What happens to a set of debates, in words.
_CHANGES: Final[Mapping[Literal["left out", "reversed"], str]] = {
    "left out": "left out",
    "reversed": "won by the other side",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionInfluence:
    """A board without the debates on one motion.

    Attributes:
        motion: its id, or the name that imported battles give it.
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
        fewest: whether no smaller set does it; otherwise the size is an upper bound.
        none_of: all sets of up to this size were tried, and leave the leader first.
        debates: the set; others with the same sides, outcome and weight would do as well.
    """

    change: Literal["left out", "reversed"]
    first: str
    fewest: bool
    none_of: int
    size: int
    debates: tuple[DecidingDebate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Influences:
    """The motions and debates that decide a leaderboard.

    Attributes:
        first, second: the leader and its runner-up; '' if nothing is rated.
        gap: between the two, Elo points.
        settled: whether the board settles that the leader is above the runner-up.
        apart: the groups that nothing links, so that nobody leads; empty where there is one group.
        placed: number of participants with a place, whose orders are looked at.
        turning: pairs whose order a single motion can reverse, the participant in front first,
            with the number of such motions; pairs with most motions first.
        deciding: the motions that change the order most, the most decisive first.
    """

    first: str = ""
    second: str = ""
    gap: float = 0.0
    settled: bool = False
    apart: tuple[tuple[str, ...], ...] = ()
    placed: int = 0
    debates: int = 0
    motions: int = 0
    turning: tuple[tuple[str, str, int], ...] = ()
    deciding: tuple[MotionInfluence, ...] = ()
    sets: tuple[DecidingSet, ...] = ()


def find_influences(
    compared: ComparisonSet, motions: pd.Series, model: Model = PAPER, *, top: int = _TOP
) -> Influences:
    """Find the motions and debates that decide a board.

    Args:
        motions: names of the motions, one for each row of `compared.rows`.
    """
    debates = compared.comparisons
    if not len(debates) or len(debates.names) < 2:
        return Influences()
    sure = confidence(debates, model)
    placed = [debates.names[k] for k in sure.placed]
    influence_of_motions = influence(debates, motions, model, among=placed)
    ratings = influence_of_motions.ratings
    groups = influence_of_motions.groups if len(influence_of_motions.labels) > 1 else ()
    first, second = (debates.names.index(name) for name in placed[:2])
    turning = Counter(pair for group in groups for pair in group.turned)
    apart = connectivity(debates).islands
    changes = () if apart else _CHANGES
    overturned = (overturn(debates, model, change=change, among=placed) for change in changes)
    return Influences(
        first=debates.names[first],
        second=debates.names[second],
        gap=float(ratings.rating[first] - ratings.rating[second]),
        settled=bool(sure.above[first, second]),
        apart=apart,
        placed=len(placed),
        debates=len(debates),
        motions=len(influence_of_motions.labels),
        turning=tuple((*pair, number) for pair, number in turning.most_common()),
        deciding=tuple(_motion_influence(group, ratings) for group in groups[:top]),
        sets=tuple(
            _deciding_set(minimal, compared, motions)
            for minimal in overturned
            if minimal is not None
        ),
    )


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


#: Debates of a set that are listed.
_SHOWN = 10
#: Pairs that one motion decides, listed in a note.
_PAIRS = 3
#: Gap, in Elo points, up to which two participants share first place.
_EQUAL = 0.05


def influence_tables(result: Influences, title: str, db: Path) -> tuple[Table, ...]:
    """Return a table of the motions, and one for each set of debates that decides first place.

    Args:
        db: the database, for the command that shows a debate.
    """
    if not result.debates:
        note = "No debate is rated here, so there is nothing to report."
        return (Table(title=title, head=(), rows=(), notes=(note,)),)
    motions = tabulate(
        _MOTION_COLUMNS,
        result.deciding,
        title=title,
        notes=(
            _motions_note(result),
            *((_turning_note(result),) if result.deciding else ()),
            *(_set_note(deciding, result) for deciding in result.sets),
        ),
    )
    return (motions, *(_set_table(deciding, db) for deciding in result.sets))


def _format_change(change: tuple[str, float]) -> str:
    participant, points = change
    return f"{participant} {points:+.0f}"


def _winner(debate: DecidingDebate) -> str:
    return {1.0: debate.pro, 0.0: debate.con}.get(debate.outcome, "tied")


_MOTION_COLUMNS: tuple[Column[MotionInfluence], ...] = (
    Column(head="motion", read=lambda motion: motion.motion, label=True),
    Column(head="debates", read=lambda motion: motion.debates),
    Column(head="turned", read=lambda motion: len(motion.turned)),
    Column(head="largest change", read=lambda motion: motion.largest, style=_format_change),
)
_SIDES: tuple[Column[DecidingDebate], ...] = (
    Column(head="Pro", read=lambda debate: debate.pro, label=True),
    Column(head="Con", read=lambda debate: debate.con, label=True),
    Column(head="won by", read=_winner, label=True),
)
_DEBATE_COLUMNS: tuple[Column[DecidingDebate], ...] = (
    Column(head="debate", read=lambda debate: debate.debate_id[:8], label=True),
    Column(head="motion", read=lambda debate: debate.motion, label=True),
    *_SIDES,
)
_BATTLE_COLUMNS: tuple[Column[DecidingDebate], ...] = (
    *_SIDES,
    Column(head="battles", read=lambda debate: debate.times),
    Column(head="of", read=lambda debate: debate.alike),
)


def _motions_note(result: Influences) -> str:
    ahead = (
        f"{result.first} leads {result.second} by {result.gap:.0f} Elo points, and is "
        f"{'settled to be above it' if result.settled else 'not separated from it'}."
        if result.gap > _EQUAL
        else f"{result.first} and {result.second} share first place."
    )
    if result.apart:
        ahead = format_leader(result.first, (), apart=result.apart).replace("nobody", "Nobody", 1)
        ahead += "."
    if not result.deciding:
        return f"{ahead} Fewer than two motions have a name, so none can be left out."
    others = [motion.motion for motion in result.deciding if motion.first != result.first]
    keeps = (
        ""
        if result.apart
        else f"Without any one of the {result.motions} motions {result.first} is still first."
        if not others
        else f"{result.first} is no longer first without {', '.join(others)}."
    )
    pairs = result.placed * (result.placed - 1) // 2
    return (
        f"{ahead}{' ' * bool(keeps)}{keeps} Each line is a leaderboard without one motion; turned: "
        f"how many of the {counted(pairs, 'pair')} with a place change their order."
    )


def _turning_note(result: Influences) -> str:
    if not result.turning:
        return "No pair's order depends on a single motion."
    listed = "; ".join(
        f"{above} above {below} ({counted(motions, 'motion')})"
        for above, below, motions in result.turning[:_PAIRS]
    )
    more = len(result.turning) - _PAIRS
    return (
        "Pairs whose order depends on a single motion: "
        f"{listed}{f'; and {more} more' if more > 0 else ''}."
    )


def _set_note(deciding: DecidingSet, result: Influences) -> str:
    size = deciding.size
    debates = f"{counted(size, 'debate')} of {result.debates}, {_CHANGES[deciding.change]},"
    would = f"{debates} would put {deciding.first} first"
    if deciding.fewest:
        return f"{would}: the smallest number that does." if size > 1 else f"{would}."
    known = f"; no {counted(deciding.none_of, 'debate')} would" if deciding.none_of else ""
    return f"{would} (an upper bound: fewer may suffice{known})."


def _set_table(deciding: DecidingSet, db: Path) -> Table:
    more = len(deciding.debates) - _SHOWN
    notes = [f"And {more} more; --format json lists them all."] if more > 0 else []
    shown = deciding.debates[:_SHOWN]
    if first := shown[0].debate_id[:8]:
        columns, noun = _DEBATE_COLUMNS, "Debates"
        notes.append(f"Read the first one with: {command_line('show', first, db=db)}")
    else:
        columns, noun = _BATTLE_COLUMNS, "Battles"
        notes.append(
            "Of: number of battles with the same participants, winner and weight, any of which "
            "would do."
        )
    title = f"{noun} that decide who is first, if {_CHANGES[deciding.change]}"
    return tabulate(columns, shown, title=title, notes=notes)

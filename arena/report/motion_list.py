"""The motions of a tournament: how they were used, and whether they tell participants apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pandas as pd

from arena.languages import SIDES
from arena.output.tables import Column, Table, tabulate
from arena.text import counted
from ratings import TIE, clustered_mean

#: Matchups from which an interval covers 95 %.
_LEAST_MATCHUPS: Final = 6
_TOO_FEW: Final = "too few debates"


def _share(percent: float) -> str:
    return "" if math.isnan(percent) else f"{percent:.0f} %"


#: Of rows of `motion_table`.
_COLUMNS: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column(head="motion", key="motion_id", read=itemgetter("motion_id"), label=True),
    Column(key="motion", read=itemgetter("motion")),
    Column(head="category", key="category", read=itemgetter("category"), left=True),
    Column(key="debates", read=itemgetter("debates")),
    Column(head="judged", key="judged", read=itemgetter("judged")),
    Column(head="stronger won", read=itemgetter("tells")),
    Column(key="better_share", read=itemgetter("better_share"), digits=2),
    Column(key="better_lower", read=itemgetter("better_lower"), digits=2),
    Column(key="better_upper", read=itemgetter("better_upper"), digits=2),
    Column(head="Pro won", key="pro_share", read=itemgetter("pro_share"), style=_share, digits=2),
    Column(head="by side", key="by_side", read=itemgetter("by_side")),
    Column(head="split", key="split_share", read=itemgetter("split_share"), style=_share, digits=2),
)


def motion_table(debates: pd.DataFrame, rating: Mapping[str, float]) -> pd.DataFrame:
    """Return a row per motion of a tournament, those first that tell participants apart best.

    Columns: motion_id, motion (its text in its first language), category, debates (all),
    judged (those with a result), pro_share (of wins, a tie as half), better_share (of the debates
    of two with different ratings, those that the better one won, a tie as half), better_lower and
    better_upper (its 95 % interval by matchups; NaN of fewer than six), tells (both in words),
    by_side (the number decided by the side), split_share (debates whose ballots name different
    winners). All shares are percent, NaN where nothing is judged.
    """
    pro, con = (debates[side].astype(str).map(rating).astype(float) for side in SIDES)
    outcome = debates["outcome"]
    better = np.where(pro > con, outcome, np.where(pro < con, 1 - outcome, np.nan))
    frame = debates.assign(better=better, split=debates["is_split"].where(outcome.notna()))
    frame = frame.astype({"motion_id": str, "motion": str, "category": str, "split": float})
    groups = frame.groupby("motion_id")
    table = groups.agg(
        motion=("motion", "first"),
        category=("category", "first"),
        debates=("debate_id", "size"),
        judged=("outcome", "count"),
        pro_share=("outcome", "mean"),
        better_share=("better", "mean"),
        by_side=("by_side", "sum"),
        split_share=("split", "mean"),
    )
    ends = {motion: _better_interval(own) for motion, own in groups}
    table["better_lower"], table["better_upper"] = (
        [ends[motion][end] for motion in table.index] for end in (0, 1)
    )
    for name in ("pro_share", "better_share", "split_share", "better_lower", "better_upper"):
        table[name] = 100 * table[name]
    table["tells"] = [
        _TOO_FEW if np.isnan(low) else f"{share:.0f} % [{low:.0f} to {high:.0f}]"
        for share, low, high in zip(
            table["better_share"], table["better_lower"], table["better_upper"], strict=True
        )
    ]
    # Those with an interval first, by their share; the others by theirs.
    known = table["better_lower"].notna()
    order = table.assign(known=known).sort_values(
        ["known", "better_share"], ascending=False, kind="stable"
    )
    return order.drop(columns="known").reset_index()


def _better_interval(debates: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of the interval of how often the better one won; NaN of few matchups."""
    known = debates[debates["better"].notna()]
    if known["matchup_id"].nunique() < _LEAST_MATCHUPS:
        return np.nan, np.nan
    mean = clustered_mean(
        known["better"].to_numpy(), known["matchup_id"].to_numpy(), np.random.default_rng(0)
    )
    return mean.lower, mean.upper


def motion_titles(frame: pd.DataFrame) -> dict[str, str]:
    """Return what lists call each motion, by id: its first text; a text of several has the id, too.

    Args:
        frame: motion_id and motion (a text) of rows, in their order.
    """
    first = frame.drop_duplicates("motion_id")
    texts = dict(zip(first["motion_id"].astype(str), first["motion"].astype(str), strict=True))
    several = first["motion"].astype(str).duplicated(keep=False).to_numpy()
    return {
        motion_id: f"{text} ({motion_id})" if repeated else text
        for (motion_id, text), repeated in zip(texts.items(), several, strict=True)
    }


def tabulate_motions(table: pd.DataFrame, *, title: str = "", notes: Iterable[str] = ()) -> Table:
    """Return the rows of `motion_table` as a table for people and programs."""
    rows: list[dict[str, Any]] = [
        {str(name): value for name, value in row.items()} for row in table.to_dict("records")
    ]
    return tabulate(_COLUMNS, rows, title=title, notes=notes)


def format_tellers(table: pd.DataFrame) -> str:
    """Say how many motions separate the stronger from the weaker; '' without a judged debate.

    Args:
        table: as `motion_table` returns it.
    """
    if not table["judged"].sum():
        return ""
    lower, upper = table["better_lower"], table["better_upper"]
    told, reversed_, few = (lower > 50).sum(), (upper < 50).sum(), lower.isna().sum()
    parts = [
        f"{counted(int(told), 'motion')} of {len(table)} "
        f"{'tells' if told == 1 else 'tell'} the stronger from the weaker (the interval lies above "
        "50 %)",
        f"{reversed_} the other way round" if reversed_ else "",
        f"{few} with too few debates to say (fewer than {_LEAST_MATCHUPS} matchups)" if few else "",
    ]
    return f"{'; '.join(filter(None, parts))}."


def format_pro_share(table: pd.DataFrame) -> str:
    """Format Pro's share over all judged debates, as a sentence; '' before there are any."""
    judged = int(table["judged"].sum())
    if not judged:
        return ""
    won = float((table["pro_share"].fillna(0) * table["judged"]).sum()) / 100
    return (
        f"Pro won {100 * won / judged:.0f} % of {counted(judged, 'debate')} (a tie counts as "
        f"half); an even motion stands at {100 * TIE:.0f} %."
    )

"""Two participants against each other: points out of three, their uncertainty, and the sides.

The form is that of Tables 1 and 2 of Zhang et al. 2024 (arXiv 2408.04472).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.output.formats import envelope
from arena.output.interval_text import format_interval_method
from arena.output.tables import Column, Table, tabulate
from arena.report.head_to_head import FULL, points_of
from arena.text import counted, format_interval, format_p
from ratings import FLIPS, Comparisons, PairedTest, clustered_mean, clustered_test, confidence

#: Participants up to which the board is computed beside the points: a second. Of 3,000 it takes
#: minutes.
_MOST_RATED = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """The first participant's points on one dimension.

    Attributes:
        points: mean per debate, out of three; the second has the rest.
        lower, upper: 95 % interval of that mean, by matchups; NaN with a single one.
    """

    dimension: str
    points: float
    lower: float
    upper: float
    test: PairedTest
    debates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The rating of the first less that of the second on the bench's board, Elo points.

    Attributes:
        lower, upper: 95 % interval of the difference, as `Confidence.difference` has it.
        above: the name of whoever is settled to be above the other; '' for neither.
        over_motions: whether it is for motions in general.
        every_look: whether the interval holds at every look.
    """

    elo: float
    lower: float
    upper: float
    above: str
    over_motions: bool
    every_look: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """Two participants who met, in the debates that a bench has judged in full.

    Attributes:
        gap: on the bench's overall board; None where that has too many participants.
        as_pro: debates in which the first was Pro.
        as_con: those in which it was Con.
        single: matchups of which only one leg is judged.
    """

    first: str
    second: str
    margins: tuple[Margin, ...]
    gap: Gap | None
    as_pro: int
    as_con: int
    matchups: int
    single: int

    @property
    def debates(self) -> int:
        """Number of debates between the two."""
        return self.as_pro + self.as_con


def versus(
    frame: pd.DataFrame,
    first: str,
    second: str,
    *,
    rated: Comparisons,
    dimensions: Sequence[str],
    seed: int,
) -> Versus | None:
    """Compare two participants; return None if they have not met.

    Args:
        frame: a row per debate and dimension, of one bench: debate_id, matchup_id, dimension,
            pro, con (names), pro_score and con_score.
        dimensions: to report, in this order.
        seed: of the intervals, and of the test where signs are drawn at random.
    """
    pair = {first, second}
    rows = frame[frame["pro"].isin(pair) & frame["con"].isin(pair)]
    if rows.empty:
        return None
    parts = ((name, rows[rows["dimension"] == name]) for name in dimensions)
    debates = rows.drop_duplicates("debate_id")
    legs = debates.groupby("matchup_id").size()
    as_pro = int((debates["pro"] == first).sum())
    return Versus(
        first=first,
        second=second,
        margins=tuple(_margin(name, part, first, seed) for name, part in parts if len(part)),
        gap=_find_gap(rated, first, second),
        as_pro=as_pro,
        as_con=len(debates) - as_pro,
        matchups=len(legs),
        single=int((legs == 1).sum()),
    )


def versus_table(pair: Versus, *, title: str) -> Table:
    """Return a table with a row per dimension: the points of both participants."""
    notes = (_sides_note(pair), _method_note(pair), _gap_note(pair))
    return tabulate(_columns(pair), pair.margins, title=title, notes=notes)


def _columns(pair: Versus) -> list[Column[Margin]]:
    first, second = pair.first, pair.second
    return [
        Column(head="dimension", key="dimension", read=lambda row: row.dimension, label=True),
        Column(head=first, key=first, read=lambda row: row.points, style=".2f", digits=4),
        Column(head=second, key=second, read=lambda row: FULL - row.points, style=".2f", digits=4),
        Column(key="lower", read=lambda row: row.lower, digits=4),
        Column(key="upper", read=lambda row: row.upper, digits=4),
        Column(
            head="95 % interval",
            read=lambda row: format_interval(row.lower, row.upper, ".2f", empty=""),
        ),
        Column(head="p", key="p", read=lambda row: row.test.p, style=format_p, digits=6),
        Column(head="debates", key="debates", read=lambda row: row.debates),
    ]


def versus_content(
    pair: Versus, resolved: ResolvedConfig, selection: Selection
) -> dict[str, object]:
    """Return the comparison, which counts the debates of a selection, as JSON objects."""
    about = {name: getattr(selection, name) for name in ("bench", "category", "language")}
    return envelope(resolved, **about) | asdict(pair) | {"debates": pair.debates}


def _margin(dimension: str, part: pd.DataFrame, first: str, seed: int) -> Margin:
    points, matchups = points_of(part, first), part["matchup_id"]
    mean = clustered_mean(points, matchups, np.random.default_rng(seed))
    return Margin(
        dimension=dimension,
        points=mean.mean,
        lower=mean.lower,
        upper=mean.upper,
        test=clustered_test(2 * points - FULL, matchups, np.random.default_rng(seed)),
        debates=len(part),
    )


def _find_gap(rated: Comparisons, first: str, second: str) -> Gap | None:
    if len(rated.names) > _MOST_RATED:
        return None
    sure = confidence(rated)
    row, column = rated.names.index(first), rated.names.index(second)
    elo = float(sure.ratings.rating[row] - sure.ratings.rating[column])
    half = float(sure.difference[row, column])
    settled = {first: sure.above[row, column], second: sure.above[column, row]}
    return Gap(
        elo=elo,
        lower=elo - half,
        upper=elo + half,
        above=next((name for name, is_above in settled.items() if is_above), ""),
        over_motions=sure.motions is not None and sure.motions.motions > 1,
        every_look=sure.pairing == "guided",
    )


def _sides_note(pair: Versus) -> str:
    debates = (
        f"{counted(pair.debates, 'debate')} in {counted(pair.matchups, 'matchup')}; "
        f"{pair.first} was Pro in {pair.as_pro} and Con in {pair.as_con}."
    )
    if pair.single:
        single = counted(pair.single, "matchup")
        return f"{debates} Of {single} only one debate is judged, so the sides are not balanced."
    return f"{debates} Both debates of each matchup are judged, so the sides are balanced."


def _method_note(pair: Versus) -> str:
    sampled = any(not margin.test.exact for margin in pair.margins)
    assignments = f"{FLIPS:,} random" if sampled else "all"
    clusters = [margin.test.differences for margin in pair.margins]
    return (
        f"Mean points per debate, out of three; a tie counts as half. Interval of {pair.first}'s "
        f"mean: {format_interval_method('matchup', clusters)}. p: that test, two-sided, "
        f"{assignments} assignments. Both are of these debates and motions alone, at a single look."
    )


def _gap_note(pair: Versus) -> str:
    gap = pair.gap
    if gap is None:
        return (
            "On a board of so many participants, `arena matrix --elo` computes the difference of "
            "their ratings."
        )
    motions = ", for motions in general" if gap.over_motions else ""
    looks = ", at every look" if gap.every_look else ""
    order = f"{gap.above} is settled to be above" if gap.above else "not separated"
    return (
        f"On the board, from all of its debates{motions}{looks}: {pair.first} "
        f"{gap.elo:+.0f} Elo against {pair.second}, 95 % "
        f"{format_interval(gap.lower, gap.upper, '+.0f')}; "
        f"{order} (all pairs at once)."
    )

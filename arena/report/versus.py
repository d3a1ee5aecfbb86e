"""Two participants against each other: points out of three, how sure, and on which sides.

The form is that of Tables 1 and 2 of Zhang et al. 2024 (arXiv 2408.04472).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.console.tables import Table
from arena.report.head_to_head import FULL, points_of
from arena.report.interval_text import method
from arena.text import counted
from ratings import FLIPS, PairedTest, clustered_mean, sign_flip_test

#: A smaller p-value is not written out.
_SMALL = 0.0001


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """What the first of two has on one dimension.

    Attributes:
        points: its mean per debate, out of three; the second has the rest.
        lower, upper: 95 % interval of that mean, by matchups; NaN with a single one.
        test: whether the two differ, by matchups.
        debates: that were judged on this dimension.
    """

    dimension: str
    points: float
    lower: float
    upper: float
    test: PairedTest
    debates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """Two participants who met, in the debates that a bench has judged in full.

    Attributes:
        margins: of the first, by dimension.
        as_pro: debates in which the first was Pro.
        as_con: those in which it was Con.
        matchups: how many they belong to.
        single: matchups of which only one leg is judged.
    """

    first: str
    second: str
    margins: tuple[Margin, ...]
    as_pro: int
    as_con: int
    matchups: int
    single: int

    @property
    def debates(self) -> int:
        """How many they had with each other."""
        return self.as_pro + self.as_con


def versus(
    frame: pd.DataFrame, first: str, second: str, *, dimensions: Sequence[str], seed: int
) -> Versus | None:
    """Compare two participants, or `None` where they have not met.

    Args:
        frame: a row per debate and dimension, of one bench: debate_id, matchup_id, dimension,
            pro, con (names), pro_score and con_score.
        first: whose points are told.
        second: the other one.
        dimensions: to report, in this order.
        seed: of the bootstrap, and of the test where signs are drawn.
    """
    pair = {first, second}
    met = frame[frame["pro"].isin(pair) & frame["con"].isin(pair)]
    if met.empty:
        return None
    parts = ((name, met[met["dimension"] == name]) for name in dimensions)
    debates = met.drop_duplicates("debate_id")
    legs = debates.groupby("matchup_id").size()
    as_pro = int((debates["pro"] == first).sum())
    return Versus(
        first=first,
        second=second,
        margins=tuple(_margin(name, part, first, seed) for name, part in parts if len(part)),
        as_pro=as_pro,
        as_con=len(debates) - as_pro,
        matchups=len(legs),
        single=int((legs == 1).sum()),
    )


def versus_table(found: Versus, *, title: str) -> Table:
    """A row per dimension, the first's points beside the second's."""
    return Table(
        title=title,
        head=("dimension", found.first, found.second, "95 % interval", "p", "debates"),
        rows=tuple(
            (
                one.dimension,
                f"{one.points:.2f}",
                f"{FULL - one.points:.2f}",
                "" if np.isnan(one.lower) else f"{one.lower:.2f} to {one.upper:.2f}",
                f"{one.test.p:.4f}" if one.test.p >= _SMALL else f"<{_SMALL}",
                str(one.debates),
            )
            for one in found.margins
        ),
        notes=(_sides(found), _method(found)),
    )


def _margin(dimension: str, part: pd.DataFrame, first: str, seed: int) -> Margin:
    points, matchups = points_of(part, first), part["matchup_id"]
    mean = clustered_mean(points, matchups, np.random.default_rng(seed))
    ahead = (2 * points - FULL).groupby(matchups).sum()
    return Margin(
        dimension=dimension,
        points=mean.mean,
        lower=mean.lower,
        upper=mean.upper,
        test=sign_flip_test(ahead, np.random.default_rng(seed)),
        debates=len(part),
    )


def _sides(found: Versus) -> str:
    said = (
        f"{counted(found.debates, 'debate')} in {counted(found.matchups, 'matchup')}; "
        f"{found.first} was Pro in {found.as_pro} and Con in {found.as_con}."
    )
    if found.single:
        single = counted(found.single, "matchup")
        return f"{said} Of {single} only one leg is judged: sides are not balanced."
    return f"{said} Both legs of each are judged: sides are balanced."


def _method(found: Versus) -> str:
    drawn = any(not one.test.exact for one in found.margins)
    how = f"{FLIPS:,} random" if drawn else "all"
    tested = [one.test.differences for one in found.margins]
    return (
        f"Mean points per debate, of three; a tie gives half. Interval of {found.first}'s mean: "
        f"{method('matchup', tested)}. p: that test, two-sided, {how} assignments."
    )

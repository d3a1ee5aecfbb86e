"""Points out of three of the participants who met, by dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

#: Points of a debate won in all its runs; a tie gives half of them to each side.
FULL = 3.0

#: The order in which the paper shows dimensions.
_DIMENSIONS = ("source", "language", "argument", "overall")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead:
    """Two participants' mean points per debate, of three to share.

    Attributes:
        points: of the first, by judged dimension; the second has the rest of three.
    """

    first: str
    second: str
    debates: int
    points: Mapping[str, float]


def head_to_head(frame: pd.DataFrame, dimensions: Sequence[str]) -> list[HeadToHead]:
    """Average the points of each pair's debates, the largest difference first.

    Args:
        frame: a row per debate and dimension, of one bench: debate_id, dimension, pro, con
            (names), pro_score and con_score.
        dimensions: to report; `overall` decides who stands first.
    """
    in_order = frame["pro"] <= frame["con"]
    earlier = frame["pro"].where(in_order, frame["con"])
    rows = pd.DataFrame(
        {
            "earlier": earlier,
            "later": frame["con"].where(in_order, frame["pro"]),
            "dimension": frame["dimension"],
            "debate": frame["debate_id"],
            "points": points_of(frame, earlier),
        }
    )
    pairs = [
        _pair(str(earlier), str(later), debates, dimensions)
        for (earlier, later), debates in rows.groupby(["earlier", "later"])
    ]
    return sorted(pairs, key=lambda pair: (-pair.points["overall"], pair.first, pair.second))


def points_of(frame: pd.DataFrame, name: str | pd.Series) -> pd.Series:
    """Return the points, out of three, of a participant in each row.

    Args:
        frame: as `head_to_head` takes it.
        name: the participant, or one for each row; must be a side of that row. The opponent has
            the rest.
    """
    own = frame["pro_score"].where(frame["pro"] == name, frame["con_score"])
    return FULL * own / (frame["pro_score"] + frame["con_score"])


def in_paper_order(dimensions: Sequence[str]) -> list[str]:
    """Return dimensions as the paper shows them, behind those that it does not have."""
    others = [name for name in dimensions if name not in _DIMENSIONS]
    return others + [name for name in _DIMENSIONS if name in dimensions]


def _pair(earlier: str, later: str, debates: pd.DataFrame, dimensions: Sequence[str]) -> HeadToHead:
    """Average the debates of two participants, in alphabetical order, from the earlier's points."""
    means = debates.groupby("dimension")["points"].mean()
    points = {name: float(means[name]) for name in dimensions if name in means}
    first, second = earlier, later
    if points["overall"] < FULL / 2:
        first, second = later, earlier
        points = {name: FULL - value for name, value in points.items()}
    return HeadToHead(
        first=first, second=second, debates=debates["debate"].nunique(), points=points
    )

"""Points out of three of those who met, by dimension (the paper's Tables 1, 2 and 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from arena.console.tables import Table

#: A debate won in all its runs; a tie gives half of it to each side.
FULL = 3.0

#: The order in which the paper shows what a bench looks at.
_DIMENSIONS = ("source", "language", "argument", "overall")
_RIGHT = "Mean points per debate of the first; the second has the rest of 3. A tie gives half."
_NONE = "No two of these have met in a debate with all its ballots."


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadToHead:
    """Two participants' mean points per debate, of three to share.

    Attributes:
        first: who has more points overall.
        second: the other one.
        debates: that they had with each other.
        points: of the first, by dimension that was judged; the second has the rest of three.
    """

    first: str
    second: str
    debates: int
    points: Mapping[str, float]


def head_to_head(frame: pd.DataFrame, dimensions: Sequence[str]) -> list[HeadToHead]:
    """Average what each pair's debates gave, the largest difference first.

    Args:
        frame: a row per debate and dimension, of one bench: debate_id, dimension, pro, con
            (names), pro_score and con_score.
        dimensions: to report; `overall` decides who stands first.
    """
    turned = frame["pro"] > frame["con"]
    one = frame["pro"].where(~turned, frame["con"])
    rows = pd.DataFrame(
        {
            "one": one,
            "other": frame["con"].where(~turned, frame["pro"]),
            "dimension": frame["dimension"],
            "debate": frame["debate_id"],
            "points": points_of(frame, one),
        }
    )
    found = [
        _pair(str(one), str(other), met, dimensions)
        for (one, other), met in rows.groupby(["one", "other"])
    ]
    return sorted(found, key=lambda pair: (-pair.points["overall"], pair.first, pair.second))


def points_of(frame: pd.DataFrame, name: str | pd.Series) -> pd.Series:
    """Points out of three of somebody (or of another one in each row) who takes part in each row.

    Args:
        frame: as `head_to_head` takes it.
        name: who gets them; the other one has the rest.
    """
    own = frame["pro_score"].where(frame["pro"] == name, frame["con_score"])
    return FULL * own / (frame["pro_score"] + frame["con_score"])


def in_paper_order(dimensions: Sequence[str]) -> list[str]:
    """Dimensions as the paper shows them, behind those that it does not have."""
    ours = [one for one in dimensions if one not in _DIMENSIONS]
    return ours + [one for one in _DIMENSIONS if one in dimensions]


def head_to_head_table(
    found: Iterable[HeadToHead], dimensions: Sequence[str], *, title: str
) -> Table:
    """A row per pair: the first's points; the debates in a column where pairs differ in them."""
    pairs = list(found)
    met = {pair.debates for pair in pairs}
    rows = tuple(
        (
            pair.first,
            pair.second,
            *(f"{pair.points[one]:.2f}" if one in pair.points else "" for one in dimensions),
            *((str(pair.debates),) if len(met) > 1 else ()),
        )
        for pair in pairs
    )
    each = f"Debates of each pair: {next(iter(met))}. " if len(met) == 1 else ""
    return Table(
        title=title,
        head=("first", "second", *dimensions, *(("debates",) if len(met) > 1 else ())),
        rows=rows,
        labels=2,
        notes=(f"{each}{_RIGHT}" if rows else _NONE,),
    )


def _pair(one: str, other: str, met: pd.DataFrame, dimensions: Sequence[str]) -> HeadToHead:
    means = met.groupby("dimension")["points"].mean()
    points = {name: float(means[name]) for name in dimensions if name in means}
    if points["overall"] < FULL / 2:
        one, other = other, one
        points = {name: FULL - value for name, value in points.items()}
    return HeadToHead(first=one, second=other, debates=met["debate"].nunique(), points=points)

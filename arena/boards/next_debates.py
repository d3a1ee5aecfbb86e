"""What further debates would best tell: the open order that the fewest dollars would settle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.boards.participation import MEASURED_BALLOTS
from arena.boards.ranks import ordinal
from arena.plugins import sees_calls
from arena.store.database import Store
from arena.text import counted
from ratings import Comparisons, Confidence
from ratings.outlook import Outlook

#: Further matchups above which an order is not worth naming.
MOST_MATCHUPS: Final = 500
#: With more open orders of the first, it is said how many there are.
_MANY = 5
#: The chance that the matchups that are named settle the order.
_CHANCE: Final = 0.8
_USD = f"""
    WITH judged AS (
        SELECT debate_id, sum(usd) AS usd FROM {MEASURED_BALLOTS} GROUP BY debate_id
    ), sides AS (
        SELECT unit AS debate_id, split_part(path, '/', 1) AS side,
               sum(cost_usd - reserved_usd) AS usd
        FROM calls GROUP BY ALL
    )
    SELECT p.name, p.debater, coalesce(avg(sides.usd), 0) AS usd,
           coalesce(avg(judged.usd), 0) AS judging
    FROM debates d
    JOIN participants p ON p.tournament = d.tournament AND p.participant_id IN (d.pro, d.con)
    LEFT JOIN sides ON sides.debate_id = d.debate_id
         AND sides.side = CASE p.participant_id WHEN d.pro THEN 'pro' ELSE 'con' END
    LEFT JOIN judged ON judged.debate_id = d.debate_id
    WHERE d.tournament = $name AND d.status = 'finished'
    GROUP BY p.name, p.debater
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextDebates:
    """Matchups that would probably settle one more order.

    Attributes:
        pair: the names of the two, the better rated first.
        ranks: theirs; None for one that has no place yet.
        matchups: how many more.
        usd: what these cost, judging by those so far.
        open: how many orders of the first are open; 0 where another order was asked for.
    """

    pair: tuple[str, str]
    ranks: tuple[int | None, int | None]
    matchups: int
    usd: float
    open: int = 0

    @property
    def amount(self) -> str:
        """How many matchups, and what they cost where that is known."""
        usd = f" (about {self.usd:,.2f} USD)" if self.usd else ""
        return f"{counted(self.matchups, 'more matchup')}{usd}"

    @property
    def sentence(self) -> str:
        """Say it in a sentence."""
        first, second = (rank and ordinal(rank) for rank in self.ranks)
        order = f"{first} against {second}" if first and second else "their order"
        among = f", one of {self.open} open orders of the first" if self.open > _MANY else ""
        pair = f"{self.pair[0]} and {self.pair[1]}"
        return f"{self.amount} of {pair} would probably settle {order}{among}."


def suggest_next(
    comparisons: Comparisons, sure: Confidence, usd: Mapping[str, float]
) -> NextDebates | None:
    """Return which further matchups would settle an order for the least money.

    While first place is open, it is the leader's order with another. `None` where all is settled,
    or it would take very many.

    Args:
        sure: its ratings.
        usd: of a matchup, by participant's name; see `matchup_costs`.
    """
    outlook, leader = Outlook(comparisons, sure), sure.rated[0]
    pairs = list(zip(outlook.low.tolist(), outlook.high.tolist(), strict=True))
    first = [pair for pair in pairs if leader in pair]
    suggested = _cheapest(outlook, sure, first or pairs, usd)
    return replace(suggested, open=len(first)) if suggested else None


def matchup_costs(store: Store, tournament: str) -> dict[str, float]:
    """Return what a matchup costs by participant: its own side, and half of the ballots, in USD.

    A side whose calls are not seen counts as the mean of the others, not as free.
    """
    rows = store.rows(_USD, {"name": tournament})
    sides = {row["name"]: row["usd"] for row in rows if sees_calls(row["debater"])}
    usual = sum(sides.values()) / len(sides) if sides else 0.0
    return {row["name"]: 2 * (sides.get(row["name"], usual) + row["judging"] / 2) for row in rows}


def cheapest(
    comparisons: Comparisons,
    sure: Confidence,
    pairs: Iterable[tuple[int, int]],
    usd: Mapping[str, float],
) -> NextDebates | None:
    """Return the pair whose order the fewest dollars, or else matchups, would settle.

    It is settled with a chance of 80 % by so many matchups of the pair itself (`ratings.outlook`).

    Args:
        sure: its ratings, for a fixed sample or for every look.
        pairs: positions of two participants each; those whose order is settled do not count.
        usd: of a matchup, by participant's name; see `matchup_costs`.
    """
    return _cheapest(Outlook(comparisons, sure), sure, pairs, usd)


def _cheapest(
    outlook: Outlook,
    sure: Confidence,
    pairs: Iterable[tuple[int, int]],
    usd: Mapping[str, float],
) -> NextDebates | None:
    names, size = sure.names, len(sure.names)
    wanted = [min(pair) * size + max(pair) for pair in pairs]
    is_wanted = np.isin(outlook.low * size + outlook.high, wanted)
    matchups = np.where(is_wanted, _fewest(outlook), MOST_MATCHUPS + 1)
    each = np.array([usd.get(name, 0.0) for name in names])
    price = matchups * (each[outlook.low] + each[outlook.high])
    price[matchups > MOST_MATCHUPS] = np.inf
    order = np.lexsort((matchups, price))
    if not len(order) or matchups[best := int(order[0])] > MOST_MATCHUPS:
        return None
    place = {k: rank for rank, k in enumerate(sure.placed, start=1)}
    pair = outlook.pair(best)
    first, second = (place.get(names.index(name)) for name in pair)
    return NextDebates(
        pair=pair, ranks=(first, second), matchups=int(matchups[best]), usd=float(price[best])
    )


def _fewest(outlook: Outlook) -> NDArray[np.float64]:
    """Return the fewest matchups that settle each open order with the chance wanted, (N,)."""
    low, high = np.zeros(len(outlook.low)), np.full(len(outlook.low), MOST_MATCHUPS + 1.0)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = outlook.chances_alone(np.maximum(middle, 1)) >= _CHANCE
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return high

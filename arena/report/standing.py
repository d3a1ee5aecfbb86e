"""Where a newcomer stands on a board, and what would tell more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arena.boards.comparisons import compare
from arena.boards.next_debates import NextDebates, cheapest, matchup_costs
from arena.boards.ranks import format_rank_range
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.read.costs import read_costs
from arena.read.selected import Narrowing
from arena.text import counted, format_usd
from ratings import confidence

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: Names that a list shows.
_LISTED = 4
_ALONE = (
    "This holds for the orders of {} alone, at every look; the leaderboard speaks of all pairs at "
    "once, and may leave more of them open."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a newcomer stands on a board: its own orders, which hold at every look.

    Attributes:
        rank_low, rank_high: the best and the worst place that are not ruled out.
        rating, half_width: Elo points.
        above, below: names of those it is settled to be above or below, the best first.
        open: names of those it is not separated from, the nearest in rating first.
        usd: what its debates and their ballots have cost, as far as bills are known.
        usd_most: the same with what is reserved for answers whose bill is not known.
        further: what would probably tell it from one more; `None` where nobody is left, or it
            would take very many.
    """

    name: str
    rank_low: int
    rank_high: int
    participants: int
    rating: float
    half_width: float
    above: tuple[str, ...]
    below: tuple[str, ...]
    open: tuple[str, ...]
    matchups: int
    usd: float
    usd_most: float
    further: NextDebates | None

    def sentences(self) -> list[str]:
        """Say it in sentences."""
        played = counted(self.matchups, "matchup")
        places = format_rank_range(self.rank_low, self.rank_high)
        where = (
            f"{self.name} enters {places} of {self.participants}"
            if self.above or self.below
            else f"After {played}, the place of {self.name} among {self.participants} is still open"
        )
        parts = [
            f"{words} {_list(names)}{note}"
            for words, names, note in (
                ("above", self.above, " (settled)"),
                ("below", self.below, " (settled)"),
                ("not separated from", self.open, ""),
            )
            if names
        ]
        cost = f", {format_usd(self.usd, self.usd_most, digits=2)}" if self.usd_most else ""
        lines = [
            f"{where}, at {self.rating:,.0f} ± {self.half_width:.0f}: {'; '.join(parts)}.",
            f"It has played {played}{cost}.",
        ]
        if self.above or self.below:
            lines.insert(1, _ALONE.format(self.name))
        if self.further is not None:
            lines.append(self.further.sentence)
        return lines


def newcomer_standing(
    store: Store, resolved: ResolvedConfig, name: str, *, bench: str
) -> Standing | None:
    """Return where a newcomer stands; `None` before anything of it is judged."""
    selection = Selection(tournament=resolved.name, bench=bench)
    board = compare(store, selection, scope(resolved)).comparisons
    own = board.names.index(name)
    is_own = (board.first == own) | (board.second == own)
    if not is_own.any():
        return None
    if board.pairing == "fixed" and name not in board.plan.newcomers:
        # the end of its debates follows from results
        board = replace(board, pairing="mixed")
    sure = confidence(board, about=[name])
    spent = read_costs(store, resolved.name, Narrowing(statuses=("finished",), participant=name))
    matchups = board.only(is_own).clusters
    rating, above = sure.ratings.rating, sure.above
    order = np.argsort(-rating, kind="stable")
    rivals = [k for k in order.tolist() if k != own and sure.is_rated[k]]
    unsettled = [k for k in rivals if not above[own, k] and not above[k, own]]
    near = sorted(unsettled, key=lambda k: abs(rating[k] - rating[own]))
    return Standing(
        name=name,
        rank_low=int(sure.rank_low[own]),
        rank_high=int(sure.rank_high[own]),
        participants=1 + len(rivals),
        rating=float(rating[own]),
        half_width=float(sure.upper[own] - sure.lower[own]) / 2,
        above=tuple(board.names[k] for k in rivals if above[own, k]),
        below=tuple(board.names[k] for k in rivals if above[k, own]),
        open=tuple(board.names[k] for k in near),
        matchups=matchups,
        usd=sum((row.usd for row in spent), 0.0),
        usd_most=sum((row.usd_most for row in spent), 0.0),
        further=cheapest(
            board, sure, ((own, k) for k in unsettled), matchup_costs(store, resolved.name)
        ),
    )


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more

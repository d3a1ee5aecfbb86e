"""Where a newcomer stands: its places, whom it is told from, and what more would tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.boards.comparisons import Selection, compare
from arena.boards.rank_text import format_rank_range, ordinal
from arena.boards.selection import scope
from arena.config.resolve import ResolvedConfig
from arena.store.database import Store
from arena.text import counted
from ratings import Comparisons, Confidence, confidence
from ratings.design import matchup_information
from ratings.model.fitting import ELO_PER_GAMMA

_COSTS = """
    WITH own AS (
        SELECT debate_id, cost_usd FROM debates
        WHERE tournament = $tournament AND $participant IN (pro, con) AND status = 'finished'
    )
    SELECT (SELECT coalesce(sum(cost_usd), 0) FROM own)
         + (SELECT coalesce(sum(b.cost_usd), 0) FROM ballots b JOIN own USING (debate_id)) AS usd
"""
#: Names that a list shows.
_LISTED = 4
#: Further matchups above which nobody is asked to go on.
_MOST_FURTHER = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Further:
    """What would probably settle the newcomer's order with one more participant.

    Attributes:
        matchups: how many more; the pair itself is taken to play them.
        usd: what these cost, judging by those so far.
        ranks: of the two, by rating, the better first.
    """

    matchups: int
    usd: float
    ranks: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a newcomer stands on a board, by intervals that hold at every look.

    Attributes:
        rank_low, rank_high: the best and the worst place that are not ruled out.
        participants: of the board.
        rating, half_width: Elo points.
        above, below: names of those it is settled to be above or below, the best first.
        open: names of those it is not told from, the nearest in rating first.
        matchups: that it has played.
        usd: what its debates and their ballots have cost.
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
    further: Further | None

    def sentences(self) -> list[str]:
        """Say it in sentences."""
        places = format_rank_range(self.rank_low, self.rank_high)
        where = f"{self.name} enters {places} of {self.participants}"
        parts = [
            f"{words} {_list(names)}{note}"
            for words, names, note in (
                ("above", self.above, " (settled)"),
                ("below", self.below, " (settled)"),
                ("not told from", self.open, ""),
            )
            if names
        ]
        cost = f", {self.usd:,.2f} USD" if self.usd else ""
        lines = [
            f"{where} at {self.rating:,.0f} ± {self.half_width:.0f}: {'; '.join(parts)}.",
            f"It has played {counted(self.matchups, 'matchup')}{cost}.",
        ]
        if (more := self.further) is not None:
            usd = f" (about {more.usd:,.2f} USD)" if more.usd else ""
            first, second = map(ordinal, more.ranks)
            lines.append(
                f"{counted(more.matchups, 'more matchup')}{usd} would probably settle {first} "
                f"against {second}."
            )
        return lines


def newcomer_standing(
    store: Store, resolved: ResolvedConfig, name: str, *, bench: str
) -> Standing | None:
    """Return where a newcomer stands; `None` before anything of it is judged.

    Args:
        store: holds the tournament.
        resolved: its configuration.
        name: of the newcomer.
        bench: whose verdicts decide.
    """
    selection = Selection(tournament=resolved.name, bench=bench)
    board = compare(store, selection, scope(resolved)).comparisons
    own = board.names.index(name)
    is_own = (board.first == own) | (board.second == own)
    if not is_own.any():
        return None
    sure = confidence(board, anytime=True)
    newcomer = next(p for p in resolved.participants if p.name == name)
    parameters = {"tournament": resolved.name, "participant": newcomer.participant_id}
    usd = float(store.rows(_COSTS, parameters)[0]["usd"])
    matchups = board.only(is_own).clusters
    rating, above = sure.ratings.rating, sure.above
    order = np.argsort(-rating, kind="stable")
    rivals = [k for k in order.tolist() if k != own]
    unsettled = [k for k in rivals if not above[own, k] and not above[k, own]]
    near = sorted(unsettled, key=lambda k: abs(rating[k] - rating[own]))
    return Standing(
        name=name,
        rank_low=int(sure.rank_low[own]),
        rank_high=int(sure.rank_high[own]),
        participants=len(board.names),
        rating=float(rating[own]),
        half_width=float(sure.upper[own] - sure.lower[own]) / 2,
        above=tuple(board.names[k] for k in rivals if above[own, k]),
        below=tuple(board.names[k] for k in rivals if above[k, own]),
        open=tuple(board.names[k] for k in near),
        matchups=matchups,
        usd=usd,
        further=_foresee(board, sure, own, unsettled, usd / matchups),
    )


def _foresee(
    board: Comparisons, sure: Confidence, own: int, open_rivals: Sequence[int], usd: float
) -> Further | None:
    """Return what it takes to settle the order that is nearest to it.

    An interval of a difference must become as narrow as the difference is wide; the information
    that it lacks comes from matchups of the pair.
    """
    information = matchup_information(board, confidence(board))
    rating = sure.ratings.rating
    place = np.argsort(np.argsort(-rating, kind="stable")) + 1
    best: Further | None = None
    for rival in open_rivals:
        gap, half = abs(rating[own] - rating[rival]), sure.difference[own, rival]
        if gap <= 0:
            continue
        # Of the interval's half-width, the part that is the standard error is taken as a third.
        known = (3 * ELO_PER_GAMMA / half) ** 2
        matchups = math.ceil(known * max(0.0, (half / gap) ** 2 - 1) / information) or 1
        if best is None or matchups < best.matchups:
            ranks = tuple(sorted((int(place[own]), int(place[rival]))))
            best = Further(matchups=matchups, usd=matchups * usd, ranks=(ranks[0], ranks[1]))
    return best if best is not None and best.matchups <= _MOST_FURTHER else None


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more

"""Observed results beside ratings, and notes on ratings that the penalty decides."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.model.connectivity import Bridge, Connectivity, connectivity, pair_wins
from ratings.outcomes import CON_WINS, PRO_WINS, TIE

#: Names or groups that a note lists, and notes on bridges.
_LISTED, _BRIDGES = 5, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingNotes:
    """Notes on a board and on its participants, one sentence each.

    Attributes:
        names: K participants.
        board: notes on the whole board.
        participants: K tuples of notes, in the order of `names`; most are empty.
    """

    names: tuple[str, ...]
    board: tuple[str, ...]
    participants: tuple[tuple[str, ...], ...]


def win_rate(comparisons: Comparisons) -> NDArray[np.float64]:
    """Return the observed win rate of each participant, unweighted, a tie as half a win.

    >>> win_rate(Comparisons.of(["a", "b"], ["b", "a"], [1.0, 0.5])).tolist()
    [0.75, 0.25]

    Returns:
        (K,) from 0 to 1; NaN for participants without comparisons.
    """
    wins, ties, losses = tally(comparisons)
    played = wins + ties + losses
    rate = np.full(len(played), np.nan)
    np.divide(wins + ties / 2, played, out=rate, where=played > 0)
    return rate


def tally(comparisons: Comparisons) -> NDArray[np.intp]:
    """Return the wins, ties and losses of each participant, (3, K).

    >>> tally(Comparisons.of(["a", "b"], ["b", "a"], [1.0, 0.5])).tolist()
    [[1, 0], [1, 1], [0, 1]]
    """
    size, times, outcome = len(comparisons.names), comparisons.times, comparisons.decided
    counts = [
        np.bincount(comparisons.first, times * (outcome == as_first), size)
        + np.bincount(comparisons.second, times * (outcome == as_second), size)
        for as_first, as_second in ((PRO_WINS, CON_WINS), (TIE, TIE), (CON_WINS, PRO_WINS))
    ]
    return np.array(counts, dtype=np.intp)


def standing_notes(comparisons: Comparisons) -> StandingNotes:
    """Describe in sentences which ratings rest on the penalty rather than on comparisons."""
    graph = connectivity(comparisons)
    return StandingNotes(
        names=comparisons.names,
        board=_board_notes(comparisons, graph),
        participants=tuple(_participant_notes(name, graph) for name in comparisons.names),
    )


def _board_notes(comparisons: Comparisons, graph: Connectivity) -> tuple[str, ...]:
    notes = []
    if graph.islands:
        listed = "; ".join(map(_list_names, graph.islands[:_LISTED]))
        if (more := len(graph.islands) - _LISTED) > 0:
            listed += f" and {more} more"
        notes.append(
            f"disconnected: ratings compare only within each of these groups: {listed}; matchups "
            "between the groups would link them"
        )
    elif who := _one_sided(comparisons, graph):
        notes.append(f"one-sided: {who}; the prior, which draws ratings together, sets the gap")
    notes += [bridge_note(bridge) for bridge in graph.bridges[:_BRIDGES]]
    if (more := len(graph.bridges) - _BRIDGES) > 0:
        carry = "pair carries" if more == 1 else "pairs carry"
        notes.append(f"{more} more {carry} a comparison alone")
    return tuple(notes)


def _one_sided(comparisons: Comparisons, graph: Connectivity) -> str:
    """Return who never lost or tied to the rest, or never won; '' where there is nobody."""
    names, wins = comparisons.names, pair_wins(comparisons)
    groups = [np.isin(names, group) for group in graph.separated if group[0] not in graph.unplayed]
    if len(groups) < 2:
        return ""
    top = next(group for group in groups if not wins[np.ix_(~group, group)].any())
    bottom = next(group for group in groups if not wins[np.ix_(group, ~group)].any())
    part, did = (
        (top, "lost or tied to") if top.sum() <= bottom.sum() else (bottom, "won or tied against")
    )
    listed = [name for name, is_part in zip(names, part, strict=True) if is_part]
    return f"{_list_names(listed)} never {did} the rest"


def _list_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def bridge_note(bridge: Bridge) -> str:
    """Return the sentence about a bridge."""
    larger, smaller = bridge.pair
    count = "1 comparison" if bridge.comparisons == 1 else f"{bridge.comparisons} comparisons"
    if bridge.cut_off == (smaller,):
        return f"{smaller} is compared with nobody but {larger} ({count})"
    names = ", ".join(bridge.cut_off)
    return f"{names} are compared with the rest by {smaller} against {larger} alone ({count})"


def _participant_notes(name: str, graph: Connectivity) -> tuple[str, ...]:
    notes = {
        "won every comparison: how far ahead is set by the prior": graph.undefeated,
        "lost every comparison: how far behind is set by the prior": graph.winless,
        "not rated: no comparison": graph.unplayed,
    }
    return tuple(note for note, names in notes.items() if name in names)

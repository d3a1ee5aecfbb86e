"""What stands beside the ratings: observed win rates, and notes where ratings say little."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratings.comparisons import Comparisons
from ratings.model.connectivity import Bridge, Connectivity, connectivity
from ratings.outcomes import CON_WINS, PRO_WINS, TIE

_LISTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingNotes:
    """Sentences for a board.

    Attributes:
        names: K participants.
        board: notes on the board as a whole.
        participants: K tuples of notes, in the order of `names`; most are empty.
    """

    names: tuple[str, ...]
    board: tuple[str, ...]
    participants: tuple[tuple[str, ...], ...]


def win_rate(comparisons: Comparisons) -> NDArray[np.float64]:
    """Observe how often each participant won: (K,), ties half, unweighted, NaN where unplayed."""
    size, times = len(comparisons.names), comparisons.times
    won = np.bincount(comparisons.first, times * comparisons.outcome, size)
    won += np.bincount(comparisons.second, times * (1 - comparisons.outcome), size)
    played = np.bincount(comparisons.first, times, size)
    played += np.bincount(comparisons.second, times, size)
    rate = np.full(size, np.nan)
    np.divide(won, played, out=rate, where=played > 0)
    return rate


def tally(comparisons: Comparisons) -> NDArray[np.intp]:
    """Count wins, ties and losses of each participant: (3, K)."""
    size, times, outcome = len(comparisons.names), comparisons.times, comparisons.outcome
    found = [
        np.bincount(comparisons.first, times * (outcome == mine), size)
        + np.bincount(comparisons.second, times * (outcome == theirs), size)
        for mine, theirs in ((PRO_WINS, CON_WINS), (TIE, TIE), (CON_WINS, PRO_WINS))
    ]
    return np.array(found, dtype=np.intp)


def standing_notes(comparisons: Comparisons) -> StandingNotes:
    """Say in words where a rating rests on the penalty rather than on comparisons."""
    found = connectivity(comparisons)
    return StandingNotes(
        names=comparisons.names,
        board=_board_notes(found),
        participants=tuple(_participant_notes(name, found) for name in comparisons.names),
    )


def _board_notes(found: Connectivity) -> tuple[str, ...]:
    notes = []
    played = [group for group in found.components if group[0] not in found.unplayed]
    if len(played) > 1:
        listed = "; ".join(", ".join(group) for group in played)
        notes.append(f"disconnected: ratings compare only within each of these groups: {listed}")
    if found.unplayed:
        notes.append(f"without comparisons: {', '.join(found.unplayed)}")
    if len(played) == 1 and not found.strongly_connected:
        notes.append("one-sided: some never lost or tied to the rest; the penalty sets the gap")
    notes += [bridge_note(one) for one in found.bridges[:_LISTED]]
    if (more := len(found.bridges) - _LISTED) > 0:
        notes.append(f"{more} more pairs carry a comparison alone")
    return tuple(notes)


def bridge_note(found: Bridge) -> str:
    """Say who hangs on which pair."""
    larger, smaller = found.pair
    many = "1 comparison" if found.comparisons == 1 else f"{found.comparisons} comparisons"
    if found.cut_off == (smaller,):
        return f"{smaller} is compared with nobody but {larger} ({many})"
    who = ", ".join(found.cut_off)
    return f"{who} are compared with the rest by {smaller} against {larger} alone ({many})"


def _participant_notes(name: str, found: Connectivity) -> tuple[str, ...]:
    notes = []
    if name in found.undefeated:
        notes.append("won every comparison: how far ahead is set by the penalty")
    if name in found.winless:
        notes.append("lost every comparison: how far behind is set by the penalty")
    if name in found.unplayed:
        notes.append("no comparisons: rated at the mean by the penalty alone")
    return tuple(notes)

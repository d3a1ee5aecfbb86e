"""The tables of `arena plan`: the next wave, and what the target will probably take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arena.console.tables import Column, Table, tabulate
from arena.scheduling.waves import Meeting
from arena.tournament.target_cost import COURSES, TargetCost
from arena.tournament.waves import NextWave


def wave_table(wave: NextWave, names: Mapping[str, str], *, title: str) -> Table:
    """Return the matchups of a wave, with the reason for each.

    Args:
        wave: planned, not played.
        names: of the participants, by id.
        title: stands above the table.
    """
    meetings = wave.wave.meetings
    largest = max((meeting.gain for meeting in meetings), default=0.0) or 1.0
    columns: list[Column[Meeting]] = [
        Column(
            head="matchup",
            read=lambda meeting: " against ".join(names[name] for name in meeting.pair),
            label=True,
            wraps=True,
        ),
        Column(head="why", read=lambda meeting: meeting.reason, left=True, wraps=True),
        Column(
            head="gain",
            read=lambda meeting: meeting.gain / largest,
            style=".2f",
            shown=lambda rows: any(row.gain for row in rows),
        ),
        Column(
            head="USD",
            read=lambda meeting: meeting.usd,
            style=".2f",
            shown=lambda rows: any(row.usd for row in rows),
        ),
    ]
    notes = [] if meetings else ["Nothing further is to be played."]
    if any(meeting.gain for meeting in meetings):
        notes.append("Gain: what the target gains, as a share of the best matchup's.")
    if wave.wave.byes:
        notes.append(f"Not in this wave: {', '.join(names[name] for name in wave.wave.byes)}.")
    return tabulate(columns, meetings, title=title, notes=notes)


def cost_table(costs: Sequence[TargetCost], *, title: str) -> Table:
    """Return what a target takes by each schedule.

    Args:
        costs: simulated.
        title: stands above the table.
    """
    columns: list[Column[TargetCost]] = [
        Column(head="schedule", read=lambda cost: cost.schedule, label=True),
        Column(head="matchups", read=lambda cost: format_range(cost.range(cost.matchups), ".0f")),
        Column(
            head="USD",
            read=lambda cost: format_range(cost.range(cost.usd), ".2f"),
            shown=lambda rows: any(row.usd[row.usd < math.inf].any() for row in rows),
        ),
        Column(head="reached", read=lambda cost: f"{100 * cost.reached:.0f} %"),
    ]
    most = costs[0].most
    notes = [
        f"Median of {COURSES} simulated courses from here, and the range without a tenth at either "
        f"end; a course that has not reached the target after {most} further matchups is given up."
    ]
    return tabulate(columns, costs, title=title, notes=notes)


def format_range(ends: tuple[float, float, float], style: str) -> str:
    """Format a median with its range.

    >>> format_range((12, 20, float("inf")), ".0f"), format_range((float("inf"),) * 3, ".0f")
    ('20 (12 or more)', 'not reached')
    """
    low, middle, high = ends
    if low == math.inf:
        return "not reached"
    if middle == math.inf:
        return f"{low:{style}} or more"
    top = "or more" if high == math.inf else f"to {high:{style}}"
    return f"{middle:{style}} ({low:{style}} {top})"

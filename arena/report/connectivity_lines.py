"""Whom the comparisons of a board connect and separate, in lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.boards.ranks import format_names
from arena.text import counted
from ratings.diagnostics.standing import bridge_note

if TYPE_CHECKING:
    from ratings import Connectivity

#: Pairs and groups that a line names.
_SHOWN = 8


def link_lines(connectivity: Connectivity, *, penalty: float | None) -> list[str]:
    """Return a report on the graph of the comparisons, a line for each question.

    Args:
        penalty: standard deviation of the ratings' prior, Elo points; None without one.
    """
    bridges = [bridge_note(bridge) for bridge in connectivity.bridges[:_SHOWN]]
    if (more := len(connectivity.bridges) - _SHOWN) > 0:
        bridges.append(f"{more} more")
    separated = _format_groups(
        connectivity.separated, single="all participants, so nobody is separated"
    )
    return [
        "Connected by debates: "
        f"{_format_groups(connectivity.components, single='all participants')}.",
        f"Won every debate: {_format_names(connectivity.undefeated)}.",
        f"Lost every debate: {_format_names(connectivity.winless)}.",
        f"Without debates: {_format_names(connectivity.unplayed)}.",
        f"Connected by wins or ties in both directions: {separated}"
        f"{'' if connectivity.strongly_connected else '; between groups the prior sets the gap'}.",
        f"Pairs on which a comparison depends alone: {'; '.join(bridges) or 'none'}.",
        "There is no prior."
        if penalty is None
        else f"The prior draws ratings together; its standard deviation: {penalty:.0f} Elo points.",
    ]


def _format_groups(groups: Sequence[Sequence[str]], *, single: str) -> str:
    """List groups of names; `single` is the text where there is only one group."""
    if len(groups) == 1:
        return single
    shown = " | ".join(format_names(group) for group in groups[:_SHOWN])
    more = f" and {len(groups) - _SHOWN} more" if len(groups) > _SHOWN else ""
    return f"{counted(len(groups), 'group')}: {shown}{more}"


def _format_names(names: Sequence[str]) -> str:
    return format_names(names) or "nobody"

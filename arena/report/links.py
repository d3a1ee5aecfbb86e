"""Who is compared with whom: what a board's ratings can and cannot be compared by."""

from __future__ import annotations

from collections.abc import Sequence

from arena.boards.rank_text import few
from arena.text import counted
from ratings import Connectivity
from ratings.diagnostics.standing import bridge_note

_SHOWN = 8


def link_lines(found: Connectivity, *, penalty: float) -> list[str]:
    """Write a report, a line for each question.

    Args:
        found: the comparisons' graph.
        penalty: standard deviation of the ratings' prior, Elo points.
    """
    bridges = [bridge_note(one) for one in found.bridges[:_SHOWN]]
    if (more := len(found.bridges) - _SHOWN) > 0:
        bridges.append(f"{more} more")
    return [
        f"Linked by debates: {_groups(found.components, one='all with all')}.",
        f"Won every debate: {_nobody(found.undefeated)}.",
        f"Lost every debate: {_nobody(found.winless)}.",
        f"Without debates: {_nobody(found.unplayed)}.",
        f"Beaten or tied both ways: {_groups(found.separated, one='all, so nobody is separated')}"
        f"{'' if found.strongly_connected else '; between groups the prior sets the gap'}.",
        f"Pairs that carry a comparison alone: {'; '.join(bridges) or 'none'}.",
        f"Prior: a standard deviation of {penalty:.0f} Elo points.",
    ]


def _groups(groups: Sequence[Sequence[str]], *, one: str) -> str:
    """Groups of names; `one` says it where there is but one."""
    if len(groups) == 1:
        return one
    shown = " | ".join(few(group) for group in groups[:_SHOWN])
    more = f" and {len(groups) - _SHOWN} more" if len(groups) > _SHOWN else ""
    return f"{counted(len(groups), 'group')}: {shown}{more}"


def _nobody(names: Sequence[str]) -> str:
    return few(names) or "nobody"

"""What several votes on one debate come to: the score of each side, and the majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from arena.boards.comparisons import FULL_SCORE


def scores(outcomes: Sequence[float]) -> tuple[float, float]:
    """The scores of both sides, 0 to 3: sums of their outcomes, and 3 × the mean over more.

    >>> scores([1.0, 0.5, 1.0])
    (2.5, 0.5)
    """
    won = sum(outcomes)
    scale = FULL_SCORE / len(outcomes) if len(outcomes) > FULL_SCORE else 1.0
    return won * scale, (len(outcomes) - won) * scale


def majority(outcomes: Sequence[float]) -> float | None:
    """What more than half have chosen; `None` where nothing was.

    >>> majority([1.0, 0.5, 1.0]), majority([1.0, 0.5, 0.0])
    (1.0, None)
    """
    ((most, votes),) = Counter(outcomes).most_common(1)
    return most if 2 * votes > len(outcomes) else None


def votes_said(outcomes: Sequence[float], winners: Mapping[float, str]) -> str:
    """What several votes come to, in words; '' where there are fewer than two.

    >>> votes_said([1.0, 0.5, 1.0], {1.0: "Pro", 0.5: "tie", 0.0: "Con"})
    '3 votes, 2.5 : 0.5, majority: Pro'

    Args:
        outcomes: of the votes.
        winners: what each outcome is called.
    """
    if len(outcomes) < 2:
        return ""
    pro, con = scores(outcomes)
    most = majority(outcomes)
    told = "no majority" if most is None else f"majority: {winners[most]}"
    return f"{len(outcomes)} votes, {pro:.3g} : {con:.3g}, {told}"

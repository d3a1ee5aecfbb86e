"""The votes of people on one debate, counted: its score, and the majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from arena.text import counted

#: The highest score, and the number of runs up to which a score is a sum.
FULL_SCORE = 3
#: The range of a voter's confidence: 1 (a guess) to 5 (certain).
CONFIDENCE = (1, 5)


def scores(outcomes: Sequence[float]) -> tuple[float, float]:
    """Return the scores of Pro and Con, from 0 to 3.

    The score is the sum of the outcomes; of more than three votes, 3 × their mean.

    >>> scores([1.0, 0.5, 1.0])
    (2.5, 0.5)
    """
    won = sum(outcomes)
    scale = FULL_SCORE / len(outcomes) if len(outcomes) > FULL_SCORE else 1.0
    return won * scale, (len(outcomes) - won) * scale


def majority(outcomes: Sequence[float]) -> float | None:
    """Return the outcome that more than half of the votes have; `None` where there is none.

    >>> majority([1.0, 0.5, 1.0]), majority([1.0, 0.5, 0.0])
    (1.0, None)
    """
    ((most, votes),) = Counter(outcomes).most_common(1)
    return most if 2 * votes > len(outcomes) else None


def format_votes(outcomes: Sequence[float], winners: Mapping[float, str]) -> str:
    """Format the scores and the majority of several votes; '' where there are fewer than two.

    >>> format_votes([1.0, 0.5, 1.0], {1.0: "Pro", 0.5: "tie", 0.0: "Con"})
    '3 votes, 2.5 : 0.5, majority: Pro'
    """
    if len(outcomes) < 2:
        return ""
    pro, con = scores(outcomes)
    most = majority(outcomes)
    verdict = "no majority" if most is None else f"majority: {winners[most]}"
    return f"{counted(len(outcomes), 'vote')}, {pro:.3g} : {con:.3g}, {verdict}"

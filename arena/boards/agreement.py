"""How far the ballots of a bench on one debate agree: what it sees as it would see it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pandas as pd

from arena.text import counted, format_percent

#: With fewer debates that have two ballots, their agreement is hardly known.
_FEWEST: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAgreement:
    """The agreement of ballots of one bench on one debate.

    Attributes:
        share: of pairs of ballots that give the same verdict, the mean over debates.
        debates: number of debates with two ballots or more, per bench.
    """

    share: float
    debates: int


def measure_agreement(debates: pd.DataFrame) -> RunAgreement | None:
    """Measure how far ballots agree; None with fewer than 20 debates that have two.

    >>> one = {"votes_for_pro": 3, "votes_for_con": 1, "counted": 4}
    >>> measure_agreement(pd.DataFrame([one] * 20))
    RunAgreement(share=0.5, debates=20)

    Args:
        debates: a row for each and bench: votes_for_pro, votes_for_con and counted, all its
            ballots.
    """
    several = debates[debates["counted"] > 1]
    if len(several) < _FEWEST:
        return None
    won, lost, ballots = (
        several[name].astype(float) for name in ("votes_for_pro", "votes_for_con", "counted")
    )
    tied = ballots - won - lost
    same = sum(votes * (votes - 1) for votes in (won, tied, lost))
    share = float((same / (ballots * (ballots - 1))).mean())
    return RunAgreement(share=share, debates=len(several))


def agreement_notes(agreement: RunAgreement | None) -> Iterator[str]:
    """Yield that ratings are of what judges see, with how far these see the same twice."""
    if agreement is not None:
        yield (
            "ratings are of what these judges see, and noisy verdicts draw them together: two "
            f"ballots of a bench on one debate agree in {format_percent(agreement.share)} of cases "
            f"({counted(agreement.debates, 'debate')})"
        )

"""Benches whose ballots count one by one (`count = "ballots"`), and the note that says so."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

import ratings  # what counts ballots is loaded where some are counted: most boards need no SciPy
from arena.records import Bench
from ratings import Comparisons

_NOTE: Final = (
    "ballots count one by one: ratings are fitted to each debate's share of ballots, weighted by "
    "how far the ballots on one debate repeat each other; won-tied-lost are debates"
)


def count_by_ballot(
    comparisons: Comparisons, rows: pd.DataFrame, benches: Collection[str]
) -> Comparisons:
    """Return comparisons in which the debates of some benches count by their ballots.

    Args:
        comparisons: of N debates, each decided by the sum of its ballots.
        rows: of the same debates, with the columns bench, votes_for_pro, votes_for_con, counted.
        benches: the names of the benches whose ballots count.
    """
    outcome, weight = comparisons.outcome.copy(), comparisons.weight.copy()
    for bench in benches:
        own = np.flatnonzero(rows["bench"] == bench)
        if own.size:
            votes = rows.iloc[own][["votes_for_pro", "votes_for_con", "counted"]]
            pro, con, counted = votes.to_numpy(dtype=np.intp).T
            ballots = ratings.BallotCounts(first=pro, tied=counted - pro - con, second=con)
            by_ballot = ratings.count_ballots(comparisons.only(own), ballots)
            outcome[own], weight[own] = by_ballot.outcome, by_ballot.weight
    return replace(comparisons, outcome=outcome, weight=weight, shares=True)


def ballot_notes(benches: Iterable[Bench], selected: str, without: Collection[str]) -> list[str]:
    """Return the note of a board on benches whose ballots count; none where there is none.

    Args:
        selected: the bench of the board, or `all`.
        without: the names of those that are left out.
    """
    kept = [
        bench.name
        for bench in benches
        if bench.count == "ballots"
        and selected in ("all", bench.name)
        and bench.name not in without
    ]
    if not kept:
        return []
    return [f"{', '.join(kept)}: {_NOTE}" if selected == "all" else _NOTE]

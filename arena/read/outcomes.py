"""The outcomes of stored ballots as a frame, for figures of all of a tournament's ballots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.boards.selection import Selection
from arena.read.selected import ALL, BALLOTS, OF_BENCH, SELECTED, Narrowing, parameters
from arena.store.database import Store

if TYPE_CHECKING:
    import pandas as pd

_VERDICTS: Final = f"""
    FROM selected JOIN ballots b USING (debate_id) JOIN ballot_scores s USING (ballot_id)
    WHERE {OF_BENCH}
"""
_OUTCOMES: Final = f"""{SELECTED}
    SELECT b.debate_id, b.bench, b.run, s.outcome, pro_debater, con_debater
    {_VERDICTS} AND b.status = 'valid' AND s.dimension = $dimension
    ORDER BY b.debate_id, b.bench, b.run
"""
_DIVISION: Final = f"""{SELECTED}
    SELECT b.debate_id,
           count(*) FILTER (s.dimension = $dimension) AS ballots,
           count(*) FILTER (s.dimension = $dimension AND s.outcome = 1) AS pro_votes,
           count(*) FILTER (s.dimension = $dimension AND s.outcome = 0) AS con_votes,
           coalesce(var_pop(s.outcome) FILTER (s.dimension = $dimension), 0) AS division,
           coalesce(var_pop(s.outcome), 0) AS division_by_dimension
    {_VERDICTS} AND b.status = 'valid' GROUP BY b.debate_id
"""
_DIMENSIONS: Final = f"{SELECTED} SELECT DISTINCT s.dimension {_VERDICTS} ORDER BY s.dimension"


def read_outcomes(store: Store, selection: Selection, narrowing: Narrowing = ALL) -> pd.DataFrame:
    """Read the outcomes of the valid ballots on a selection's dimension.

    Columns: debate_id, bench, run, outcome (Pro's), pro_debater, con_debater.
    """
    asked = parameters(selection, narrowing, *BALLOTS, "dimension")
    return store.read(_OUTCOMES, asked)


def read_division(store: Store, selection: Selection, narrowing: Narrowing = ALL) -> pd.DataFrame:
    """Read how far the valid ballots on each debate are divided.

    Columns: debate_id; on the selected dimension ballots, pro_votes, con_votes, and division (the
    variance of the outcomes); division_by_dimension (that of the outcomes on all dimensions).
    """
    asked = parameters(selection, narrowing, *BALLOTS, "dimension")
    return store.read(_DIVISION, asked)


def judged_dimensions(store: Store, selection: Selection, narrowing: Narrowing = ALL) -> list[str]:
    """Return the dimensions on which a selection's ballots have verdicts."""
    rows = store.plain_rows(_DIMENSIONS, parameters(selection, narrowing, *BALLOTS))
    return [row["dimension"] for row in rows]

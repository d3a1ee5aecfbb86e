"""Stored ballots as records, each with its verdicts."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Annotated, Final

from arena.boards.selection import Selection
from arena.read.heading import Heading
from arena.read.selected import ALL, BALLOTS, IN_ORDER, OF_BENCH, SELECTED, Narrowing, parameters
from arena.records import BallotStatus, Step, Verdict
from arena.store.database import Store


def _format_verdict(ballot: BallotRow) -> str:
    return ", ".join(f"{each.dimension} {each.outcome:g}" for each in ballot.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRow:
    """A stored ballot: one bench run, or one voter, on one debate.

    Attributes:
        voter: the name of the person or of an imported judge; '' of a model.
        swapped: whether a pair of answers was judged in both orders.
        confidence: a voter's, from 1 to 5; None where there is none.
        weight: of an imported battle; None where it follows from the scores.
        seconds: that judging took.
        verdicts: on each dimension, `overall` last; their marks are None where there are none.
        trace: the steps that led to them.
    """

    ballot_id: str
    debate_id: Annotated[str, Heading("debate", style=lambda text: text[:8])]
    bench: Annotated[str, Heading("bench")]
    run: Annotated[int, Heading("run", style=lambda run: str(run + 1))]
    status: Annotated[BallotStatus, Heading("status")]
    reason: str
    traceback: str
    voter: Annotated[str, Heading("voter")]
    swapped: bool
    confidence: float | None
    weight: float | None
    rationale: str
    seconds: Annotated[float, Heading("seconds", ".1f")]
    cost_usd: Annotated[float, Heading("USD", ".4f")]
    trace: tuple[Step, ...]
    verdicts: Annotated[tuple[Verdict, ...], Heading("outcomes of Pro", str, _format_verdict)]

    def verdict(self, dimension: str = "overall") -> Verdict | None:
        """Return the verdict on a dimension; None where there is none."""
        return next((each for each in self.verdicts if each.dimension == dimension), None)


_STORED: Final = ", ".join(
    f'b."{field.name}"' for field in fields(BallotRow) if field.name != "verdicts"
)
_VERDICT: Final = ", ".join(f"'{field.name}': {field.name}" for field in fields(Verdict))
_BALLOTS: Final = f"""{SELECTED}, asked AS (
        SELECT {_STORED}, motion_id, language, matchup_id, leg
        FROM ballots b JOIN selected USING (debate_id)
        WHERE {OF_BENCH} AND (len($kinds) = 0 OR list_contains($kinds, b.status))
    ), judged AS (
        SELECT ballot_id, list({{{_VERDICT}}} ORDER BY dimension = 'overall', dimension) AS verdicts
        FROM ballot_scores WHERE ballot_id IN (SELECT ballot_id FROM asked) GROUP BY ballot_id
    )
    SELECT asked.* EXCLUDE (motion_id, language, matchup_id, leg), verdicts
    FROM asked LEFT JOIN judged USING (ballot_id)
    ORDER BY {IN_ORDER}, bench, run, ballot_id
"""


def read_ballots(
    store: Store,
    selection: Selection,
    narrowing: Narrowing = ALL,
    *,
    kinds: Collection[BallotStatus] = (),
) -> list[BallotRow]:
    """Read the ballots of a selection's benches on its debates, in the order of the debates.

    Args:
        kinds: the statuses of those that are read; empty for all.
    """
    asked = parameters(selection, narrowing, *BALLOTS)
    rows = store.plain_rows(_BALLOTS, asked | {"kinds": list(kinds)})
    for row in rows:
        row["trace"] = tuple(json.loads(row["trace"]))
        row["verdicts"] = tuple(Verdict(**verdict) for verdict in row["verdicts"] or ())
    return [BallotRow(**row) for row in rows]

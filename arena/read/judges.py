"""The benches of a tournament as records: what they are, and what their ballots came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from arena.boards.participation import MEASURED_BALLOTS
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.read.heading import Heading
from arena.read.selected import ALL, BALLOTS, OF_BENCH, SELECTED, Narrowing, parameters
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """A bench of a tournament.

    Attributes:
        judge: its method.
        runs: planned ballots per debate.
        valid, failed, errors: numbers of its ballots.
        pro, ties, con: how many valid ballots are for each on the selected dimension.
        seconds: the mean of its valid ballots.
        usd_per_ballot: the mean of its valid ballots, as far as bills are known.
        cost_usd: of all its ballots, answers that were lost at their worst case.
    """

    bench: Annotated[str, Heading("bench")]
    judge: Annotated[str, Heading("judge")]
    model: Annotated[str, Heading("model")]
    runs: Annotated[int, Heading("runs", ",")]
    valid: Annotated[int, Heading("ballots", ",")]
    failed: Annotated[int, Heading("failed", ",")]
    errors: Annotated[int, Heading("errors", ",")]
    pro: Annotated[int, Heading("for Pro", ",")]
    ties: Annotated[int, Heading("tied", ",")]
    con: Annotated[int, Heading("for Con", ",")]
    seconds: Annotated[float, Heading("seconds/ballot", ".1f")]
    usd_per_ballot: float
    cost_usd: Annotated[float, Heading("USD", ".4f")]


_JUDGES: Final = f"""{SELECTED}
    SELECT b.bench, count(*) FILTER (b.status = 'valid') AS valid,
           count(*) FILTER (b.status = 'failed') AS failed,
           count(*) FILTER (b.status = 'error') AS errors,
           count(*) FILTER (b.status = 'valid' AND outcome = 1) AS pro,
           count(*) FILTER (b.status = 'valid' AND outcome = 0.5) AS ties,
           count(*) FILTER (b.status = 'valid' AND outcome = 0) AS con,
           coalesce(avg(b.seconds) FILTER (b.status = 'valid'), 0) AS seconds,
           coalesce(avg(b.usd) FILTER (b.status = 'valid'), 0) AS usd_per_ballot,
           sum(b.cost_usd) AS cost_usd
    FROM {MEASURED_BALLOTS} b JOIN selected USING (debate_id)
    LEFT JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = $dimension
    WHERE {OF_BENCH} GROUP BY b.bench
"""
_NONE: Final[dict[str, Any]] = {
    **dict.fromkeys(("valid", "failed", "errors", "pro", "ties", "con"), 0),
    **dict.fromkeys(("seconds", "usd_per_ballot", "cost_usd"), 0.0),
}


def read_judges(
    store: Store, resolved: ResolvedConfig, selection: Selection, narrowing: Narrowing = ALL
) -> list[JudgeRow]:
    """Read the selected benches, in the order of the configuration."""
    asked = parameters(selection, narrowing, "dimension", *BALLOTS)
    counts = {row["bench"]: row for row in store.plain_rows(_JUDGES, asked)}
    return [
        JudgeRow(
            judge=bench.judge,
            model=bench.model,
            runs=bench.runs,
            **{"bench": bench.name} | _NONE | counts.get(bench.name, {}),
        )
        for bench in resolved.benches
        if selection.bench in ("all", bench.name) and bench.name not in selection.without
    ]

"""How far the judges agree: benches with each other, and the runs of each bench."""

from __future__ import annotations

from dataclasses import dataclass

from arena.boards.comparisons import compared_debates
from arena.boards.selecting import dimensions, scope
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.report.bench_comparison import compare_benches
from arena.report.consistency import Consistency, between, within
from arena.store.database import Store

_BALLOTS = """
    SELECT b.debate_id, b.bench, b.run, s.outcome
    FROM ballots b JOIN ballot_scores s USING (ballot_id) JOIN debates d USING (debate_id)
    WHERE d.tournament = $name AND b.status = 'valid' AND s.dimension = $dimension
      AND d.status = 'finished'
    ORDER BY b.debate_id, b.bench, b.run
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement of a tournament's judges.

    Attributes:
        rows: one for each two benches and for the runs of each bench that have judged together.
        correlations: how alike every two benches order the participants, a sentence each.
        sentence: the answer to whether the judges agree.
    """

    rows: tuple[Consistency, ...]
    correlations: tuple[str, ...]
    sentence: str


def judges_agreement(store: Store, resolved: ResolvedConfig, selection: Selection) -> Agreement:
    """Measure how far the judges agree on the main dimension.

    Args:
        store: holds the ballots.
        resolved: the tournament.
        selection: of the main board.
    """
    benches = [bench.name for bench in resolved.benches if selection.dimension in dimensions(bench)]
    everybody = Selection(
        tournament=selection.tournament, bench="all", dimension=selection.dimension
    )
    verdicts = compared_debates(store, everybody, scope(resolved))
    parameters = {"name": resolved.name, "dimension": selection.dimension}
    ballots = store.read(_BALLOTS, parameters)
    compared = [*between(verdicts, benches), *within(ballots, benches)]
    rows = tuple(row for row in compared if row.debates)
    correlations = tuple(compare_benches(store, resolved, selection).sentences)
    return Agreement(rows=rows, correlations=correlations, sentence=_format_answer(rows))


def _format_answer(rows: tuple[Consistency, ...]) -> str:
    if not rows:
        return "No debate was judged twice, so that is not known."
    weakest = min(rows, key=lambda row: row.strict or 0.0)
    start = "Least alike are the verdicts of" if len(rows) > 1 else "Known are only the verdicts of"
    return (
        f"{start} {weakest.judges}: {100 * (weakest.strict or 0.0):.0f} % of pairs give the same "
        f"result, and {100 * (weakest.lenient or 0.0):.0f} % where a tie agrees with everything."
    )

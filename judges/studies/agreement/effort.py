"""The table of what the runs of each bench cost and tell."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.boards.judge_effort import JudgeEffort, format_effort
from arena.console.tables import Table
from judges.studies.agreement.bench_agreement import PairAgreement
from judges.studies.cells import format_number

_NOTE = (
    "ICC: correlation of two runs on a debate, beyond what strengths and side explain. Cheapest: "
    "runs per debate with the lowest cost for a given precision of mean verdicts. A board uses all "
    'of that precision where each ballot counts (count = "ballots" in the section of the bench); '
    "by default it counts the winner of each debate, which many runs change less: docs/judges.md."
)


def effort_table(benches: Sequence[JudgeEffort], pairs: Sequence[PairAgreement]) -> Table:
    """Lay out a row per bench, with a sentence of advice for each.

    Args:
        benches: measured.
        pairs: the agreement of every two benches.
    """
    head = ("bench", "runs", "USD a debate", "USD a run", "ICC", "equal to others, %", "cheapest")
    return Table(
        title="Runs per debate that are worth their price",
        head=head,
        rows=tuple(_row(bench, pairs) for bench in benches),
        notes=(*map(format_effort, benches), _NOTE),
    )


def _row(bench: JudgeEffort, pairs: Sequence[PairAgreement]) -> tuple[str, ...]:
    return (
        bench.bench,
        f"{bench.runs:,}",
        f"{bench.debate_usd:,.4f}",
        f"{bench.run_usd:,.4f}",
        format_number(bench.icc if bench.is_measured else math.nan, ".2f"),
        format_number(100 * mean_agreement(bench.bench, pairs), ".0f"),
        "-" if bench.cheapest is None else f"{bench.cheapest}",
    )


def mean_agreement(bench: str, pairs: Sequence[PairAgreement]) -> float:
    """Return the share of a bench's verdicts that equal another bench's; NaN without another."""
    own = [pair for pair in pairs if bench in (pair.first, pair.second) and pair.debates]
    debates = sum(pair.debates for pair in own)
    if not debates:
        return math.nan
    return sum(pair.debates * pair.strict.value for pair in own) / debates

"""What each bench's ballots and runs cost and tell, and how many ballots fail."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from arena.boards.judge_effort import JudgeEffort, format_effort
from arena.output.tables import Column, Table, tabulate
from arena.read.heading import Heading
from arena.text import counted
from judges.studies.agreement.bench_agreement import PairAgreement
from judges.studies.agreement.material import Material
from judges.studies.tables import format_number, tabulate_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotCosts:
    """The ballots of one bench and their cost.

    Attributes:
        model: its model; '' where it asks none.
        debates: number of debates of which it has all ballots.
        errors: number of ballots that ended in an error of the judge's code.
        failure_rate: share of all attempts that failed, those that were repeated since included;
            NaN of no attempts.
        calls, input_tokens, output_tokens, usd, seconds: per valid ballot, failed attempts
            included; NaN of no ballots.
    """

    bench: Annotated[str, Heading("bench")]
    judge: Annotated[str, Heading("judge")]
    model: str
    debates: Annotated[int, Heading("debates", ",")]
    ballots: Annotated[int, Heading("ballots", ",")]
    failed: Annotated[int, Heading("failed", ",")]
    errors: int
    failure_rate: Annotated[
        float, Heading("% of attempts", ".1f", read=lambda bench: 100 * bench.failure_rate)
    ]
    calls: Annotated[float, Heading("calls", ",.1f")]
    input_tokens: Annotated[float, Heading("tokens in", ",.0f")]
    output_tokens: Annotated[float, Heading("tokens out", ",.0f")]
    usd: Annotated[float, Heading("USD", ".4f")]
    seconds: Annotated[float, Heading("seconds", ".1f")]


def measure_costs(material: Material) -> Iterator[BallotCosts]:
    """Yield the costs of every bench, in the order of the configuration."""
    for bench in material.benches:
        ballots = material.ballots[material.ballots["bench"] == bench.name]
        calls = material.calls[material.calls["bench"] == bench.name]
        valid = int((ballots["status"] == "valid").sum())
        attempts = int(ballots["asked"].sum())
        yield BallotCosts(
            bench=bench.name,
            judge=bench.judge,
            model=bench.model,
            debates=len(material.verdicts_of(bench)),
            ballots=valid,
            failed=int((ballots["status"] == "failed").sum()),
            errors=int((ballots["status"] == "error").sum()),
            failure_rate=_divide(attempts - valid, attempts),
            calls=_divide(calls["calls"].sum(), valid),
            input_tokens=_divide(calls["input_tokens"].sum(), valid),
            output_tokens=_divide(calls["output_tokens"].sum(), valid),
            usd=_divide(ballots["usd"].sum(), valid),
            seconds=_divide(ballots["seconds"].sum(), valid),
        )


def costs_table(benches: Sequence[BallotCosts]) -> Table:
    """Lay out a row per bench."""
    return tabulate_fields(
        benches,
        title="Ballots",
        labels=2,
        notes=(
            "Calls, tokens, USD and seconds are per valid ballot, failed attempts included. `arena "
            "resume` retries failed ballots.",
            *(
                f"{counted(bench.errors, 'ballot')} of {bench.bench} ended in an error of the "
                f"judge's code and {'is' if bench.errors == 1 else 'are'} left out here; `arena "
                f"resume` takes {'it' if bench.errors == 1 else 'them'} again."
                for bench in benches
                if bench.errors
            ),
        ),
    )


def _divide(total: float, count: int) -> float:
    return float(total) / count if count else float("nan")


_NOTE = (
    "ICC: correlation of two runs on a debate, beyond what strengths and side explain. Cheapest: "
    "runs per debate with the lowest cost for a given precision of mean verdicts. A board uses all "
    'of that precision where each ballot counts (count = "ballots" in the section of the bench); '
    "by default it counts the winner of each debate, which many runs change less: docs/judges.md."
)


def effort_table(benches: Sequence[JudgeEffort], pairs: Sequence[PairAgreement]) -> Table:
    """Lay out a row per bench, with a sentence of advice for each."""
    columns: list[Column[JudgeEffort]] = [
        Column(head="bench", read=lambda bench: bench.bench, label=True),
        Column(head="runs", read=lambda bench: bench.runs, style=","),
        Column(head="USD a debate", read=lambda bench: bench.debate_usd, style=",.4f"),
        Column(head="USD a run", read=lambda bench: bench.run_usd, style=",.4f"),
        Column(
            head="ICC",
            read=lambda bench: format_number(bench.icc if bench.is_measured else math.nan, ".2f"),
        ),
        Column(
            head="equal to others, %",
            read=lambda bench: format_number(100 * mean_agreement(bench.bench, pairs), ".0f"),
        ),
        Column(head="cheapest", read=lambda bench: bench.cheapest or "-"),
    ]
    return tabulate(
        columns,
        benches,
        title="Runs per debate that are worth their price",
        notes=(*map(format_effort, benches), _NOTE),
    )


def mean_agreement(bench: str, pairs: Sequence[PairAgreement]) -> float:
    """Return the share of a bench's verdicts that equal another bench's; NaN without another."""
    own = [pair for pair in pairs if bench in (pair.first, pair.second) and pair.debates]
    debates = sum(pair.debates for pair in own)
    if not debates:
        return math.nan
    return sum(pair.debates * pair.strict.value for pair in own) / debates

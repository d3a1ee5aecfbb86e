"""The cost of each bench's ballots, and how many of them fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.console.tables import Table
from arena.text import counted
from judges.studies.agreement.material import Material
from judges.studies.cells import format_number


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotCosts:
    """The ballots of one bench and their cost.

    Attributes:
        judge: its method.
        model: its model; '' where it asks none.
        debates: number of debates of which it has all ballots.
        ballots: number of valid ballots.
        failed: number of ballots that are failed now.
        errors: number of ballots that ended in an error of the judge's code.
        failure_rate: share of all attempts that failed, those that were repeated since included;
            NaN of no attempts.
        calls, input_tokens, output_tokens, usd, seconds: per valid ballot, failed attempts
            included; NaN of no ballots.
    """

    bench: str
    judge: str
    model: str
    debates: int
    ballots: int
    failed: int
    errors: int
    failure_rate: float
    calls: float
    input_tokens: float
    output_tokens: float
    usd: float
    seconds: float


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
    head = ("bench", "judge", "debates", "ballots", "failed", "% of attempts", "calls", "tokens in",
            "tokens out", "USD", "seconds")  # fmt: skip
    note = (
        "Calls, tokens, USD and seconds are per valid ballot, failed attempts included. `arena "
        "resume` retries failed ballots."
    )
    notes = [note, *filter(None, map(_format_errors, benches))]
    return Table(
        title="Ballots", head=head, rows=tuple(map(_row, benches)), labels=2, notes=tuple(notes)
    )


def _format_errors(bench: BallotCosts) -> str:
    if not bench.errors:
        return ""
    ballots = counted(bench.errors, "ballot")
    return (
        f"{ballots} of {bench.bench} ended in an error of the judge's code and "
        f"{'is' if bench.errors == 1 else 'are'} left out here; `arena resume` takes "
        f"{'it' if bench.errors == 1 else 'them'} again."
    )


def _row(bench: BallotCosts) -> tuple[str, ...]:
    return (
        bench.bench,
        bench.judge,
        f"{bench.debates:,}",
        f"{bench.ballots:,}",
        f"{bench.failed:,}",
        format_number(100 * bench.failure_rate, ".1f"),
        format_number(bench.calls, ",.1f"),
        format_number(bench.input_tokens, ",.0f"),
        format_number(bench.output_tokens, ",.0f"),
        format_number(bench.usd, ".4f"),
        format_number(bench.seconds, ".1f"),
    )


def _divide(total: float, count: int) -> float:
    return float(total) / count if count else float("nan")

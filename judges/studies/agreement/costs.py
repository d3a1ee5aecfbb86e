"""What a bench's ballots cost, and how often they fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judges.studies.agreement.material import Material


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """The ballots of one bench.

    Attributes:
        judge: its method.
        model: its model; '' where it asks none.
        debates: that it has judged in full.
        ballots: valid ones.
        failed: ballots that are failed now.
        failure_rate: share of all askings that failed, those that were asked again included; NaN
            of no askings.
        calls, input_tokens, output_tokens, usd, seconds: per valid ballot, failed askings
            included; NaN of no ballots.
    """

    bench: str
    judge: str
    model: str
    debates: int
    ballots: int
    failed: int
    failure_rate: float
    calls: float
    input_tokens: float
    output_tokens: float
    usd: float
    seconds: float


def upkeep(material: Material) -> Iterator[Upkeep]:
    """Every bench, in its order."""
    for bench in material.benches:
        taken = material.ballots[material.ballots["bench"] == bench.name]
        calls = material.calls[material.calls["bench"] == bench.name]
        valid = int((taken["status"] == "valid").sum())
        askings = int(taken["asked"].sum())
        yield Upkeep(
            bench=bench.name,
            judge=bench.judge,
            model=bench.model,
            debates=len(material.of(bench)),
            ballots=valid,
            failed=len(taken) - valid,
            failure_rate=_per(askings - valid, askings),
            calls=_per(calls["calls"].sum(), valid),
            input_tokens=_per(calls["input_tokens"].sum(), valid),
            output_tokens=_per(calls["output_tokens"].sum(), valid),
            usd=_per(taken["cost_usd"].sum(), valid),
            seconds=_per(taken["seconds"].sum(), valid),
        )


def _per(total: float, count: int) -> float:
    return float(total) / count if count else float("nan")

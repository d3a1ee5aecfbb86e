"""The seats of juries: how often each member was asked, and agreed with the jury's verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.config.resolve import ResolvedConfig
from arena.console.tables import Column, Table, tabulate
from arena.store.database import Store

_TRACES = """
    SELECT b.bench, b.trace, s.outcome
    FROM ballots b JOIN debates d USING (debate_id)
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = 'overall'
    WHERE d.tournament = $name AND b.status = 'valid' AND list_contains($benches, b.bench)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatUse:
    """One member of a jury.

    Attributes:
        number: of the seat, from 1.
        judge: its method.
        model: its model; '' where it asks none.
        ballots: of the jury, in which the member has a place.
        asked: of these, those on which it gave an opinion.
        agreed: the share of its opinions with the jury's outcome; NaN without one.
        pro: the share of its opinions for Pro, ties as half; NaN without one.
        alone: the share of its opinions against a verdict on which all others agreed; NaN
            without one.
    """

    bench: str
    number: int
    judge: str
    model: str
    ballots: int
    asked: int
    agreed: float
    pro: float
    alone: float


def measure_seats(store: Store, resolved: ResolvedConfig) -> Iterator[SeatUse]:
    """Yield the members of all juries of a tournament, bench by bench and seat by seat."""
    juries = [bench.name for bench in resolved.benches if bench.judge == "jury"]
    if not juries:
        return
    rows = store.rows(_TRACES, {"name": resolved.name, "benches": juries})
    for name in juries:
        ballots = [
            (float(row["outcome"]), [step for step in json.loads(row["trace"]) if _is_seat(step)])
            for row in rows
            if row["bench"] == name
        ]
        for number in sorted({step["number"] for _, steps in ballots for step in steps}):
            yield _measure_seat(name, number, ballots)


def seats_table(seats: Sequence[SeatUse]) -> Table:
    """Lay out a row per seat."""
    columns: list[Column[SeatUse]] = [
        Column(head="jury", read=lambda seat: seat.bench, label=True),
        Column(head="seat", read=lambda seat: seat.number, label=True),
        Column(head="judge", read=lambda seat: seat.judge, left=True),
        Column(head="model", read=lambda seat: seat.model or "-", left=True),
        Column(head="ballots", read=lambda seat: seat.ballots),
        Column(head="asked", read=lambda seat: seat.asked),
        Column(head="% with the jury", read=lambda seat: seat.agreed, style=_format_share),
        Column(head="% for Pro", read=lambda seat: seat.pro, style=_format_share),
        Column(head="% alone", read=lambda seat: seat.alone, style=_format_share),
    ]
    notes = (
        "asked: members whose vote could not change the verdict any more are not asked. alone: all "
        "others who were asked had another outcome.",
    )
    return tabulate(columns, seats, title="Seats of the juries", notes=notes)


def _is_seat(step: dict[str, Any]) -> bool:
    return step.get("agent") == "member"


def _measure_seat(
    bench: str, number: int, ballots: Sequence[tuple[float, list[dict[str, Any]]]]
) -> SeatUse:
    own = [
        (verdict, step, [other for other in steps if other is not step and "outcome" in other])
        for verdict, steps in ballots
        for step in steps
        if step["number"] == number
    ]
    asked = [(verdict, step, others) for verdict, step, others in own if "outcome" in step]
    among = [(step, others) for _, step, others in asked if others]
    first = own[0][1]
    return SeatUse(
        bench=bench,
        number=number,
        judge=str(first["judge"]),
        model=str(first["model"]),
        ballots=len(own),
        asked=len(asked),
        agreed=_mean([step["outcome"] == verdict for verdict, step, _ in asked]),
        pro=_mean([step["outcome"] for _, step, _ in asked]),
        alone=_mean(
            [all(other["outcome"] != step["outcome"] for other in others) for step, others in among]
        ),
    )


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else float("nan")


def _format_share(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f}"

"""What the stored ballots of a probe tell, and which probe a tournament had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from arena.config.resolved import ResolvedConfig
from arena.output.formats import titled
from arena.output.interval_text import format_interval_method
from arena.output.tables import Column, Table, tabulate
from arena.read.trials import Trial, count_probed
from arena.records import Bench
from arena.store.database import Store
from arena.text import counted
from judges.studies.alteration import AlterationEffect, effect_columns, measure_alteration
from judges.studies.ballots import read_taken
from judges.studies.probes.defects import DEFECTS, NONE, Defect
from judges.studies.probes.probe_plan import ORIGINAL_RUNS, Probe, plan_probe

#: Marks (of 1 to 10) by which a side's lead must change to count, where the verdict stays.
LEAST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class DefectEffect(AlterationEffect):
    """The effect of one defect on one judge, by matchups: the legs of one are not independent.

    Only changes against the side of a fault, or for the side of a lure, count as moved.

    Attributes:
        flipped: number of outcomes that moved.
        marks: mean change of the side's lead in marks (of both sides' marks, for an exchange).
        failed: number of copies without all three ballots.
    """

    bench: str
    defect: str
    kind: str
    flipped: int
    marks: float
    failed: int


def stored_probe(store: Store, resolved: ResolvedConfig) -> Probe | None:
    """Return the probe of the tournament's own benches, as far as it went; `None` for none."""
    known = {bench.name for bench in resolved.benches}
    counts = {
        (bench, defect): debates
        for (bench, defect), debates in count_probed(store, resolved.name).items()
        if bench in known and defect != NONE
    }
    if not counts:
        return None
    names = {bench for bench, _ in counts}
    benches = tuple(bench for bench in resolved.benches if bench.name in names)
    defects = [name for name in DEFECTS if name in {defect for _, defect in counts}]
    return plan_probe(store, resolved, benches, defects, max(counts.values()))


def measure_probe(store: Store, planned: Probe) -> list[DefectEffect]:
    """Measure each defect on each bench of a probe by the ballots that are stored so far."""
    ballots = read_taken(store, planned.requests)
    return [
        _measure(planned, ballots, bench, DEFECTS[defect])
        for bench in planned.benches
        for defect in planned.defects
    ]


def _measure(
    planned: Probe, ballots: Mapping[str, Trial], bench: Bench, defect: Defect
) -> DefectEffect:
    requests = [request for request in planned.requests if request.bench.name == bench.name]
    taken = {
        (request.item, bench.name, request.run): ballots[request.ballot_id]
        for request in requests
        if request.defect == NONE and request.ballot_id in ballots
    }
    originals = {**planned.originals, **taken}
    matchups = {debate.debate_id: debate.matchup_id for debate in planned.debates}
    copies = [request for request in requests if request.defect == defect.name]
    again, altered, clusters = [], [], []
    for request in copies:
        three = [
            *(originals.get((request.item, bench.name, run)) for run in ORIGINAL_RUNS),
            ballots.get(request.ballot_id),
        ]
        marked = [ballot for ballot in three if ballot is not None and ballot.pro_mark is not None]
        if len(marked) == len(three):
            (outcome, lead), *others = (_standing(defect, request.side, each) for each in marked)
            second, copy = ((each[0] - outcome, each[1] - lead) for each in others)
            again.append(second)
            altered.append(copy)
            clusters.append(matchups[request.item])
    effect = measure_alteration(
        [_has_moved(defect, change) for change in altered],
        [_has_moved(defect, change) for change in again],
        clusters,
        np.random.default_rng(planned.resolved.config.tournament.seed),
    )
    return DefectEffect(
        **asdict(effect),
        bench=bench.name,
        defect=defect.name,
        kind=defect.kind,
        flipped=sum(_is_expected(defect, outcome) for outcome, _ in altered),
        marks=float(np.mean([marks for _, marks in altered])) if altered else float("nan"),
        failed=len(copies) - len(altered),
    )


def _standing(defect: Defect, side: str, ballot: Trial) -> tuple[float, float]:
    """Return a side's outcome and its lead in marks; 0 and all marks, of a defect in both sides."""
    outcome, pro, con = ballot.outcome, ballot.pro_mark, ballot.con_mark
    assert outcome is not None and pro is not None and con is not None, "a valid ballot has marks"
    if defect.is_in_both_sides:
        return 0.0, pro + con
    return (outcome, pro - con) if side == "pro" else (1 - outcome, con - pro)


def _has_moved(defect: Defect, change: tuple[float, float]) -> bool:
    """Tell whether a ballot has moved as the defect would have it, from the first one."""
    outcome, marks = change
    if outcome:
        return _is_expected(defect, outcome)
    return abs(marks) >= LEAST - 1e-9 and _is_expected(defect, marks)


def _is_expected(defect: Defect, change: float) -> bool:
    """Tell whether a change is against the side of a fault, or for the side of a lure."""
    return change < 0 if defect.kind == "fault" else change > 0


_COLUMNS: list[Column[DefectEffect]] = effect_columns(
    ("defect", "copies", "moved", "by noise"),
    lambda effect: f"{'catches' if effect.kind == 'fault' else 'falls for'} {effect.defect}",
    {"flips": lambda effect: effect.flipped, "marks": lambda effect: f"{effect.marks:+.2f}"},
    empty="",
)


def probe_tables(planned: Probe, findings: Sequence[DefectEffect]) -> list[Table]:
    """Lay out a table for each bench of a probe; the notes stand below the last one only."""
    name, last = planned.resolved.name, planned.benches[-1]
    return [
        tabulate(
            _COLUMNS,
            [finding for finding in findings if finding.bench == bench.name],
            title=titled(name, "planted defects", f"judge {bench.name}", caveat=planned.caveat),
            notes=_notes(findings) if bench is last else (),
        )
        for bench in planned.benches
    ]


def _notes(findings: Sequence[DefectEffect]) -> tuple[str, ...]:
    names = dict.fromkeys(finding.defect for finding in findings)
    planted = "; ".join(f"{name}: {DEFECTS[name].description}" for name in names)
    failed = sum(finding.failed for finding in findings)
    lost = (
        f" {counted(failed, 'copy', 'copies')} without a valid ballot left out." if failed else ""
    )
    matchups = [finding.clusters for finding in findings]
    return (
        f"Planted: {planted}.",
        "moved: for a fault, the share of copies whose verdict is worse for the side than at the "
        "first reading of the original (or, with the same verdict, whose lead is lower by "
        f"{LEAST:g} marks; for an exchange, both sides' marks together); for a lure, whose verdict "
        "is better. Its interval is Wilson's, clustered by matchup. by noise: the same between "
        "two readings of the original. net: the paired difference; its interval: "
        f"{format_interval_method('matchup', matchups)}; p: that test. marks: mean change.{lost}",
    )

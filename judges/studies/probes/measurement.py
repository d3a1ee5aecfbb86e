"""What the stored ballots of a probe tell, and which probe a tournament had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from arena.config.resolve import ResolvedConfig
from arena.output.formats import titled
from arena.output.interval_text import format_interval_method
from arena.output.tables import Table
from arena.records import Bench
from arena.store.database import Store
from arena.text import counted
from judges.studies.alteration import AlterationEffect, measure_alteration
from judges.studies.ballots import Taken, read_taken
from judges.studies.probes.defects import DEFECTS, NONE, Defect
from judges.studies.probes.probe_plan import ORIGINAL_RUNS, Probe, plan_probe
from judges.studies.tables import (
    format_p,
    format_range,
    make_table,
)

#: Marks (of 1 to 10) by which a side's lead must change to count, where the verdict stays.
LEAST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeBallots:
    """Three ballots of one judge: two on the original debate, one on its copy with a defect.

    Attributes:
        cluster: the matchup of the debate: its legs are not independent.
        side: in whose speeches the defect is.
    """

    cluster: str
    side: str
    first: Taken
    again: Taken
    copy: Taken


@dataclass(frozen=True, slots=True, kw_only=True)
class DefectEffect(AlterationEffect):
    """The effect of one defect on one judge, by matchups.

    Only changes against the side of a fault, or for the side of a lure, count as moved.

    Attributes:
        flipped: number of outcomes that moved.
        marks: mean change of the side's lead in marks (of both sides' marks, for an exchange).
    """

    bench: str
    defect: str
    kind: str
    flipped: int
    marks: float
    failed: int


def measure_defect(
    bench: str, defect: Defect, readings: Sequence[ProbeBallots], *, failed: int, seed: int
) -> DefectEffect:
    """Measure the effect of one defect on one judge."""
    effect = measure_alteration(
        [_has_moved(defect, debate, debate.copy) for debate in readings],
        [_has_moved(defect, debate, debate.again) for debate in readings],
        [debate.cluster for debate in readings],
        np.random.default_rng(seed),
    )
    changes = [_change_in_marks(defect, debate, debate.copy) for debate in readings]
    return DefectEffect(
        **asdict(effect),
        bench=bench,
        defect=defect.name,
        kind=defect.kind,
        flipped=sum(_has_flipped(defect, debate) for debate in readings),
        marks=float(np.mean(changes)) if readings else float("nan"),
        failed=failed,
    )


def findings_table(bench: str, findings: Sequence[DefectEffect], *, title: str) -> Table:
    """Lay out a row per defect of one judge, faults first; the notes are about all judges."""
    own = (finding for finding in findings if finding.bench == bench)
    return make_table(title, map(_row, own), notes=_notes(findings))


def _row(finding: DefectEffect) -> dict[str, object]:
    name = f"{'catches' if finding.kind == 'fault' else 'falls for'} {finding.defect}"
    cells: dict[str, object] = {
        "defect": name,
        "copies": finding.readings,
        "moved": f"{finding.moved} ({finding.share:.0%})",
        "95 % interval": f"{finding.lower:.0%} to {finding.upper:.0%}",
        "by noise": finding.noise,
        "net": f"{finding.net:+.0%}",
        "95 % of net": format_range(finding.net_lower, finding.net_upper, "+.0%", empty=""),
        "p": format_p(finding.p),
        "flips": finding.flipped,
        "marks": f"{finding.marks:+.2f}",
    }
    return cells if finding.readings else dict.fromkeys(cells, "") | {"defect": name, "copies": 0}


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


def _has_moved(defect: Defect, debate: ProbeBallots, ballot: Taken) -> bool:
    """Tell whether a ballot moved from the first as the defect would have it."""
    change = _outcome(defect, debate, ballot) - _outcome(defect, debate, debate.first)
    if not change:
        marks = _change_in_marks(defect, debate, ballot)
        change = marks if abs(marks) >= LEAST - 1e-9 else 0.0
    return _is_expected(defect, change)


def _has_flipped(defect: Defect, debate: ProbeBallots) -> bool:
    """Tell whether the copy's outcome moved as the defect would have it."""
    change = _outcome(defect, debate, debate.copy) - _outcome(defect, debate, debate.first)
    return _is_expected(defect, change)


def _is_expected(defect: Defect, change: float) -> bool:
    """Tell whether a change is against the side of a fault, or for the side of a lure."""
    return change < 0 if defect.kind == "fault" else change > 0


def _change_in_marks(defect: Defect, debate: ProbeBallots, ballot: Taken) -> float:
    return _lead(defect, debate, ballot) - _lead(defect, debate, debate.first)


def _outcome(defect: Defect, debate: ProbeBallots, ballot: Taken) -> float:
    """Return the side's outcome; 0 for a defect in both sides' speeches."""
    if defect.is_in_both_sides:
        return 0.0
    outcome = _known(ballot.outcome)
    return outcome if debate.side == "pro" else 1 - outcome


def _lead(defect: Defect, debate: ProbeBallots, ballot: Taken) -> float:
    """Return the side's lead in marks; for a defect in both sides' speeches, the sum of marks."""
    pro, con = _known(ballot.pro_mark), _known(ballot.con_mark)
    if defect.is_in_both_sides:
        return pro + con
    return pro - con if debate.side == "pro" else con - pro


def _known(number: float | None) -> float:
    assert number is not None, "only valid ballots with marks are compared"
    return number


_PROBED = """
    SELECT bench, defect, count(DISTINCT item) AS debates FROM trials
    WHERE kind = 'probe' AND source = $name AND defect <> $none GROUP BY ALL
"""


def stored_probe(store: Store, resolved: ResolvedConfig) -> Probe | None:
    """Return the probe of the tournament's own benches, as far as it went; `None` for none."""
    rows = store.rows(_PROBED, {"name": resolved.name, "none": NONE})
    names = {str(row["bench"]) for row in rows}
    benches = tuple(bench for bench in resolved.benches if bench.name in names)
    own = {bench.name for bench in benches}
    rows = [row for row in rows if row["bench"] in own]
    if not rows:
        return None
    defects = [name for name in DEFECTS if name in {str(row["defect"]) for row in rows}]
    return plan_probe(store, resolved, benches, defects, max(int(row["debates"]) for row in rows))


def measure_probe(store: Store, planned: Probe) -> list[DefectEffect]:
    """Measure each defect on each bench of a probe by the ballots that are stored so far."""
    ballots = read_taken(store, planned.requests)
    return [
        _measure(planned, ballots, bench, defect)
        for bench in planned.benches
        for defect in planned.defects
    ]


def probe_tables(planned: Probe, findings: Sequence[DefectEffect]) -> list[Table]:
    """Lay out a table for each bench of a probe; the notes stand below the last one only."""
    name = planned.sample.resolved.name
    tables = [
        findings_table(
            bench.name,
            findings,
            title=titled(name, "planted defects", f"judge {bench.name}", caveat=planned.caveat),
        )
        for bench in planned.benches
    ]
    return [replace(table, notes=()) for table in tables[:-1]] + tables[-1:]


def _measure(
    planned: Probe, ballots: Mapping[str, Taken], bench: Bench, defect: str
) -> DefectEffect:
    """Measure the effect of a defect on a bench by the ballots that are stored so far."""
    matchups = {debate.debate_id: debate.matchup_id for debate in planned.sample.debates}
    originals = _collect_originals(planned, ballots, bench)
    readings = []
    copies = [
        request
        for request in planned.requests
        if request.bench.name == bench.name and request.defect == defect
    ]
    for request in copies:
        three = [
            *(originals.get((request.item, bench.name, run)) for run in ORIGINAL_RUNS),
            ballots.get(request.ballot_id),
        ]
        valid = [ballot for ballot in three if ballot is not None and ballot.pro_mark is not None]
        if len(valid) == len(three):
            first, again, copy = valid
            readings.append(
                ProbeBallots(
                    cluster=matchups[request.item],
                    side=request.side,
                    first=first,
                    again=again,
                    copy=copy,
                )
            )
    seed = planned.sample.resolved.config.tournament.seed
    failed = len(copies) - len(readings)
    return measure_defect(bench.name, DEFECTS[defect], readings, failed=failed, seed=seed)


def _collect_originals(
    planned: Probe, ballots: Mapping[str, Taken], bench: Bench
) -> dict[tuple[str, str, int], Taken]:
    """Return the ballots on the original debates: the tournament's, and a bench's of this probe."""
    originals = dict(planned.originals)
    for request in planned.requests:
        is_original = request.bench.name == bench.name and request.defect == NONE
        if is_original and request.ballot_id in ballots:
            originals[request.item, bench.name, request.run] = ballots[request.ballot_id]
    return originals

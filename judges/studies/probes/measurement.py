"""What the stored ballots of a probe tell, and which probe a tournament had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.config.resolve import ResolvedConfig
from arena.console.output import titled
from arena.console.tables import Table
from arena.records import Bench
from arena.store.database import Store
from judges.studies.ballots import Taken, read_taken
from judges.studies.probes.copies import ORIGINAL_RUNS
from judges.studies.probes.defects import DEFECTS, NONE
from judges.studies.probes.findings import Finding, Readings, findings_table, measure_defect
from judges.studies.probes.probe_plan import Probe, plan_probe

_PROBED = """
    SELECT bench, defect, count(DISTINCT item) AS debates FROM trials
    WHERE kind = 'probe' AND source = $name AND defect <> $none GROUP BY ALL
"""


def stored_probe(store: Store, resolved: ResolvedConfig) -> Probe | None:
    """Return the probe that the tournament's own benches had, as far as it went; `None` for none.

    Args:
        store: holds the tournament.
        resolved: its configuration.
    """
    rows = store.rows(_PROBED, {"name": resolved.name, "none": NONE})
    names = {str(row["bench"]) for row in rows}
    benches = tuple(bench for bench in resolved.benches if bench.name in names)
    own = {bench.name for bench in benches}
    rows = [row for row in rows if row["bench"] in own]
    if not rows:
        return None
    defects = [name for name in DEFECTS if name in {str(row["defect"]) for row in rows}]
    return plan_probe(store, resolved, benches, defects, max(int(row["debates"]) for row in rows))


def measure_probe(store: Store, planned: Probe) -> list[Finding]:
    """Measure each defect on each bench of a probe by the ballots that are stored so far."""
    ballots = read_taken(store, planned.requests)
    return [
        _measure(planned, ballots, bench, defect)
        for bench in planned.benches
        for defect in planned.defects
    ]


def probe_tables(planned: Probe, findings: Sequence[Finding]) -> list[Table]:
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


def _measure(planned: Probe, ballots: Mapping[str, Taken], bench: Bench, defect: str) -> Finding:
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
            cluster = matchups[request.item]
            readings.append(
                Readings(cluster=cluster, side=request.side, first=first, again=again, copy=copy)
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

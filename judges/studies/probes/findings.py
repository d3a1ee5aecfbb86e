"""How often a judge catches a planted fault or falls for a planted lure, beyond its own noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from arena.console.tables import Table
from arena.report.interval_text import format_interval_method
from arena.text import counted
from judges.studies.alteration import AlterationEffect, measure_alteration
from judges.studies.ballots import Taken
from judges.studies.cells import format_p
from judges.studies.probes.defects import DEFECTS, Defect

#: Marks (of 1 to 10) by which a side's lead must change to count, where the verdict stays.
LEAST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
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
class Finding(AlterationEffect):
    """The effect of one defect on one judge, by matchups.

    Only changes against the side of a fault, or for the side of a lure, count as moved.

    Attributes:
        flipped: number of outcomes that moved.
        marks: mean change of the side's lead in marks (of both sides' marks, for an exchange).
        failed: number of copies without three valid ballots.
    """

    bench: str
    defect: str
    kind: str
    flipped: int
    marks: float
    failed: int


def measure_defect(
    bench: str, defect: Defect, readings: Sequence[Readings], *, failed: int, seed: int
) -> Finding:
    """Measure the effect of one defect on one judge.

    Args:
        bench: the judge.
        defect: what was planted.
        readings: of each copy.
        failed: number of copies without three valid ballots.
        seed: draws the matchups.
    """
    effect = measure_alteration(
        [_has_moved(defect, debate, debate.copy) for debate in readings],
        [_has_moved(defect, debate, debate.again) for debate in readings],
        [debate.cluster for debate in readings],
        np.random.default_rng(seed),
    )
    changes = [_change_in_marks(defect, debate, debate.copy) for debate in readings]
    return Finding(
        **asdict(effect),
        bench=bench,
        defect=defect.name,
        kind=defect.kind,
        flipped=sum(_has_flipped(defect, debate) for debate in readings),
        marks=float(np.mean(changes)) if readings else float("nan"),
        failed=failed,
    )


def findings_table(bench: str, findings: Sequence[Finding], *, title: str) -> Table:
    """Lay out a row per defect of one judge, faults first.

    Args:
        bench: the judge.
        findings: of all judges; the notes are about all of them.
        title: of the table.
    """
    return Table(
        title=title,
        head=(
            "defect",
            "copies",
            "moved",
            "95 % interval",
            "by noise",
            "net",
            "95 % of net",
            "p",
            "flips",
            "marks",
        ),
        rows=tuple(_row(finding) for finding in findings if finding.bench == bench),
        notes=_notes(findings),
    )


def _row(finding: Finding) -> tuple[str, ...]:
    name = f"{'catches' if finding.kind == 'fault' else 'falls for'} {finding.defect}"
    if not finding.readings:
        return (name, "0", *[""] * 8)
    lower, upper = finding.net_lower, finding.net_upper
    return (
        name,
        str(finding.readings),
        f"{finding.moved} ({finding.share:.0%})",
        f"{finding.lower:.0%} to {finding.upper:.0%}",
        str(finding.noise),
        f"{finding.net:+.0%}",
        f"{lower:+.0%} to {upper:+.0%}" if np.isfinite(lower) else "",
        format_p(finding.p),
        str(finding.flipped),
        f"{finding.marks:+.2f}",
    )


def _notes(findings: Sequence[Finding]) -> tuple[str, ...]:
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


def _has_moved(defect: Defect, debate: Readings, ballot: Taken) -> bool:
    """Tell whether a ballot moved from the first as the defect would have it."""
    change = _change_in_outcome(defect, debate, ballot)
    if not change:
        marks = _change_in_marks(defect, debate, ballot)
        change = marks if abs(marks) >= LEAST - 1e-9 else 0.0
    return _is_expected(defect, change)


def _has_flipped(defect: Defect, debate: Readings) -> bool:
    """Tell whether the copy's outcome moved as the defect would have it."""
    return _is_expected(defect, _change_in_outcome(defect, debate, debate.copy))


def _is_expected(defect: Defect, change: float) -> bool:
    """Tell whether a change is against the side of a fault, or for the side of a lure."""
    return change < 0 if defect.kind == "fault" else change > 0


def _change_in_outcome(defect: Defect, debate: Readings, ballot: Taken) -> float:
    return _outcome(defect, debate, ballot) - _outcome(defect, debate, debate.first)


def _change_in_marks(defect: Defect, debate: Readings, ballot: Taken) -> float:
    return _lead(defect, debate, ballot) - _lead(defect, debate, debate.first)


def _outcome(defect: Defect, debate: Readings, ballot: Taken) -> float:
    """Return the side's outcome; 0 for a defect in both sides' speeches."""
    if defect.is_in_both_sides:
        return 0.0
    outcome = _known(ballot.outcome)
    return outcome if debate.side == "pro" else 1 - outcome


def _lead(defect: Defect, debate: Readings, ballot: Taken) -> float:
    """Return the side's lead in marks; for a defect in both sides' speeches, the sum of marks."""
    pro, con = _known(ballot.pro_mark), _known(ballot.con_mark)
    if defect.is_in_both_sides:
        return pro + con
    return pro - con if debate.side == "pro" else con - pro


def _known(number: float | None) -> float:
    assert number is not None, "only valid ballots with marks are compared"
    return number

"""How often a judge catches a planted fault, or falls for a planted lure, beyond its own noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from arena.console.tables import Table
from arena.report.interval_text import method
from judges.studies.agreement.cells import p_value
from judges.studies.ballots import Taken
from judges.studies.beyond import Beyond, beyond
from judges.studies.probes.defects import DEFECTS, Defect

#: Marks (of 1 to 10) by which a side's lead must change to count, where the verdict stays.
LEAST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Three ballots of one judge: two on a debate as it was, one on its copy.

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
class Finding(Beyond):
    """What a judge makes of one defect, by matchups; only moves against a fault, or for a lure.

    Attributes:
        flipped: how many outcomes moved.
        marks: mean change of the side's lead in marks (of both sides' marks, for an exchange).
        failed: copies without three valid ballots.
    """

    bench: str
    defect: str
    kind: str
    flipped: int
    marks: float
    failed: int


def finding(
    bench: str, defect: Defect, readings: Sequence[Reading], *, failed: int, seed: int
) -> Finding:
    """What a judge makes of one defect."""
    found = beyond(
        [_moved(defect, one, one.copy) for one in readings],
        [_moved(defect, one, one.again) for one in readings],
        [one.cluster for one in readings],
        np.random.default_rng(seed),
    )
    changes = [_level(defect, one, one.copy) - _level(defect, one, one.first) for one in readings]
    return Finding(
        **asdict(found),
        bench=bench,
        defect=defect.name,
        kind=defect.kind,
        flipped=sum(_flipped(defect, one) for one in readings),
        marks=float(np.mean(changes)) if readings else float("nan"),
        failed=failed,
    )


def probe_table(bench: str, findings: Sequence[Finding], *, title: str) -> Table:
    """A row per defect of one judge, faults first."""
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
        rows=tuple(_row(one) for one in findings if one.bench == bench),
        notes=_notes(findings),
    )


def _row(one: Finding) -> tuple[str, ...]:
    verb = "catches" if one.kind == "fault" else "falls for"
    if not one.readings:
        return (f"{verb} {one.defect}", "0", *[""] * 8)
    sure = f"{one.net_lower:+.0%} to {one.net_upper:+.0%}" if np.isfinite(one.net_lower) else ""
    return (
        f"{verb} {one.defect}",
        str(one.readings),
        f"{one.moved} ({one.share:.0%})",
        f"{one.lower:.0%} to {one.upper:.0%}",
        str(one.noise),
        f"{one.net:+.0%}",
        sure,
        p_value(one.p),
        str(one.flipped),
        f"{one.marks:+.2f}",
    )


def _notes(findings: Sequence[Finding]) -> tuple[str, ...]:
    named = dict.fromkeys(one.defect for one in findings)
    told = "; ".join(f"{name}: {DEFECTS[name].told}" for name in named)
    failed = sum(one.failed for one in findings)
    lost = f" {failed} copies lack a valid ballot and are left out." if failed else ""
    matchups = [one.clusters for one in findings]
    return (
        f"Planted: {told}.",
        "moved: the copy's verdict, or where that stays the side's lead by "
        f"{LEAST:g} marks, is worse for the side than at the first reading of the original (of a "
        "fault; for an exchange both sides' marks together), or better (of a lure); its interval "
        "is Wilson's, by matchups. by noise: the same between two readings of the original. net: "
        f"the difference, paired; its interval: {method('matchup', matchups)}; p: McNemar's exact "
        f"test. marks: mean change.{lost}",
    )


def _moved(defect: Defect, reading: Reading, other: Taken) -> bool:
    change = _outcome(defect, reading, other) - _outcome(defect, reading, reading.first)
    if not change:
        by_marks = _level(defect, reading, other) - _level(defect, reading, reading.first)
        change = by_marks if abs(by_marks) >= LEAST - 1e-9 else 0.0
    return change < 0 if defect.kind == "fault" else change > 0


def _flipped(defect: Defect, one: Reading) -> bool:
    change = _outcome(defect, one, one.copy) - _outcome(defect, one, one.first)
    return change < 0 if defect.kind == "fault" else change > 0


def _outcome(defect: Defect, reading: Reading, taken: Taken) -> float:
    """The side's outcome; of a defect in both sides' speeches nobody's."""
    if defect.both:
        return 0.0
    outcome = _known(taken.outcome)
    return outcome if reading.side == "pro" else 1 - outcome


def _level(defect: Defect, reading: Reading, taken: Taken) -> float:
    """The side's lead in marks; of a defect in both sides' speeches the sum of their marks."""
    pro, con = _known(taken.pro_mark), _known(taken.con_mark)
    if defect.both:
        return pro + con
    return pro - con if reading.side == "pro" else con - pro


def _known(number: float | None) -> float:
    assert number is not None, "only valid ballots with marks are compared"
    return number

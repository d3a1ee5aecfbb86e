"""What a report says of the run before it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from arena.llm.budget import Budget
from arena.report.overview.content import make_report
from arena.report.overview.page import write_page
from arena.tournament.figures import Meter
from arena.tournament.run_record import RunEnding, RunRecord
from arena.tournament.workload import Workload
from tests.support.tournaments import commit, judged, planned, played


def test_a_report_says_when_and_why_the_last_run_ended(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    first, *_ = plan.debates
    commit(store, played(first), judged(first))
    at = datetime.now(UTC)
    assert make_report(store, plan.resolved, at=at).ending == ""  # nothing is known of a run
    figures = Meter(Workload(), Budget(), list).read()
    record = RunRecord(store.path, plan.resolved.name)
    reason = "the time to stop, Tue 24 Nov 07:00, is near & <words>."
    record.end(figures, RunEnding(reason))
    record.write(figures, (), {})
    report = make_report(store, plan.resolved, at=at)
    assert report.ending.startswith("The last run ended on ")
    assert report.ending.endswith(": the time to stop, Tue 24 Nov 07:00, is near & <words>.")
    assert "07:00, is near &amp; &lt;words&gt;.</p>" in write_page(report)

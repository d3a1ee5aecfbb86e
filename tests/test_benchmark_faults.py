"""Tournaments under faults: killed, cut off, held up and without room, they come to the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.faults import format_summary, rows_of, run_kills


@pytest.mark.slow
def test_kills_and_faults_change_nothing_that_is_stored(tmp_path: Path) -> None:
    counts = run_kills(tmp_path, 25)
    shown = "\n".join(format_summary(counts))
    assert not counts.differences and not counts.untidy, shown
    assert counts.most_over <= 0, shown
    assert len(counts.kills) >= 4 and counts.full_disks, shown
    *_, total = rows_of(counts)
    assert total["kills"] == 25

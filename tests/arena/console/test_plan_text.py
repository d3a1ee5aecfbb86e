"""What a plan advises from the ballots that are stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.console.plan_text import advice_lines, check_lines, repeat_lines
from tests.support.tournaments import changed, commit, content, judged, planned, played


def test_a_plan_advises_fewer_runs_where_they_repeat_each_other(tmp_path: Path) -> None:
    config = changed(content(runs=3), ["schedule", "matchups_per_pair"], 5)
    store, plan = planned(tmp_path / "own.duckdb", config)
    assert not list(advice_lines(plan.resolved, store)), "nothing is judged yet"
    ballots = [
        judged(debate, float(number % 2), run=run)
        for number, debate in enumerate(plan.debates)
        for run in range(3)
    ]
    costs = (("offline/fair", 0.1),)
    commit(store, *(played(debate, costs=costs) for debate in plan.debates), *ballots)
    (line,) = advice_lines(plan.resolved, store)
    assert line.startswith("for the next file: `runs = 1` for bench bench; with 3 runs")
    assert line.endswith("% more; two runs on a debate correlate by 1.00 (ICC, over 30 debates)")


@pytest.mark.parametrize(("matchups", "again"), [(3, 0), (4, 6), (5, 12)])
def test_a_plan_says_how_many_debates_repeat_a_motion(
    tmp_path: Path, matchups: int, again: int
) -> None:
    config = changed(content(), ["schedule", "matchups_per_pair"], matchups)
    _, plan = planned(tmp_path / "own.duckdb", config)
    lines = list(repeat_lines(plan.debates))
    start = f"in {again} of the debates to play, the pair has had the motion before"
    assert [line.partition(";")[0] for line in lines] == [start] * bool(again)


@pytest.mark.parametrize("other", ["Strong", "strong ", "str\u043eng"])
def test_names_that_look_alike_are_told(tmp_path: Path, other: str) -> None:
    config = changed(content(), ["participants", 0, "name"], "strong")
    config = changed(config, ["participants", 1, "name"], other)
    _, plan = planned(tmp_path / "own.duckdb", config)
    (line,) = check_lines(plan.resolved)
    assert line.startswith("'strong', ") and "letters that look alike, and stand as 2" in line

"""The end of a run: what failed and why, and what to do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.console.event_lines import Causes
from arena.console.run_summary import format_causes, print_summary
from arena.tournament.plan import Plan
from arena.tournament.results import Tally
from tests.arena.console.test_progress import watched
from tests.handmade import judged, planned, played

RESUME = "Continue with: arena resume small --db x.duckdb"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return planned(tmp_path / "own.duckdb")[1]


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_failures_are_grouped_with_an_example_and_what_to_do(
    plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    first, second, third, fourth, *_ = plan.debates
    watch.debate(played(first))
    watch.ballot(judged(first, status="failed"))
    watch.debate(played(second, "forfeit", forfeited="pro"))
    reason = "openai/x: connection refused after {} s"
    tally = Tally(
        finished=1,
        forfeits=1,
        failed=1,
        voided={third.debate_id: reason.format(7), fourth.debate_id: reason.format(9)},
    )
    print_summary(tally, watch, resume=RESUME, db=" --db x.duckdb")
    lines = printed(capsys)
    short = third.debate_id[:8]
    assert lines[0] == "Played 1 debate, 1 forfeit; took 0 ballots."
    assert "2 debates are void:" in lines
    assert f"  2 × {reason.format(7)} (for example debate {short})" in lines
    assert "1 debate is lost by forfeit:" in lines and "1 ballot failed:" in lines
    assert (
        f"Read what was said there with: arena show {second.debate_id[:8]} --db x.duckdb" in lines
    )
    left = len(plan.debates) - 2
    assert lines[-2] == (
        f"Still open: {left} debates, {left} ballots, 1 failed ballot that will be asked for "
        f"again. {RESUME}"
    )


def test_where_all_is_well_nothing_more_is_said(
    plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    for debate in plan.debates:
        watch.debate(played(debate))
        watch.ballot(judged(debate))
    number = len(plan.debates)
    print_summary(Tally(finished=number, ballots=number), watch, resume=RESUME, db="")
    assert printed(capsys) == [f"Played {number} debates, 0 forfeits; took {number} ballots.", ""]


def test_a_run_that_stopped_early_says_how_to_go_on(
    plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    print_summary(Tally(stopped="the cap is reached."), watch, resume=RESUME, db="")
    text = capsys.readouterr().out
    assert "Stopped: the cap is reached." in text and f". {RESUME}\n" in text
    assert f"Still open: {len(plan.debates)} debates" in text


def test_a_run_that_stopped_between_two_waves_says_how_to_go_on(
    plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    for debate in plan.debates:
        watch.debate(played(debate))
        watch.ballot(judged(debate))
    print_summary(Tally(stopped="you asked to stop."), watch, resume=RESUME, db="")
    text = capsys.readouterr().out
    assert "Still open" not in text and f"\n{RESUME}\n" in text


def test_debates_that_wait_for_a_person_are_not_open_for_models(
    plan: Plan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    tally = Tally(waiting={debate.debate_id: "waits" for debate in plan.debates})
    for debate in plan.debates:
        watch.debate(played(debate, "waiting"))
    print_summary(tally, watch, resume=RESUME, db=" --db x")
    text = capsys.readouterr().out
    assert "arena speak --db x" in text and "Still open" not in text


def test_only_the_most_frequent_causes_are_listed() -> None:
    causes = Causes(("d", f"Refusal: {letter * 400}") for letter in "abcdefgg")
    lines = format_causes(causes)
    assert lines[0].startswith("  2 × Refusal: ggg") and len(lines[0]) < 400
    assert len(lines) == 6 and lines[-1] == "  and 2 causes more"
    assert "debate" not in format_causes(causes, examples=False)[0]

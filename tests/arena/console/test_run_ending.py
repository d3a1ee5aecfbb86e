"""Why a run ended, in a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.console.run_ending import (
    format_causes,
    format_ending,
    print_summary,
    stopped_models,
)
from arena.errors import ProviderRejected
from arena.llm.budget import Budget
from arena.tournament.event_lines import Causes
from arena.tournament.models import Models
from arena.tournament.paid_work import WorkTally
from arena.tournament.plan import TournamentPlan
from arena.tournament.results import RunTally
from arena.tournament.run_record import ALL_DONE, RunEnding
from arena.tournament.workload import UnitCount
from tests.arena.console.test_progress import watched
from tests.arena.tournament.test_figures import FIGURES
from tests.support.tournaments import content, judged, planned, played, resolved_of

_DONE = (UnitCount("debate", 4, 4), UnitCount("ballot", 8, 8))
_LEFT = (UnitCount("debate", 3, 4), UnitCount("ballot", 5, 8, 0, 2))
_CAP = (
    "the spending cap of 1.00 USD is reached: 0.9800 USD count towards it, and a debate costs\n"
    "more. To go on, raise it; finished work is kept."
)


@pytest.mark.parametrize(
    ("tally", "units", "ending"),
    [
        (WorkTally(), _DONE, ALL_DONE),
        (
            WorkTally(stopped="the time to stop, Mon 07:00, is near, and a debate takes 47 min."),
            _LEFT,
            RunEnding("the time to stop, Mon 07:00, is near, and a debate takes 47 min."),
        ),
        (
            WorkTally(stopped=_CAP),
            _LEFT,
            RunEnding(
                "the spending cap of 1.00 USD is reached: 0.9800 USD count towards it, and a "
                "debate costs more."
            ),
        ),
        (WorkTally(), _LEFT, RunEnding("1 debate and 3 ballots (2 failed) are left.", "left")),
        (
            WorkTally(),
            (UnitCount("debate", 3, 4, 1),),
            RunEnding("1 debate (1 waiting for a person) is left.", "left"),
        ),
        (
            WorkTally(capped={"zoe": "…", "ann": "…"}),
            (UnitCount("debate", 2, 4),),
            RunEnding("2 debates are left: ann, zoe have reached their caps."),
        ),
        (
            WorkTally(open=["HTTP 500: <words of a provider>"]),
            (UnitCount("ballot", 1, 2),),
            RunEnding("1 ballot is left: a provider failed."),
        ),
        (RunTally(voided={"d": "…"}), _LEFT[:1], RunEnding("1 debate is left: a provider failed.")),
    ],
)
def test_it_says_why_a_run_ended_without_words_of_others(
    tally: WorkTally, units: tuple[UnitCount, ...], ending: RunEnding
) -> None:
    figures = replace(FIGURES, units=units)
    assert format_ending(tally, figures, stopped={}, aim="") == ending


def test_a_target_is_named_where_the_run_came_to_its_end() -> None:
    aim = "the target is reached: the order is settled: a, b."
    done, left = (replace(FIGURES, units=units) for units in (_DONE, _LEFT))
    assert format_ending(WorkTally(), done, stopped={}, aim=aim) == RunEnding(aim)
    assert format_ending(WorkTally(), left, stopped={}, aim=aim) == RunEnding(
        f"{aim[:-1]}; 1 debate and 3 ballots (2 failed) are left.", "left"
    )


def test_a_model_whose_quota_is_used_up_is_named_also_where_the_time_ended_the_run() -> None:
    resolved = resolved_of(content())
    models = Models(resolved.config, resolved.motions, budget=Budget())
    gate = models.gate("offline/weak")
    gate._stop.rejected(ProviderRejected("HTTP 402: <words>", remedy="quota"))
    stopped = stopped_models(models.traffic)
    assert stopped == {"offline/weak": "there is no credit left"}
    figures = replace(FIGURES, units=_LEFT[:1])
    assert format_ending(WorkTally(unmended=["…"]), figures, stopped=stopped, aim="") == RunEnding(
        "1 debate is left: offline/weak: there is no credit left."
    )
    night = WorkTally(stopped="the time to stop is near.", unmended=["…"])
    assert format_ending(night, figures, stopped=stopped, aim="") == RunEnding(
        "the time to stop is near; offline/weak: there is no credit left."
    )


RESUME = "Continue with: arena resume small --db x.duckdb"


@pytest.fixture
def plan(tmp_path: Path) -> TournamentPlan:
    return planned(tmp_path / "own.duckdb")[1]


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_failures_are_grouped_with_an_example_and_what_to_do(
    plan: TournamentPlan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    first, second, third, fourth, *_ = plan.debates
    watch.debate(played(first))
    watch.ballot(judged(first, status="failed"))
    watch.debate(played(second, "forfeit", forfeited="pro"))
    reason = "openai/x: connection refused after {} s"
    tally = RunTally(
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
    plan: TournamentPlan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    for debate in plan.debates:
        watch.debate(played(debate))
        watch.ballot(judged(debate))
    number = len(plan.debates)
    print_summary(RunTally(finished=number, ballots=number), watch, resume=RESUME, db="")
    assert printed(capsys) == [f"Played {number} debates, 0 forfeits; took {number} ballots.", ""]


def test_a_run_that_stopped_early_says_how_to_go_on(
    plan: TournamentPlan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    print_summary(RunTally(stopped="the cap is reached."), watch, resume=RESUME, db="")
    text = capsys.readouterr().out
    assert "Stopped: the cap is reached." in text and f". {RESUME}\n" in text
    assert f"Still open: {len(plan.debates)} debates" in text


def test_a_run_that_stopped_between_two_waves_says_how_to_go_on(
    plan: TournamentPlan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    for debate in plan.debates:
        watch.debate(played(debate))
        watch.ballot(judged(debate))
    print_summary(RunTally(stopped="you asked to stop."), watch, resume=RESUME, db="")
    text = capsys.readouterr().out
    assert "Still open" not in text and f"\n{RESUME}\n" in text


def test_debates_that_wait_for_a_person_are_not_open_for_models(
    plan: TournamentPlan, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watched(plan)
    tally = RunTally(waiting={debate.debate_id: "waits" for debate in plan.debates})
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

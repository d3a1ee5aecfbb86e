"""Why a run ended, in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.console.run_ending import ALL_DONE, format_ending, stopped_models
from arena.errors import ProviderRejected
from arena.llm.budget import Budget
from arena.tournament.models import Models
from arena.tournament.paid_work import WorkTally
from arena.tournament.results import Tally
from arena.tournament.workload import UnitCount
from tests.arena.console.test_figures_text import FIGURES
from tests.handmade import content, resolved_of

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
            "the time to stop, Mon 07:00, is near, and a debate takes 47 min.",
        ),
        (
            WorkTally(stopped=_CAP),
            _LEFT,
            "the spending cap of 1.00 USD is reached: 0.9800 USD count towards it, and a debate "
            "costs more.",
        ),
        (WorkTally(), _LEFT, "1 debate and 3 ballots (2 failed) are left."),
        (
            WorkTally(),
            (UnitCount("debate", 3, 4, 1),),
            "1 debate (1 waiting for a person) is left.",
        ),
        (
            WorkTally(capped={"zoe": "…", "ann": "…"}),
            (UnitCount("debate", 2, 4),),
            "2 debates are left: ann, zoe have reached their caps.",
        ),
        (
            WorkTally(open=["HTTP 500: <words of a provider>"]),
            (UnitCount("ballot", 1, 2),),
            "1 ballot is left: a provider failed.",
        ),
        (Tally(voided={"d": "…"}), _LEFT[:1], "1 debate is left: a provider failed."),
    ],
)
def test_it_says_why_a_run_ended_without_words_of_others(
    tally: WorkTally, units: tuple[UnitCount, ...], ending: str
) -> None:
    figures = replace(FIGURES, units=units)
    assert format_ending(tally, figures, stopped={}, aim="") == ending


def test_a_target_is_named_where_the_run_came_to_its_end() -> None:
    aim = "the target is reached: the order is settled: a, b."
    done, left = (replace(FIGURES, units=units) for units in (_DONE, _LEFT))
    assert format_ending(WorkTally(), done, stopped={}, aim=aim) == aim
    assert format_ending(WorkTally(), left, stopped={}, aim=aim) == (
        f"{aim[:-1]}; 1 debate and 3 ballots (2 failed) are left."
    )


def test_a_model_whose_quota_is_used_up_is_named_also_where_the_time_ended_the_run() -> None:
    resolved = resolved_of(content())
    models = Models(resolved.config, resolved.motions, budget=Budget())
    gate = models.gate("offline/weak")
    gate._stop.rejected(ProviderRejected("HTTP 402: <words>", remedy="quota"))
    stopped = stopped_models(models.traffic)
    assert stopped == {"offline/weak": "there is no credit left"}
    figures = replace(FIGURES, units=_LEFT[:1])
    assert format_ending(WorkTally(unmended=["…"]), figures, stopped=stopped, aim="") == (
        "1 debate is left: offline/weak: there is no credit left."
    )
    night = WorkTally(stopped="the time to stop is near.", unmended=["…"])
    assert format_ending(night, figures, stopped=stopped, aim="") == (
        "the time to stop is near; offline/weak: there is no credit left."
    )

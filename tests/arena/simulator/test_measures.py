"""What reasoning counts for: points by stage, and answers by whether they have a reason."""

from __future__ import annotations

import pytest

from arena.languages import Stage
from arena.llm.request import Request
from arena.prompts import Message
from arena.simulator.measures import measure_reasoning
from arena.simulator.mind import Knowledge, create_mind
from arena.simulator.prompt import PromptSpeech
from tests.support.simulated_tasks import MOTION, seat

_THEIRS = "Buses carry many workers cheaply."
_REASON = "Trams, trains and bicycles move commuters quicker because their lanes stay empty."
_BARE = f"They say that {_THEIRS.lower()} But that is wrong: they carry few and cost much."
_GROUNDED = _BARE.replace("wrong: they", "wrong, because they")


def _strength(text: str, stage: Stage, *, own: tuple[str, ...] = ()) -> float:
    request = Request(
        model="offline/strong",
        messages=(Message(role="user", text="Judge."),),
        task="judge",
        language="en",
        variables=seat(),
        path="pro/test",
        seed=1,
    )
    return measure_reasoning(
        PromptSpeech(side="pro", stage=stage, text=text),
        create_mind(request, Knowledge((MOTION,))),
        opposing_points=(_THEIRS,),
        own=own,
        overlooked=0.0,
    ).strength


@pytest.mark.parametrize(
    ("stage", "worth"), [("constructive", 1.0), ("rebuttal", 0.5), ("summary", 0.0)]
)
def test_a_new_point_counts_by_its_stage_and_once(stage: Stage, worth: float) -> None:
    assert _strength(_REASON, stage) == pytest.approx(worth)
    assert _strength(_REASON, stage, own=(_REASON,)) == 0


@pytest.mark.parametrize("stage", ["rebuttal", "summary"])
def test_an_answer_counts_less_than_a_point_and_with_a_reason_half_as_much_again(
    stage: Stage,
) -> None:
    bare, grounded = _strength(_BARE, stage), _strength(_GROUNDED, stage)
    assert 0 < bare < _strength(_REASON, "constructive")
    assert grounded == pytest.approx(1.5 * bare)


def test_what_is_written_blind_answers_nothing() -> None:
    assert _strength(_BARE, "constructive") == 0

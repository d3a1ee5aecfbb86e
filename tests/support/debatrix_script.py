"""A script for `debatrix`: its analyses and verdicts, and a debate for it to hear."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.judge import Hearing, Judgement
from arena.languages import language
from arena.llm.request import Completion, Request
from arena.records import Speech
from judges.methods.debatrix import DIMENSIONS, Debatrix, Options
from tests.support.debate_seats import MOTION, SLIDE, language_model, speeches
from tests.support.scripted_backend import ScriptedBackend

#: The calls of one run on a debate of six speeches, but for that of the panel; and on a pair.
ANALYSES = tuple(f"{name}/analyse/{number}" for name in DIMENSIONS for number in range(1, 7))
COMPARISONS = tuple(f"{name}/compare" for name in DIMENSIONS)
CALLS_ON_A_DEBATE = len(ANALYSES) + len(COMPARISONS) + 1
CALLS_ON_A_PAIR = 3 * len(DIMENSIONS) + 1


def weighing(**weights: float) -> dict[str, float]:
    """Weights of some dimensions; the others have none."""
    return {**dict.fromkeys(DIMENSIONS, 0.0), **weights}


def verdict(
    winner: str = "Pro", pro: float | None = None, con: float | None = None, why: str = "Because."
) -> str:
    """A judge's structured answer; marks that are not given fit the winner."""
    pro, con = pro or (5 if winner == "Con" else 7), con or (7 if winner == "Con" else 5)
    return json.dumps({"judgement": why, "pro_mark": pro, "con_mark": con, "winner": winner})


class Bench:
    """Answers by path (`path#1` is the first repair) where a test says so, else for Pro."""

    def __init__(self, answers: Mapping[str, str | Completion] | None = None) -> None:
        self.answers = answers or {}

    def __call__(self, request: Request) -> str | Completion:
        for key in (f"{request.path}#{request.attempt}", request.path):
            if key in self.answers:
                return self.answers[key]
        if request.task == "judge.analyse":
            return f"Analysis at {request.path}."
        return verdict(why=f"Judgement at {request.path}.")


async def judge(
    backend: ScriptedBackend,
    folder: Path,
    options: Options | None = None,
    *,
    code: str = "en",
    said: Sequence[Speech] = (),
) -> Judgement:
    """One run on a debate of six speeches, each with a text of its own unless given."""
    hearing = Hearing(
        motion=MOTION,
        info_slide=SLIDE,
        language=language(code),
        speeches=said or speeches(),
        model=language_model(backend, folder),
    )
    return await Debatrix(options or Options()).judge(hearing)

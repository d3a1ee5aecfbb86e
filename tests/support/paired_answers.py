"""Pairs of answers before the judges, and a model that plays every part of those who compare."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from arena.debates.pairs import answer_speech, hear_pair
from arena.judge import Hearing, Judge
from arena.languages import language
from arena.llm.request import Backend, Completion, Request
from judges.methods.criteria import TOTAL, mark
from judges.methods.debatrix import DIMENSIONS, Debatrix
from judges.methods.debatrix import Options as DebatrixOptions
from judges.methods.jury import Jury
from judges.methods.jury import Options as JuryOptions
from judges.methods.more import More
from judges.methods.more import Options as MoreOptions
from judges.methods.samre import Options as SamreOptions
from judges.methods.samre import Samre
from judges.methods.single import Single
from tests.support.debate_seats import language_model
from tests.support.debatrix_script import CALLS_ON_A_PAIR
from tests.support.score_cards import scores

TASK = "Refute this: cities should plant more trees."
FIRST, SECOND = "Trees need water.", "Trees fall in storms."

#: Every judge of pairs, with the number of calls of one run by a judge that keeps its mind.
JUDGES: Mapping[str, tuple[Judge, int]] = {
    "single": (Single(Single.Options()), 1),
    "single as in the paper": (Single(Single.Options(preset="paper")), 1),
    "debatrix": (Debatrix(DebatrixOptions()), CALLS_ON_A_PAIR),
    "debatrix in a single pass": (
        Debatrix(DebatrixOptions(mode="single_pass")),
        len(DIMENSIONS) + 1,
    ),
    "debatrix without ties": (
        Debatrix(DebatrixOptions(mode="non_iterative", preset="debatrix")),
        CALLS_ON_A_PAIR,
    ),
    "more": (More(MoreOptions()), 9),
    "more on defences": (More(MoreOptions(scores="defences")), 9),
    "samre on defences": (Samre(SamreOptions(jurors=0, scores="defences")), 8),
    "more as in the paper": (More(MoreOptions(preset="paper")), 9),
    "samre as in the paper": (Samre(SamreOptions(preset="paper", jurors=3)), 11),
    "samre as in the paper, by scores": (
        Samre(SamreOptions(preset="paper", jurors=3, juror_mode="score", scores="answers")),
        11,
    ),
    "samre": (Samre(SamreOptions(jurors=0)), 8),
    "samre with votes": (Samre(SamreOptions(jurors=3)), 11),
    "samre with scores": (Samre(SamreOptions(jurors=3, juror_mode="score")), 11),
    "jury": (
        Jury(
            JuryOptions.model_validate(
                {"members": [{"judge": "single"}, {"judge": "more"}] + [{"judge": "single"}]}
            )
        ),
        11,
    ),
}


def pair_card(a: float = 12, b: float = 10, **more: str) -> str:
    """A score card of a pair with the same score on every criterion."""
    return json.dumps({"judgement": "Because.", "a": scores(a), "b": scores(b), **more})


def pair_verdict(a: float = 12, b: float = 10, **more: str) -> str:
    """The verdict of a judge of a dimension on a pair: what a card with these scores comes to."""
    winner = "tie" if a == b else "A" if a > b else "B"
    marks = {"a_mark": mark(6 * a, TOTAL), "b_mark": mark(6 * b, TOTAL)}
    return json.dumps({"judgement": "Because.", **marks, "winner": winner, **more})


def comparing(
    a: float = 12, b: float = 10, *, answers: Mapping[str, str | Completion] | None = None
) -> Callable[[Request], str | Completion]:
    """A script for every task of a judge of pairs; `answers` by path come first."""
    better = "A" if a > b else "B"
    round_card = pair_card(a, b, a_feedback="To A.", b_feedback="To B.")
    said = {
        "judge.criteria": pair_card(a, b),
        "judge.defences": pair_card(a, b),
        "judge.pleas": round_card,
        "judge.compare": pair_verdict(a, b),
        "judge.panel": pair_verdict(a, b),
        "judge.round": round_card,
        "judge.vote": json.dumps({"judgement": "So.", "winner": better}),
        "judge.totals": json.dumps({"judgement": "So.", "a_score": 6 * a, "b_score": 6 * b}),
    }

    def script(request: Request) -> str | Completion:
        given = (answers or {}).get(request.path)
        return given or said.get(request.task, f"Said at {request.path}.")

    return script


def pair(
    backend: Backend,
    folder: Path,
    *,
    code: str = "en",
    texts: tuple[str, str] = (FIRST, SECOND),
    task: str = TASK,
    model: str = "scripted/model",
    reworded: bool = False,
) -> Hearing:
    """Two answers before a judge."""
    spoken = language(code)
    heard = hear_pair(
        task,
        (answer_speech("pro", texts[0], spoken), answer_speech("con", texts[1], spoken)),
        language=spoken,
        model=language_model(backend, folder, name=model),
    )
    return replace(heard, reworded=reworded)

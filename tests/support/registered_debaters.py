"""Every registered debater at work on a script: the busiest that its caps and markers allow."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from json import JSONDecoder
from typing import Any

from arena.debater import Debater
from arena.llm.request import Completion, Request
from arena.plugins import debater_class
from tests.support.agent4debate_script import Team, asks_whenever_it_may, default, revise
from tests.support.debaters_at_work import DEFAULTS, Answer, AtWork, composed, form, never_settles

#: A debater, its options, and what the busiest of its agents say.
Case = tuple[str, Mapping[str, Any]]

_TEAM: dict[str, Answer] = {"write": asks_whenever_it_may, "review": revise("More.")}
_PLAN = {"points": [{"claim": "Main.", "support": ["One.", "Two."]}], "acknowledgment": "Granted."}
_OTHERS: dict[str, Answer] = {
    "reviewer": form(marker="revise", suggestions=["More."]),
    "judge": never_settles,
    "critic": form(objection="But no.", marker="objects"),
    "planner": form(**_PLAN),
}

#: All debaters that a model speaks for, and the ablations of their papers.
CASES: Mapping[str, Case] = {
    "direct": ("direct", {}),
    "cot": ("cot", {}),
    "cot_plan": ("cot_plan", {}),
    "cot_plan as in the paper": ("cot_plan", {"preset": "paper"}),
    "baseline": ("baseline", {}),
    "agent4debate": ("agent4debate", {}),
    "agent4debate, paper": (
        "agent4debate",
        {"preset": "paper", "max_revisions": 3, "max_searches": 3},
    ),
    "searching in steps": ("agent4debate", {"search_steps": 4}),
    "without searcher": ("agent4debate", {"searcher": False}),
    "without analyzer": ("agent4debate", {"analyzer": False}),
    "without reviewer": ("agent4debate", {"reviewer": False}),
    "self_reflect": ("self_reflect", {}),
    "self_consistency": ("self_consistency", {}),
    "rerank": ("rerank", {}),
    "americano": ("americano", {}),
    "mad": ("mad", {}),
    "mad, all rounds": ("mad", {"adaptive_break": False}),
    "mad, paper": ("mad", {"preset": "paper"}),
    "debate_to_write": ("debate_to_write", {}),
    "without personas": ("debate_to_write", {"personas": False}),
}

#: Who writes the speech in each case: without them there is none.
SPEAKERS: Mapping[str, tuple[str, ...]] = {
    "direct": ("writer",),
    "cot": ("writer",),
    "cot_plan": ("writer",),
    "cot_plan as in the paper": ("writer",),
    "baseline": ("writer",),
    "agent4debate": ("writer",),
    "agent4debate, paper": ("writer",),
    "searching in steps": ("writer",),
    "without searcher": ("writer",),
    "without analyzer": ("writer",),
    "without reviewer": ("writer",),
    "self_reflect": ("writer",),
    "self_consistency": ("writer",),
    "rerank": ("writer",),
    "americano": ("composer",),
    "mad": ("affirmative", "negative"),
    "mad, all rounds": ("affirmative", "negative"),
    "mad, paper": ("affirmative", "negative"),
    "debate_to_write": ("writer",),
    "without personas": ("writer",),
}


def at_work(case: str, answers: Mapping[str, Answer] | None = None, **more: object) -> AtWork:
    """One side's debater, with more options; without answers of its own it does all that it may."""
    name, options = CASES[case][0], {**CASES[case][1], **more}
    framework: type[Debater] = debater_class(name)
    if name == "agent4debate":
        return _Scripted(framework, Team(answers or _TEAM), **options)
    return AtWork(framework, _OTHERS if answers is None else answers, **options)


class _Scripted(AtWork):
    def __init__(
        self,
        framework: type[Debater],
        script: Callable[[Request], str | Completion],
        **options: object,
    ) -> None:
        super().__init__(framework, None, **options)
        self.backend.script = script


def saying(speech: str) -> Callable[[Request], str]:
    """A model that gives every speech the same text, and is content with it."""

    def said(request: Request) -> str:
        if request.schema is None:
            return speech
        fields = request.schema.body.get("properties", {})
        known, _ = JSONDecoder().raw_decode(_contented(request))
        if request.prose:
            return composed(speech, **known)
        spoken = {"answer": speech} if "answer" in fields else {}
        return json.dumps(known | spoken, ensure_ascii=False)

    return said


def _contented(request: Request) -> str:
    assert request.schema is not None
    if request.schema.name == "Plan":
        return form(**_PLAN)
    if request.schema.name in DEFAULTS:
        return json.dumps(DEFAULTS[request.schema.name])
    return default(request)

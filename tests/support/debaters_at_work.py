"""Debaters at work in a seat: scripted answers, the requests they led to, and the drafts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeAlias

from pydantic import BaseModel

from arena.debater import Debater, Draft, Turn
from arena.languages import Side, Stage
from arena.llm.request import Completion, Request
from tests.support.debate_seats import (
    SEEN,
    Shelf,
    language_model,
    paths,
    quoted,
    request_at,
    seat,
    speeches,
)
from tests.support.scripted_backend import ScriptedBackend

Answer: TypeAlias = str | Completion | Callable[[Request], str | Completion]

#: What is answered in each form where a test says nothing else.
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "Review": {"marker": "accept", "suggestions": []},
    "Reasoned": {"reasoning": "First this, then that."},
    "Proposal": {"reasons": "Reasons."},
    "Position": {"reasons": "Against it.", "stance": "disagree"},
    "Verdict": {"reason": "Well.", "supported": 2, "settled": True},
    "Extraction": {"reason": "Well.", "supported": 1},
    "Pool": {
        "personas": [{"description": f"Who {n}.", "claim": f"Claim {n}."} for n in range(1, 7)]
    },
    "Team": {"members": [{"number": n, "reason": f"Reason {n}."} for n in (5, 2, 6)]},
    "Contribution": {"contribution": "1. A point.", "marker": "satisfied"},
    "Objection": {"objection": "But no.", "marker": "persuaded"},
    "TeamPlan": {
        "points": [{"claim": "Main.", "support": ["One.", "Two."]}],
        "acknowledgment": "Granted.",
    },
    "Agreement": {"reason": "They agree.", "chosen": 2},
    "Marks": {"marks": [{"draft": n, "reason": "So.", "mark": 5 + n % 3} for n in range(1, 5)]},
}
#: The text after a form where one is asked for.
TEXTS: Mapping[str, str] = {
    "Reasoned": "A reasoned speech.",
    "Proposal": "A first speech.",
    "Position": "Another speech.",
    "Verdict": "The answer.",
    "Extraction": "The extract.",
}
#: More requests than any debater of a test's makes for a speech.
_ENDLESS = 500


class AtWork:
    """One side's debater: answers by the path without its side, else by agent, else by form."""

    def __init__(
        self,
        framework: type[Debater],
        answers: Mapping[str, Answer] | None = None,
        **options: object,
    ) -> None:
        self.backend = ScriptedBackend(self._answer)
        self.shelf = Shelf()
        self.drafts: dict[Stage, Draft] = {}
        self._framework, self._answers = framework, answers or {}
        self._options: BaseModel = framework.Options.model_validate(options)

    async def play(
        self, folder: Path, *stages: Stage, side: Side = "pro", code: str = "en"
    ) -> Self:
        """Make the speeches of some stages, each after those that the rules disclose."""
        model = language_model(self.backend, folder)
        place = seat(model, side=side, code=code, search=self.shelf)
        debater = self._framework(place, self._options)
        for stage in stages:
            turn = Turn(stage=stage, disclosed=speeches(SEEN[side, stage]))
            self.drafts[stage] = await debater.speak(turn)
        return self

    def calls(self, stage: Stage, side: Side = "pro") -> list[str]:
        """Who was asked in a stage, in order."""
        start = f"{side}/{stage}/"
        return [path.removeprefix(start) for path in paths(self.backend) if path.startswith(start)]

    def at(self, path: str, side: Side = "pro", *, attempt: int = 0) -> Request:
        """The request of a path."""
        return request_at(self.backend, f"{side}/{path}", attempt=attempt)

    def steps(self, stage: Stage, agent: str) -> list[dict[str, Any]]:
        """An agent's steps in the trace of a stage, without its name."""
        trace = [dict(step) for step in self.drafts[stage].trace]
        return [step for step in trace if step.pop("agent") == agent]

    def _answer(self, request: Request) -> str | Completion:
        assert len(self.backend.requests) < _ENDLESS, "it does not end"
        path = request.path.partition("/")[2]
        for key in (path, path.split("/")[1]):
            if key in self._answers:
                answer = self._answers[key]
                return answer(request) if callable(answer) else answer
        if request.schema is None:
            return f"Text of {path}."
        fields = DEFAULTS[request.schema.name]
        return composed(TEXTS[request.schema.name], **fields) if request.prose else form(**fields)


def composed(text: str, **fields: object) -> str:
    """An answer as JSON, and a text after it."""
    return f"{form(**fields)}\n\n{text}"


def form(**fields: object) -> str:
    """An answer as JSON."""
    return json.dumps(fields, ensure_ascii=False)


def never_settles(request: Request) -> str:
    """A judge of `mad` who finds no answer until it has to."""
    if request.schema is None:
        return "The candidates."
    if request.schema.name == "Extraction":
        return composed(TEXTS["Extraction"], **DEFAULTS["Extraction"])
    return form(reason="Not yet.", supported=2, settled=False)


def said(request: Request, label: str = "turn") -> list[tuple[str, str]]:
    """The quotations of a label as (the words in their heads, text)."""
    return [(" | ".join(one.words), one.text) for one in quoted(request, label)]

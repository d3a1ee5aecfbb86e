"""A script for the agents of `agent4debate`, and the answers that they give."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from arena.debaters.agent4debate import Agent4Debate, Options
from arena.llm.request import Completion, Request
from tests.support.debate_seats import Shelf, quoted
from tests.support.debaters_at_work import Answer, AtWork, composed
from tests.support.scripted_backend import ScriptedBackend


def queries(*texts: str) -> str:
    """The Searcher's queries, or its corrections."""
    return json.dumps({"queries": list(texts)})


def compiled(
    kept: Mapping[int, Sequence[int]], conclusions: str = "So much.", others: Sequence[int] = ()
) -> str:
    """The Searcher's synthesis: numbers kept per query, conclusions, others."""
    listed = [{"query": query, "numbers": list(numbers)} for query, numbers in kept.items()]
    return json.dumps({"kept": listed, "conclusions": conclusions, "others": list(others)})


def finished(speech: str) -> str:
    """The Writer's draft."""
    return composed(speech, reasoning="", marker="finished")


def needs(claim: str) -> str:
    """The Writer's request for material."""
    return json.dumps({"reasoning": "", "marker": "needs_material", "claim": claim})


def accept() -> str:
    """The Reviewer's consent."""
    return json.dumps({"marker": "accept", "suggestions": []})


def revise(*suggestions: str) -> str:
    """The Reviewer's suggestions."""
    return json.dumps({"marker": "revise", "suggestions": list(suggestions)})


def may_ask(request: Request) -> bool:
    """Whether the Writer is offered the marker that asks for material."""
    assert request.schema is not None
    offered = "needs_material" in request.schema.text()
    assert offered == ("needs_material" in request.text()), "prompt and schema disagree"
    return offered


def asks_whenever_it_may(request: Request) -> str:
    """A Writer that asks for material as long as it is offered to."""
    return needs(f"Claim of {request.path}.") if may_ask(request) else default(request)


def default(request: Request) -> str:
    """What each agent answers: one query, no correction, the first finding, a draft, consent."""
    searched = "first query" in request.variables.get("results", "")
    step = {"action": "finish"} if searched else {"action": "search", "query": "first query"}
    answers = {
        "search.step": json.dumps(step),
        "search.queries": queries("first query"),
        "search.correct": queries(),
        "search.compile": compiled({1: [1]}, f"Conclusions of {request.path}."),
        "write": finished(f"Draft of {request.path}."),
        "review": accept(),
        "analyse": f"Outline of {request.path}.",
    }
    return answers.get(request.task) or answers[request.task.partition(".")[0]]


#: More requests than any discussion of a test's can take.
_ENDLESS = 500


class Team:
    """Answers by the path without its side, else by the task, else by the agent's default."""

    def __init__(self, answers: Mapping[str, Answer] | None = None) -> None:
        self.answers = answers or {}
        self._asked = 0

    def __call__(self, request: Request) -> str | Completion:
        self._asked += 1
        assert self._asked < _ENDLESS, "the discussion does not end"
        path = request.path.partition("/")[2]
        for key in (path, request.task, request.task.partition(".")[0]):
            if key in self.answers:
                answer = self.answers[key]
                return answer(request) if callable(answer) else answer
        return default(request)


class TeamAtWork(AtWork):
    """One side's team on some stages: its requests, its searches, and each stage's draft."""

    def __init__(
        self,
        answers: Mapping[str, Answer] | None = None,
        *,
        shelf: Shelf | None = None,
        options: Options | None = None,
    ) -> None:
        super().__init__(Agent4Debate, **(options or Options()).model_dump())
        self.backend = ScriptedBackend(Team(answers))
        self.shelf = shelf or Shelf()


def turns(request: Request) -> list[tuple[str, str]]:
    """The dialogue that a request shows: (agent, what it said)."""
    return [(one.words[0], one.text) for one in quoted(request, "turn")]

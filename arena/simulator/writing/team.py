"""The simulated team: people for a motion, and their talk with a critic about a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.languages import other_side
from arena.simulator.mind import Mind
from arena.simulator.reading.words import content, opened, overlap
from arena.simulator.writing.ideas import Idea, distinct, from_line, numbered, remembered, to_line
from arena.simulator.writing.outline import outlined
from arena.simulator.writing.schemes import PEOPLE, general

#: A line that shares so many of its words with an earlier one says nothing new.
_SAME = 0.6
_DIGITS = re.compile(r"\d{1,2}")


def personas(mind: Mind) -> Mapping[str, Any]:
    """A pool of people, each with a claim of its own: what is remembered, then general schemes."""
    people = list(PEOPLE[mind.situation.language.code])
    mind.rng.shuffle(people)
    pairs = zip(people, _known(mind), strict=False)
    return {"personas": [{"description": who, "claim": idea.claim} for who, idea in pairs]}


def team(mind: Mind) -> Mapping[str, Any]:
    """As many of the candidates as the variable `number` says, by chance."""
    there = range(1, len(numbered(_noted(mind, "candidates"))) + 1)
    number = _number(mind.request.variables.get("number", "3"))
    chosen = mind.rng.sample(there, k=min(number, len(there)))
    reason = mind.labels.short
    return {"members": [{"number": one, "reason": reason} for one in chosen]}


def discuss(mind: Mind) -> Mapping[str, Any]:
    """A member's points that nobody has made yet; satisfied where there are none, or by chance."""
    lines = outlined(mind, mind.situation.stage)
    if mind.situation.stage == "constructive":
        lines = [*_believed(mind), *lines]
    fresh = _fresh(lines, _said(mind))[:2]
    content_now = not fresh or mind.succeeds(0.5)
    told = [f"{n}. {line}" for n, line in enumerate(fresh or lines[:1], start=1)]
    return {
        "contribution": "\n".join(told),
        "marker": "satisfied" if content_now else "open",
    }


def contest(mind: Mind) -> Mapping[str, Any]:
    """What the other side would say and nobody has raised; persuaded where that is nothing."""
    situation = mind.situation
    theirs = other_side(situation.side)
    share, model = mind.skill.memory, mind.request.model
    known = mind.topic.remembered(theirs, model=model, share=share)
    claims = [one.claim for one in known]
    claims += [c for c, _ in general(situation.motion, situation.language, theirs)]
    seen = [one for one in claims if mind.succeeds(mind.skill.rebuttal / 2)]
    raised = _fresh([mind.labels.they_say.format(opened(one)) for one in seen], _said(mind))[:2]
    marker = "objects" if raised else "persuaded"
    return {"objection": "\n".join(raised), "marker": marker}


def agreed(mind: Mind) -> list[str]:
    """The points of a talk between members, as far as they are taken up; none without a talk."""
    turns = [turn.text for turn in mind.situation.turns if turn.agent == "Member"]
    lines = [line for text in turns for line in numbered(text)]
    taken = [line for line in lines if mind.succeeds(mind.skill.outline)]
    return _fresh(taken or lines, ())[:3]


def _believed(mind: Mind) -> list[str]:
    """What the member's persona claims, with what is known to support it."""
    lines = numbered(_noted(mind, "persona"))
    number = _number(mind.request.variables.get("number", "0"))
    if not 1 <= number <= len(lines):
        return []
    claim = lines[number - 1].rpartition(" — ")[2]
    words = content(claim)
    near = [one for one in _known(mind) if overlap(content(one.claim), words) >= _SAME]
    return [to_line(near[0] if near else from_line(claim, mind), mind)]


def _known(mind: Mind) -> list[Idea]:
    situation = mind.situation
    schemes = general(situation.motion, situation.language, situation.side)
    return distinct([*remembered(mind), *(Idea(claim=c, support=s) for c, s in schemes)])


def _said(mind: Mind) -> list[str]:
    return [line for turn in mind.situation.turns for line in turn.text.split("\n")]


def _fresh(lines: Iterable[str], said: Sequence[str]) -> list[str]:
    seen = [content(line) for line in said if content(line)]
    found = []
    for line in lines:
        words = content(line)
        if all(overlap(words, other) < _SAME for other in seen):
            found.append(line)
            seen.append(words)
    return found


def _noted(mind: Mind, label: str) -> str:
    word = mind.situation.language.terms[label]
    return next((note.text for note in mind.situation.notes if note.label == word), "")


def _number(text: str) -> int:
    digits = _DIGITS.search(text)
    return int(digits[0]) if digits else 0

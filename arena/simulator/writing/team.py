"""The simulated team: personas for a motion, and their discussion of a plan with a critic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.languages import other_side
from arena.simulator.mind import Mind
from arena.simulator.words import content_words, overlap, strip_end_mark
from arena.simulator.writing.ideas import (
    Idea,
    distinct_ideas,
    format_idea,
    numbered_lines,
    parse_idea,
    recall_ideas,
)
from arena.simulator.writing.outline import outline_lines
from arena.simulator.writing.schemes import PEOPLE, general_schemes

#: Share of common words from which a line repeats an earlier one.
_SAME = 0.6
_DIGITS = re.compile(r"\d{1,2}")


def personas(mind: Mind) -> Mapping[str, Any]:
    """Make a pool of personas, each with a claim: remembered arguments, then general schemes."""
    people = list(PEOPLE[mind.situation.language.code])
    mind.rng.shuffle(people)
    pairs = zip(people, _known_ideas(mind), strict=False)
    return {"personas": [{"description": person, "claim": idea.claim} for person, idea in pairs]}


def team(mind: Mind) -> Mapping[str, Any]:
    """Choose candidates at random, as many as the variable `number` says."""
    candidates = range(1, len(numbered_lines(_find_note(mind, "candidates"))) + 1)
    size = _number(mind.request.variables.get("number", "3"))
    members = mind.rng.sample(candidates, k=min(size, len(candidates)))
    reason = mind.labels.short
    return {"members": [{"number": number, "reason": reason} for number in members]}


def discuss(mind: Mind) -> Mapping[str, Any]:
    """Contribute points that nobody has made yet.

    The member is satisfied where it has none, and else in half of the cases.
    """
    lines = outline_lines(mind, mind.situation.stage)
    if mind.situation.stage == "constructive":
        lines = [*_persona_lines(mind), *lines]
    fresh = _new_lines(lines, _dialogue_lines(mind))[:2]
    satisfied = not fresh or mind.succeeds(0.5)
    points = [f"{n}. {line}" for n, line in enumerate(fresh or lines[:1], start=1)]
    return {
        **_relation(mind, own="Member"),
        "contribution": "\n".join(points),
        "marker": "satisfied" if satisfied else "open",
    }


def contest(mind: Mind) -> Mapping[str, Any]:
    """Object with points of the other side that nobody has raised; persuaded where none is left."""
    situation = mind.situation
    theirs = other_side(situation.side)
    share, model = mind.skill.memory, mind.request.model
    known = mind.topic.recalled_points(theirs, model=model, share=share)
    claims = [point.claim for point in known]
    claims += [claim for claim, _ in general_schemes(situation.motion, situation.language, theirs)]
    noticed = [claim for claim in claims if mind.succeeds(mind.skill.rebuttal / 2)]
    objections = [mind.labels.they_say.format(strip_end_mark(claim)) for claim in noticed]
    raised = _new_lines(objections, _dialogue_lines(mind))[:2]
    marker = "objects" if raised else "persuaded"
    return {**_relation(mind, own="Critic"), "objection": "\n".join(raised), "marker": marker}


def team_points(mind: Mind) -> list[str]:
    """Return up to three points of the members' discussion; empty where there was none."""
    turns = [turn.text for turn in mind.situation.turns if turn.agent == "Member"]
    lines = [line for text in turns for line in numbered_lines(text)]
    followed = [line for line in lines if mind.succeeds(mind.skill.outline)]
    return _new_lines(followed or lines, ())[:3]


def _relation(mind: Mind, *, own: str) -> Mapping[str, Any]:
    """Say which turn is taken up, where the form asks for it: opponents' are opposed, own backed.

    The last turn of the other kind is answered in two of three cases, else any turn.
    """
    turns = mind.situation.turns
    if not mind.has_field("answers"):
        return {}
    if not turns:
        return {"answers": 0, "stance": "opens"}
    others = [number for number, turn in enumerate(turns, start=1) if turn.agent != own]
    last = bool(others) and mind.succeeds(2 / 3)
    number = others[-1] if last else mind.rng.randint(1, len(turns))
    return {"answers": number, "stance": "opposes" if number in others else "supports"}


def _persona_lines(mind: Mind) -> list[str]:
    """Return the claim of the member's persona, with the support that is known for it."""
    lines = numbered_lines(_find_note(mind, "persona"))
    number = _number(mind.request.variables.get("number", "0"))
    if not 1 <= number <= len(lines):
        return []
    claim = lines[number - 1].rpartition(" — ")[2]
    words = content_words(claim)
    known = [
        idea for idea in _known_ideas(mind) if overlap(content_words(idea.claim), words) >= _SAME
    ]
    return [format_idea(known[0] if known else parse_idea(claim, mind), mind)]


def _known_ideas(mind: Mind) -> list[Idea]:
    situation = mind.situation
    schemes = general_schemes(situation.motion, situation.language, situation.side)
    general = [Idea(claim=claim, support=support) for claim, support in schemes]
    return distinct_ideas([*recall_ideas(mind), *general])


def _dialogue_lines(mind: Mind) -> list[str]:
    return [line for turn in mind.situation.turns for line in turn.text.split("\n")]


def _new_lines(lines: Iterable[str], earlier: Sequence[str]) -> list[str]:
    """Leave out lines that repeat an earlier one."""
    seen = [content_words(line) for line in earlier if content_words(line)]
    new = []
    for line in lines:
        words = content_words(line)
        if all(overlap(words, seen_words) < _SAME for seen_words in seen):
            new.append(line)
            seen.append(words)
    return new


def _find_note(mind: Mind, label: str) -> str:
    word = mind.situation.language.terms[label]
    return next((note.text for note in mind.situation.notes if note.label == word), "")


def _number(text: str) -> int:
    digits = _DIGITS.search(text)
    return int(digits[0]) if digits else 0

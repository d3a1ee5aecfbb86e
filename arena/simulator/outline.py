"""The simulated analyst and team: outlines, plans, personas and their discussion with a critic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.languages import Stage, other_side
from arena.simulator.ideas import (
    Idea,
    add_source,
    distinct_ideas,
    format_idea,
    general_ideas,
    numbered_lines,
    own_ideas,
    parse_idea,
    recall_ideas,
)
from arena.simulator.mind import Mind
from arena.simulator.speeches import (
    answerable_points,
    format_clash,
    format_reply,
    match_replies,
    notice_clashes,
    opposing_points,
    own_points,
)
from arena.simulator.wording import TABLES
from arena.simulator.words import content_words, overlap, strip_end_mark, text_overlap


@dataclass(frozen=True, slots=True)
class OutlinePoint:
    """A point of an outline: its line, and what evidence is needed for."""

    line: str
    idea: Idea


def analyse(mind: Mind) -> str:
    """Write an outline for the speech of the stage.

    Where the prompt has a mark for missing evidence, claims without a source are marked.
    """
    voice, labels = mind.voice, mind.labels
    marked = labels["missing"].strip() in mind.request.text()
    body: list[str] = []
    for number, point in enumerate(_outline_points(mind, mind.situation.stage), start=1):
        body.append(f"{number}. {point.line}")
        if marked and add_source(point.idea, mind).source is None:
            body.append(labels["missing"] + point.idea.claim.rstrip("…"))
    head = [
        labels["definition"] + voice.say("definition"),
        labels["criterion"] + voice.say("criterion"),
    ]
    return "\n".join([*head, *body])


def outline_lines(mind: Mind, stage: Stage) -> list[str]:
    """Return the points that the speech of a stage should make, one line each."""
    return [point.line for point in _outline_points(mind, stage)]


def _outline_points(mind: Mind, stage: Stage) -> Iterable[OutlinePoint]:
    if stage == "rebuttal" and opposing_points(mind):
        replies = match_replies(answerable_points(mind), mind)
        return [
            OutlinePoint(format_reply(one, mind), one.against or Idea(claim=one.quoted))
            for one in replies
        ]
    if stage == "summary" and own_points(mind):
        clashes = notice_clashes(mind)
        return [OutlinePoint(format_clash(one, mind), Idea(claim=one.ours)) for one in clashes]
    return [OutlinePoint(format_idea(idea, mind), idea) for idea in own_ideas(mind)]


def plan(mind: Mind) -> Mapping[str, Any]:
    """Plan a speech: points with their support, and a concession to the other side, if any."""
    lines = team_points(mind) or outline_lines(mind, mind.situation.stage)
    return {"points": [_point(line, mind) for line in lines], "acknowledgment": _concession(mind)}


def _point(line: str, mind: Mind) -> dict[str, Any]:
    claim, _, support = line.partition(mind.labels["support"])
    return {"claim": claim.strip(), "support": [support.strip() or mind.voice.say("weigh")]}


def _concession(mind: Mind) -> str:
    points = opposing_points(mind)
    if not points or not mind.succeeds(mind.skill.rebuttal / 2):
        return ""
    return mind.labels["they_say"].format(points[-1])


#: Share of common words from which a line repeats an earlier one.
_SAME = 0.6
_DIGITS = re.compile(r"\d{1,2}")


def personas(mind: Mind) -> Mapping[str, Any]:
    """Make a pool of personas, each with a claim: remembered arguments, then general schemes."""
    people = list(TABLES[mind.language.code]["general"]["people"])
    mind.rng.shuffle(people)
    pairs = zip(people, _known_ideas(mind), strict=False)
    return {"personas": [{"description": person, "claim": idea.claim} for person, idea in pairs]}


def team(mind: Mind) -> Mapping[str, Any]:
    """Choose candidates at random, as many as the variable `number` says."""
    candidates = range(1, len(_quoted_lines("candidates", mind)) + 1)
    members = mind.rng.sample(candidates, k=min(_number(mind), len(candidates)))
    reason = mind.labels["short"]
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
    claims += [idea.claim for idea in general_ideas(mind, theirs)]
    noticed = [claim for claim in claims if mind.succeeds(mind.skill.rebuttal / 2)]
    objections = [mind.labels["they_say"].format(strip_end_mark(claim)) for claim in noticed]
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
    lines = _quoted_lines("persona", mind)
    number = _number(mind)
    if not 1 <= number <= len(lines):
        return []
    claim = lines[number - 1].rpartition(" — ")[2]
    known = [idea for idea in _known_ideas(mind) if text_overlap(idea.claim, claim) >= _SAME]
    return [format_idea(known[0] if known else parse_idea(claim, mind), mind)]


def _known_ideas(mind: Mind) -> list[Idea]:
    return distinct_ideas([*recall_ideas(mind), *general_ideas(mind, mind.situation.side)])


def _quoted_lines(kind: str, mind: Mind) -> list[str]:
    return [line for note in mind.situation.quoted(kind)[:1] for line in numbered_lines(note.text)]


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


def _number(mind: Mind) -> int:
    digits = _DIGITS.search(mind.variable("number"))
    return int(digits[0]) if digits else 0

"""The simulated searcher: what it looks for, and what it keeps of the results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from arena.simulator.mind import Mind
from arena.simulator.reading.situation import Found, findings, kind, unquoted
from arena.simulator.reading.words import content, opened, overlap
from arena.simulator.writing.ideas import judged, noticed, remembered

_HEADING = re.compile(r"^\W*(?:query|检索|查询)\W*(\d{1,3})\b", re.IGNORECASE)
_ENOUGH = 2


def queries(mind: Mind) -> Mapping[str, Any]:
    """What to ask a search engine: the question's words, and the arguments that come to mind."""
    question = _question(mind)
    asked = [mind.voice.say("queries", words=opened(question))]
    asked += [opened(idea.claim) for idea in remembered(mind) if question == mind.situation.motion]
    asked.append(opened(question))
    return {"queries": list(dict.fromkeys(query for query in asked if query))[:4]}


def corrected(mind: Mind) -> Mapping[str, Any]:
    """Other queries where little was found for one's own side, else none."""
    if len(noticed(mind, mind.situation.side)) >= _ENOUGH:
        return {"queries": []}
    words = opened(_question(mind))
    other = [opened(idea.claim) for idea in remembered(mind)]
    other.append(mind.voice.say("queries", words=words))
    shown = mind.request.variables.get("results", "")
    return {"queries": [query for query in other if query not in shown][:3]}


def compiled(mind: Mind) -> Mapping[str, Any]:
    """The findings that bear on the question by query, a conclusion, and finds beside it."""
    groups = _groups(mind)
    shown = {one.number: one for group in groups.values() for one in group}
    kept = [one for one in shown.values() if _bears(one, mind)]
    ours = [one.number for one in kept if judged(one, mind) == mind.situation.side]
    numbers = {one.number for one in kept}
    return {
        "kept": [
            {"query": query, "numbers": [one.number for one in group if one.number in numbers]}
            for query, group in groups.items()
            if any(one.number in numbers for one in group)
        ],
        "conclusions": _conclusions(ours, sorted(numbers - set(ours)), mind=mind),
        "others": sorted(set(shown) - numbers)[:2],
    }


def _conclusions(ours: list[int], theirs: list[int], *, mind: Mind) -> str:
    parts = [
        mind.voice.say(place, numbers="".join(f"[{number}]" for number in sorted(numbers)))
        for place, numbers in (("found_ours", ours), ("found_theirs", theirs))
        if numbers
    ]
    blank = "" if mind.situation.language.code == "zh" else " "
    return blank.join(parts) or mind.voice.say("found_nothing")


def _question(mind: Mind) -> str:
    variables = mind.request.variables
    given = next((variables[key] for key in ("question", "claim") if variables.get(key)), "")
    return " ".join(unquoted(given).split()) or mind.situation.motion


def _groups(mind: Mind) -> dict[int, list[Found]]:
    """The findings of the results by the number of the query that found them first."""
    groups: dict[int, list[Found]] = {}
    seen: set[int] = set()
    blocks = [note.text for note in mind.situation.notes if kind(note) == "results"]
    query = 0
    for block in blocks:
        query += 1
        for line in block.split("\n"):
            heading = _HEADING.match(line)
            query = int(heading[1]) if heading else query
            for one in [] if heading else findings(line):
                if one.number not in seen:
                    groups.setdefault(query, []).append(one)
                    seen.add(one.number)
    return groups


def _bears(one: Found, mind: Mind) -> bool:
    words = content(f"{mind.situation.motion} {_question(mind)}")
    related = overlap(words, content(one.excerpt)) > 0 or mind.topic.leans(one.excerpt) is not None
    return related and mind.succeeds(mind.skill.reading)

"""The simulated searcher: its queries, and the results that it keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from arena.simulator.ideas import guess_side, notice_references, recall_ideas
from arena.simulator.mind import Mind
from arena.simulator.prompt import PromptReference, parse_references, strip_quotation
from arena.simulator.words import content_words, join_sentences, overlap, strip_end_mark

_HEADING = re.compile(r"^\W*(?:query|检索|查询)\W*(\d{1,3})\b", re.IGNORECASE)
#: Noticed references for the own side that make further queries unnecessary.
_ENOUGH = 2


def queries(mind: Mind) -> Mapping[str, Any]:
    """Return search queries: the question, and the arguments that the model recalls."""
    question = _question(mind)
    texts = [mind.voice.say("queries", words=strip_end_mark(question))]
    texts += [
        strip_end_mark(idea.claim)
        for idea in recall_ideas(mind)
        if question == mind.situation.motion
    ]
    texts.append(strip_end_mark(question))
    return {"queries": list(dict.fromkeys(query for query in texts if query))[:4]}


def correct_queries(mind: Mind) -> Mapping[str, Any]:
    """Return further queries where little was found for the own side, else none."""
    if len(notice_references(mind, mind.situation.side)) >= _ENOUGH:
        return {"queries": []}
    words = strip_end_mark(_question(mind))
    texts = [strip_end_mark(idea.claim) for idea in recall_ideas(mind)]
    texts.append(mind.voice.say("queries", words=words))
    results = mind.request.variables.get("results", "")
    return {"queries": [query for query in texts if query not in results][:3]}


def compile_results(mind: Mind) -> Mapping[str, Any]:
    """Return the relevant references by query, a conclusion, and two of the other references."""
    groups = _references_by_query(mind)
    results = {item.number: item for group in groups.values() for item in group}
    kept = [item for item in results.values() if _is_relevant(item, mind)]
    ours = [item for item in kept if guess_side(item, mind) == mind.situation.side]
    theirs = [item for item in kept if item not in ours]
    numbers = {item.number for item in kept}
    return {
        "kept": [
            {"query": query, "numbers": [item.number for item in group if item.number in numbers]}
            for query, group in groups.items()
            if any(item.number in numbers for item in group)
        ],
        "conclusions": _conclusions(ours, theirs, mind=mind),
        "others": sorted(set(results) - numbers)[:2],
    }


def _conclusions(ours: list[PromptReference], theirs: list[PromptReference], *, mind: Mind) -> str:
    parts = [
        mind.voice.say(place, numbers=_format_marks(references, mind))
        for place, references in (("found_ours", ours), ("found_theirs", theirs))
        if references
    ]
    return join_sentences(parts, mind.language) or mind.voice.say("found_nothing")


def _format_marks(references: list[PromptReference], mind: Mind) -> str:
    ordered = sorted(references, key=lambda reference: reference.number)
    return "".join(f"[{mind.format_mark(reference)}]" for reference in ordered)


def _question(mind: Mind) -> str:
    variables = mind.request.variables
    text = next((variables[key] for key in ("question", "claim") if variables.get(key)), "")
    return " ".join(strip_quotation(text).split()) or mind.situation.motion


def _references_by_query(mind: Mind) -> dict[int, list[PromptReference]]:
    """Return the references of the results by the number of the query that found them first."""
    groups: dict[int, list[PromptReference]] = {}
    seen: set[int] = set()
    query = 0
    for note in mind.situation.quoted("results"):
        query += 1
        for line in note.text.split("\n"):
            heading = _HEADING.match(line)
            query = int(heading[1]) if heading else query
            for item in [] if heading else parse_references(line):
                if item.number not in seen:
                    groups.setdefault(query, []).append(item)
                    seen.add(item.number)
    return groups


def _is_relevant(reference: PromptReference, mind: Mind) -> bool:
    words = content_words(f"{mind.situation.motion} {_question(mind)}")
    related = (
        overlap(words, content_words(reference.excerpt)) > 0
        or mind.topic.supported_side(reference.excerpt) is not None
    )
    return related and mind.succeeds(mind.skill.reading)

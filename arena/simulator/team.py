"""The simulated team: searches, outlines, plans, and personas who discuss them with a critic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena.languages import other_side
from arena.records import Reference
from arena.simulator.ideas import (
    Idea,
    add_source,
    distinct_ideas,
    format_idea,
    general_ideas,
    guess_side,
    notice_references,
    numbered_lines,
    parse_idea,
    recall_ideas,
    side_points,
    stage_ideas,
)
from arena.simulator.mind import Mind
from arena.simulator.prompt import parse_references, strip_quotation
from arena.simulator.words import (
    content_words,
    fragment,
    join_sentences,
    strip_end_mark,
    text_overlap,
)

_HEADING = re.compile(r"^\W*(?:query|检索|查询)\W*(\d{1,3})\b", re.IGNORECASE)
#: Noticed references for the own side that make further queries unnecessary.
_ENOUGH = 2
#: Share of common words from which a known argument is the persona's claim.
_SAME = 0.6


def analyse(mind: Mind) -> str:
    """Write an outline for the speech of the stage, after the reasoning that the prompt asks for.

    Where the prompt has a mark for missing evidence, claims without a source are marked.
    """
    labels, asked = mind.labels, mind.request.text()
    marked = labels["missing"].strip() in asked
    reasons = labels["steps"] in asked
    lines = [labels["steps"], mind.say("think"), labels["outline"]] if reasons else []
    lines += [labels[key] + mind.say(key) for key in ("definition", "criterion")]
    for number, idea in enumerate(stage_ideas(mind), start=1):
        lines.append(f"{number}. {format_idea(idea, mind)}")
        if marked and add_source(idea, mind).source is None:
            lines.append(labels["missing"] + (idea.claim or idea.theirs).rstrip("…"))
    return "\n".join(lines)


def plan(mind: Mind) -> Mapping[str, Any]:
    """Plan a speech: points with their support, and a concession to the other side, if any.

    Up to three points of the members' discussion are used, where there was one.
    """
    turns = [turn.text for turn in mind.situation.turns if turn.agent == "Member"]
    lines = [line for text in turns for line in numbered_lines(text)]
    followed = [line for line in lines if mind.succeeds(mind.skill.outline)]
    discussed = distinct_ideas(parse_idea(line, mind) for line in followed or lines)[:3]
    points = side_points(other_side(mind.situation.side), mind)
    concedes = points and mind.succeeds(mind.skill.rebuttal / 2)
    return {
        "points": [
            {
                "claim": format_idea(replace(idea, support=""), mind),
                "support": [idea.support or mind.say("weigh")],
            }
            for idea in discussed or stage_ideas(mind)
        ],
        "acknowledgment": mind.labels["they_say"].format(points[-1]) if concedes else "",
    }


def personas(mind: Mind) -> Mapping[str, Any]:
    """Make a pool of personas, each with a claim: remembered arguments, then general schemes."""
    people = list(mind.table["general"]["people"])
    mind.rng.shuffle(people)
    pairs = zip(people, _all_ideas(mind), strict=False)
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
    persona = _persona_ideas(mind) if mind.situation.stage == "constructive" else []
    ideas = [*persona, *stage_ideas(mind)]
    fresh = distinct_ideas(ideas, existing=_dialogue_ideas(mind))[:2]
    satisfied = not fresh or mind.succeeds(0.5)
    lines = [format_idea(idea, mind) for idea in fresh or ideas[:1]]
    return {
        **_relation(mind, own="Member"),
        "contribution": "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1)),
        "marker": "satisfied" if satisfied else "open",
    }


def contest(mind: Mind) -> Mapping[str, Any]:
    """Object with points of the other side that nobody has raised; persuaded where none is left."""
    theirs = other_side(mind.situation.side)
    claims = [one.claim for one in mind.topic.points[theirs] if mind.remembers(one.claim)]
    claims += [idea.claim for idea in general_ideas(theirs, mind)]
    objections = [
        Idea(theirs=fragment(claim, mind.language))
        for claim in claims
        if mind.succeeds(mind.skill.rebuttal / 2)
    ]
    raised = distinct_ideas(objections, existing=_dialogue_ideas(mind))[:2]
    return {
        **_relation(mind, own="Critic"),
        "objection": "\n".join(format_idea(idea, mind) for idea in raised),
        "marker": "objects" if raised else "persuaded",
    }


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


def _persona_ideas(mind: Mind) -> list[Idea]:
    """Return the claim of the member's persona, with the support that is known for it."""
    lines = dict(enumerate(_quoted_lines("persona", mind), start=1))
    claim = lines.get(_number(mind), "").rpartition(" — ")[2]
    known = [idea for idea in _all_ideas(mind) if text_overlap(idea.claim, claim) >= _SAME]
    return [*known, parse_idea(claim, mind)][:1] if claim else []


def _all_ideas(mind: Mind) -> list[Idea]:
    return distinct_ideas([*recall_ideas(mind), *general_ideas(mind.situation.side, mind)])


def _dialogue_ideas(mind: Mind) -> list[Idea]:
    lines = [line for turn in mind.situation.turns for line in turn.text.split("\n")]
    return [parse_idea((numbered_lines(line) or [line])[0], mind) for line in lines]


def _quoted_lines(kind: str, mind: Mind) -> list[str]:
    return [line for note in mind.situation.quoted(kind)[:1] for line in numbered_lines(note.text)]


def _number(mind: Mind) -> int:
    return int((re.findall(r"\d{1,2}", mind.variable("number")) or ["0"])[0])


def queries(mind: Mind) -> Mapping[str, Any]:
    """Return search queries: the question, and the arguments that the model recalls."""
    question = _question(mind)
    recalled = _recalled_claims(mind) if question == mind.situation.motion else []
    plain = strip_end_mark(question)
    texts = [mind.say("queries", words=plain), *recalled, plain]
    return {"queries": list(dict.fromkeys(filter(None, texts)))[:4]}


def correct_queries(mind: Mind) -> Mapping[str, Any]:
    """Return further queries where little was found for the own side, else none."""
    if len(notice_references(mind.situation.side, mind)) >= _ENOUGH:
        return {"queries": []}
    question = mind.say("queries", words=strip_end_mark(_question(mind)))
    results = mind.request.variables.get("results", "")
    fresh = [query for query in [*_recalled_claims(mind), question] if query not in results]
    return {"queries": fresh[:3]}


def search_step(mind: Mind) -> Mapping[str, Any]:
    """Search for each query, then read the page of a finding for the own side, then finish."""
    results = mind.request.variables.get("results", "")
    fresh = [query for query in queries(mind)["queries"] if query not in results]
    if fresh:
        return {"action": "search", "query": fresh[0]}
    noticed = notice_references(mind.situation.side, mind)
    page = mind.language.terms["page"]
    unread = [item for item in noticed if page.format(item.origin) not in results]
    if unread and mind.succeeds(mind.skill.reading):
        return {"action": "read", "number": unread[0].number}
    return {"action": "finish"}


def _recalled_claims(mind: Mind) -> list[str]:
    return [strip_end_mark(idea.claim) for idea in recall_ideas(mind)]


def _question(mind: Mind) -> str:
    variables = mind.request.variables
    text = variables.get("question") or variables.get("claim") or ""
    return " ".join(strip_quotation(text).split()) or mind.situation.motion


def compile_results(mind: Mind) -> Mapping[str, Any]:
    """Return the relevant references by query, a conclusion, and two of the other references."""
    found_by = _query_numbers(mind)
    kept = [item for item in found_by if _is_relevant(item, mind)]
    ours = [item for item in kept if guess_side(item, mind) == mind.situation.side]
    theirs = [item for item in kept if item not in ours]
    parts = [
        mind.say(place, numbers=_format_marks(references, mind))
        for place, references in (("found_ours", ours), ("found_theirs", theirs))
        if references
    ]
    return {
        "kept": [
            {"query": query, "numbers": [one.number for one in kept if found_by[one] == query]}
            for query in dict.fromkeys(found_by[item] for item in kept)
        ],
        "conclusions": join_sentences(parts, mind.language) or mind.say("found_nothing"),
        "others": sorted(item.number for item in found_by if item not in kept)[:2],
    }


def _format_marks(references: list[Reference], mind: Mind) -> str:
    ordered = sorted(references, key=lambda reference: reference.number)
    return "".join(f"[{mind.format_mark(reference)}]" for reference in ordered)


def _query_numbers(mind: Mind) -> dict[Reference, int]:
    """Return the references of the results, with the number of the query that found them first."""
    numbers: dict[Reference, int] = {}
    query = 0
    for note in mind.situation.quoted("results"):
        query += 1
        for line in note.text.split("\n"):
            heading = _HEADING.match(line)
            query = int(heading[1]) if heading else query
            for item in [] if heading else parse_references(line):
                if all(item.number != known.number for known in numbers):
                    numbers[item] = query
    return numbers


def _is_relevant(reference: Reference, mind: Mind) -> bool:
    words = content_words(f"{mind.situation.motion} {_question(mind)}")
    related = bool(words & content_words(reference.excerpt))
    related = related or mind.topic.supported_side(reference.excerpt) is not None
    return related and mind.succeeds(mind.skill.reading)

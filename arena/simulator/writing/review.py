"""The simulated reviewer: real defects of a draft, as far as they are noticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.simulator.mind import Mind
from arena.simulator.phrases.cues import GAP
from arena.simulator.reading.arguments import answers, arguments
from arena.simulator.reading.words import cited, content, fragment, overlap, uncited
from arena.simulator.writing import rebuttal, summary
from arena.simulator.writing.ideas import (
    Idea,
    distinct,
    from_line,
    noticed,
    numbered,
    outline,
    own_ideas,
    sourced,
    to_line,
)
from arena.simulator.writing.revision import draft_of

_MOST = 4
_COVERED = 0.6


def review(mind: Mind) -> Mapping[str, Any]:
    """Accept, or revise with suggestions, each of which names what to add or remove."""
    draft = draft_of(mind)
    if not mind.may("marker", "revise"):
        return {"marker": "accept", "suggestions": []}
    seen = [one for one in _defects(draft, mind) if mind.succeeds(mind.skill.review)]
    suggestions = list(dict.fromkeys(seen))[:_MOST]
    return {"marker": "revise" if suggestions else "accept", "suggestions": suggestions}


def _defects(draft: str, mind: Mind) -> Iterator[str]:
    gap = GAP.search(draft)
    if gap:
        yield mind.labels.fill.format(" ".join(gap[0].split()))
    stage = mind.situation.stage
    if stage == "constructive":
        yield from _missing_arguments(draft, mind)
        yield from _uncited(draft, mind)
    elif stage == "rebuttal":
        yield from _unanswered(draft, mind)
    else:
        yield from _unweighed(draft, mind)


def _missing_arguments(draft: str, mind: Mind) -> Iterator[str]:
    planned = [from_line(line, mind) for line in numbered(outline(mind.situation))]
    missing = [idea for idea in planned if not _covers(draft, idea)]
    room = 3 - len(arguments(draft, motion=mind.situation.motion))
    if room > len(missing):
        fresh = distinct(own_ideas(mind), beside=[one.claim for one in planned])
        missing += [idea for idea in fresh if not _covers(draft, idea)][:room]
    for idea in missing:
        yield mind.labels.add + to_line(sourced(idea, mind), mind)


def _unanswered(draft: str, mind: Mind) -> Iterator[str]:
    points = rebuttal.opposing(mind)
    met = {answer.point for answer in answers(draft, points, motion=mind.situation.motion)}
    for point in [one for one in points if one not in met][:2]:
        yield mind.labels.reply.format(point)


def _unweighed(draft: str, mind: Mind) -> Iterator[str]:
    there = content(draft)
    points = [one.theirs for one in summary.seen(mind) if one.theirs]
    for point in points:
        if overlap(content(point), there) < _COVERED:
            yield mind.labels.reply.format(point)


def _uncited(draft: str, mind: Mind) -> Iterator[str]:
    used = set(cited(draft))
    unused = [one for one in noticed(mind, mind.situation.side) if one.number not in used]
    there = content(draft)
    for one in unused[:2]:
        if overlap(content(one.excerpt), there) >= 0.35:
            about = fragment(one.excerpt, mind.situation.language)
            yield mind.labels.cite.format(one.number) + about


def _covers(draft: str, idea: Idea) -> bool:
    return overlap(content(uncited(idea.claim)), content(draft)) >= _COVERED

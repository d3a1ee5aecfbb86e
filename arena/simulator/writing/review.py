"""The simulated reviewer: the defects of a draft, as far as the model notices them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.simulator.mind import Mind
from arena.simulator.phrases.cues import GAP
from arena.simulator.reading.arguments import find_answers, find_arguments
from arena.simulator.words import (
    cited_marks,
    content_words,
    fragment,
    overlap,
    strip_citations,
)
from arena.simulator.writing import rebuttal, summary_speech
from arena.simulator.writing.ideas import (
    Idea,
    add_source,
    distinct_ideas,
    format_idea,
    notice_references,
    numbered_lines,
    own_ideas,
    parse_idea,
    plan_in_prompt,
)
from arena.simulator.writing.revision import draft_of

#: Suggestions of a review, at most.
_MOST = 4
#: Share of a point's words in a draft from which the draft makes the point.
_COVERED = 0.6


def review(mind: Mind) -> Mapping[str, Any]:
    """Accept the draft, or ask for a revision; each suggestion says what to add or remove."""
    draft = draft_of(mind)
    if not mind.allows("marker", "revise"):
        return {"marker": "accept", "suggestions": []}
    noticed = [line for line in _suggestions(draft, mind) if mind.succeeds(mind.skill.review)]
    suggestions = list(dict.fromkeys(noticed))[:_MOST]
    return {"marker": "revise" if suggestions else "accept", "suggestions": suggestions}


def _suggestions(draft: str, mind: Mind) -> Iterator[str]:
    """Yield a suggestion for each defect of a draft."""
    gap = GAP.search(draft)
    if gap:
        yield mind.labels.fill.format(" ".join(gap[0].split()))
    stage = mind.situation.stage
    if stage == "constructive":
        yield from _missing_arguments(draft, mind)
        yield from _missing_citations(draft, mind)
    elif stage == "rebuttal":
        yield from _missing_replies(draft, mind)
    else:
        yield from _missing_clashes(draft, mind)


def _missing_arguments(draft: str, mind: Mind) -> Iterator[str]:
    planned = [parse_idea(line, mind) for line in numbered_lines(plan_in_prompt(mind.situation))]
    missing = [idea for idea in planned if not _covers(draft, idea)]
    room = 3 - len(find_arguments(draft, motion=mind.situation.motion))
    if room > len(missing):
        fresh = distinct_ideas(own_ideas(mind), existing=[idea.claim for idea in planned])
        missing += [idea for idea in fresh if not _covers(draft, idea)][:room]
    for idea in missing:
        yield mind.labels.add + format_idea(add_source(idea, mind), mind)


def _missing_replies(draft: str, mind: Mind) -> Iterator[str]:
    points = rebuttal.opposing_points(mind)
    met = {answer.point for answer in find_answers(draft, points, motion=mind.situation.motion)}
    for point in [point for point in points if point not in met][:2]:
        yield mind.labels.reply.format(point)


def _missing_clashes(draft: str, mind: Mind) -> Iterator[str]:
    draft_words = content_words(draft)
    points = [clash.theirs for clash in summary_speech.notice_clashes(mind) if clash.theirs]
    for point in points:
        if overlap(content_words(point), draft_words) < _COVERED:
            yield mind.labels.reply.format(point)


def _missing_citations(draft: str, mind: Mind) -> Iterator[str]:
    used = set(cited_marks(draft))
    noticed = notice_references(mind, mind.situation.side)
    unused = [reference for reference in noticed if reference.mark not in used]
    draft_words = content_words(draft)
    for reference in unused[:2]:
        if overlap(content_words(reference.excerpt), draft_words) >= 0.35:
            about = fragment(reference.excerpt, mind.situation.language)
            yield mind.labels.cite.format(mind.format_mark(reference)) + about


def _covers(draft: str, idea: Idea) -> bool:
    return overlap(content_words(strip_citations(idea.claim)), content_words(draft)) >= _COVERED

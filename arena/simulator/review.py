"""The simulated reviewer, and the writer's revised and shortened drafts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.simulator.ideas import (
    Idea,
    add_source,
    citing_sentence,
    distinct_ideas,
    format_idea,
    notice_references,
    numbered_lines,
    own_ideas,
    parse_idea,
    plan_in_prompt,
    support_sentence,
)
from arena.simulator.measures import find_answers, find_arguments
from arena.simulator.mind import Mind
from arena.simulator.speeches import (
    Clash,
    clash_pieces,
    finished,
    match_replies,
    notice_clashes,
    opposing_points,
    own_points,
    reply_pieces,
)
from arena.simulator.wording import CUES
from arena.simulator.words import (
    Piece,
    add_end_mark,
    cited_marks,
    content_words,
    first_quotation,
    fit_pieces,
    fragment,
    paragraphs,
    strip_citations,
    text_overlap,
)

#: Suggestions of a review, at most.
_MOST = 4
#: Share of a point's words in a draft from which the draft makes the point.
_COVERED = 0.6


def review(mind: Mind) -> Mapping[str, Any]:
    """Accept the draft, or ask for a revision; each suggestion says what to add or remove."""
    draft = draft_of(mind)
    if "revise" not in mind.choices("marker"):
        return {"marker": "accept", "suggestions": []}
    noticed = [line for line in _suggestions(draft, mind) if mind.succeeds(mind.skill.review)]
    suggestions = list(dict.fromkeys(noticed))[:_MOST]
    return {"marker": "revise" if suggestions else "accept", "suggestions": suggestions}


def _suggestions(draft: str, mind: Mind) -> Iterator[str]:
    """Yield a suggestion for each defect of a draft."""
    gap = CUES["gap"].search(draft)
    if gap:
        yield mind.labels["fill"].format(" ".join(gap[0].split()))
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
        yield mind.labels["add"] + format_idea(add_source(idea, mind), mind)


def _missing_replies(draft: str, mind: Mind) -> Iterator[str]:
    points = opposing_points(mind)
    met = {answer.point for answer in find_answers(draft, points, motion=mind.situation.motion)}
    for point in [point for point in points if point not in met][:2]:
        yield mind.labels["reply"].format(point)


def _missing_clashes(draft: str, mind: Mind) -> Iterator[str]:
    for point in [clash.theirs for clash in notice_clashes(mind) if clash.theirs]:
        if text_overlap(point, draft) < _COVERED:
            yield mind.labels["reply"].format(point)


def _missing_citations(draft: str, mind: Mind) -> Iterator[str]:
    used = set(cited_marks(draft))
    noticed = notice_references(mind, mind.situation.side)
    unused = [reference for reference in noticed if reference.mark not in used]
    for reference in unused[:2]:
        if text_overlap(reference.excerpt, draft) >= 0.35:
            about = fragment(reference.excerpt, mind.language)
            yield mind.labels["cite"].format(mind.format_mark(reference)) + about


def _covers(draft: str, idea: Idea) -> bool:
    return text_overlap(strip_citations(idea.claim), draft) >= _COVERED


_REVIEWS = frozenset({"review", "critique", "suggestions", "feedback", "审稿意见", "意见", "批评"})


def draft_of(mind: Mind) -> str:
    """Return the draft in the prompt: the Writer's last turn, or a quoted draft."""
    turn = mind.situation.last_turn("Writer")
    if turn:
        return turn
    labelled = (note.text for note in mind.situation.quotes if note.label in ("draft", "稿件"))
    return next(labelled, mind.request.variables.get("draft", ""))


def review_of(mind: Mind) -> str:
    """Return the review in the prompt: the Reviewer's last turn, or a quoted review."""
    turn = mind.situation.last_turn("Reviewer")
    quoted = (note.text for note in mind.situation.quotes if note.label.lower() in _REVIEWS)
    return turn or next(quoted, "")


def revise(mind: Mind) -> Mapping[str, Any]:
    """Add to the draft what the review asks for, within the word limit."""
    draft = CUES["gap"].sub("", draft_of(mind))
    rows = [list(row) for row in paragraphs(draft)]
    added: list[Piece] = []
    for line in numbered_lines(review_of(mind)) or [""]:
        added += _apply_suggestion(line, rows, place=50 + len(added), mind=mind)
    last = len(rows) - 1
    old = [
        Piece(text=text, paragraph=90 if n == last else n, rank=1 if i < 2 else 3)
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    return finished(sorted([*old, *added], key=lambda piece: piece.paragraph), mind)


def _apply_suggestion(line: str, rows: list[list[str]], *, place: int, mind: Mind) -> list[Piece]:
    """Return new paragraphs for a suggestion, or insert a sentence into the draft's rows."""
    labels = mind.labels
    quoted = fragment(first_quotation(line)[0], mind.language)
    if line.startswith(labels["add"]):
        return _addition(parse_idea(line[len(labels["add"]) :], mind), mind, place=place)
    if quoted and line.startswith(labels["reply"].split("“", maxsplit=1)[0]):
        return _reply(quoted, mind, rows=rows, place=place)
    known = [item for item in mind.situation.material if item.mark in cited_marks(line)]
    if known:
        _insert(citing_sentence(known[0], mind, place="cite"), rows, about=line)
        return []
    fresh = distinct_ideas(own_ideas(mind), existing=[" ".join(row) for row in rows])
    return _addition(fresh[0], mind, place=place) if fresh else []


def _reply(quoted: str, mind: Mind, *, rows: Sequence[Sequence[str]], place: int) -> list[Piece]:
    if mind.situation.stage == "summary":
        ours = own_points(mind)
        clash = Clash(ours=mind.rng.choice(ours) if ours else "", theirs=quoted)
        return clash_pieces(clash, mind, place=place)
    draft = " ".join(sentence for row in rows for sentence in row)
    return reply_pieces(match_replies([quoted], mind, used=draft)[0], mind, place=place)


def _addition(idea: Idea, mind: Mind, *, place: int) -> list[Piece]:
    sourced = add_source(idea, mind)
    claim = add_end_mark(sourced.claim, mind.language)
    return [
        Piece(text=mind.voice.say("revised", claim=claim), paragraph=place, rank=1),
        Piece(text=support_sentence(sourced, mind), paragraph=place, rank=1),
    ]


def _insert(sentence: str, rows: list[list[str]], *, about: str) -> None:
    if not rows:
        rows.append([sentence])
        return
    words = content_words(about)
    best = max(rows, key=lambda row: text_overlap(about, " ".join(row)))
    nearest = max(range(len(best)), key=lambda i: len(words & content_words(best[i])))
    best.insert(1 + nearest, sentence)


def shorten_speech(mind: Mind) -> str:
    """Shorten a speech; later sentences of paragraphs go first, the first and last stay longest."""
    rows = paragraphs(_speech(mind))
    last = len(rows) - 1
    pieces = [
        Piece(text=text, paragraph=n, rank=i + (0 if n in (0, last) else 1))
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    return fit_pieces(pieces, limit=mind.situation.limit, language=mind.language)


def _speech(mind: Mind) -> str:
    speeches = mind.situation.speeches
    text = draft_of(mind) or (speeches[-1].text if speeches else "")
    notes = [note.text for note in mind.situation.quotes]
    others = [*notes, *mind.request.variables.values()]
    return text or max(others, key=len, default="")

"""The simulated writer's revision of a draft: it adds what a review asks for."""

from __future__ import annotations

from collections.abc import Sequence

from arena.simulator.mind import Mind
from arena.simulator.phrases.cues import GAP
from arena.simulator.words import (
    add_end_mark,
    cited_marks,
    content_words,
    fragment,
    overlap,
    paragraphs,
)
from arena.simulator.writing.ideas import (
    Idea,
    add_source,
    distinct_ideas,
    numbered_lines,
    own_ideas,
    parse_idea,
)
from arena.simulator.writing.paragraphs import Piece, fit_pieces
from arena.simulator.writing.rebuttal import match_replies, reply_pieces
from arena.simulator.writing.sentences import citing_sentence, support_sentence
from arena.simulator.writing.summary_speech import Clash, clash_pieces, own_points

_REVIEWS = frozenset({"review", "critique", "suggestions", "feedback", "审稿意见", "意见", "批评"})


def draft_of(mind: Mind) -> str:
    """Return the draft in the prompt: the Writer's last turn, or a quoted draft."""
    turn = mind.situation.last("Writer")
    if turn:
        return turn
    labelled = (note.text for note in mind.situation.notes if note.label in ("draft", "稿件"))
    return next(labelled, mind.request.variables.get("draft", ""))


def review_of(mind: Mind) -> str:
    """Return the review in the prompt: the Reviewer's last turn, or a quoted review."""
    turn = mind.situation.last("Reviewer")
    quoted = (note.text for note in mind.situation.notes if note.label.lower() in _REVIEWS)
    return turn or next(quoted, "")


def revise_draft(mind: Mind) -> str:
    """Add to the draft what the review asks for, within the word limit."""
    draft = GAP.sub("", draft_of(mind))
    rows = [list(row) for row in paragraphs(draft)]
    added: list[Piece] = []
    for line in numbered_lines(review_of(mind)) or [""]:
        added += _apply_suggestion(line, rows, place=50 + len(added), mind=mind)
    return fit_pieces(
        _merge(rows, added), limit=mind.situation.limit, language=mind.situation.language
    )


def _merge(rows: Sequence[Sequence[str]], added: Sequence[Piece]) -> list[Piece]:
    last = len(rows) - 1
    old = [
        Piece(text=text, paragraph=90 if n == last else n, rank=1 if i < 2 else 3)
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    return sorted([*old, *added], key=lambda piece: piece.paragraph)


def _apply_suggestion(line: str, rows: list[list[str]], *, place: int, mind: Mind) -> list[Piece]:
    """Return new paragraphs for a suggestion, or insert a sentence into the draft's rows."""
    labels = mind.labels
    quoted = fragment(line.partition("“")[2].partition("”")[0], mind.situation.language)
    if line.startswith(labels.add):
        return _addition(parse_idea(line[len(labels.add) :], mind), mind, place=place)
    if quoted and line.startswith(labels.reply.split("“", maxsplit=1)[0]):
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
    claim = add_end_mark(sourced.claim, mind.voice.language)
    return [
        Piece(text=mind.voice.say("revised", claim=claim), paragraph=place, rank=1),
        Piece(text=support_sentence(sourced, mind), paragraph=place, rank=1),
    ]


def _insert(sentence: str, rows: list[list[str]], *, about: str) -> None:
    if not rows:
        rows.append([sentence])
        return
    words = content_words(about)
    best = max(rows, key=lambda row: overlap(words, content_words(" ".join(row))))
    best.insert(1 + _nearest(words, best), sentence)


def _nearest(words: frozenset[str], row: Sequence[str]) -> int:
    return max(range(len(row)), key=lambda i: len(words & content_words(row[i])))

"""The simulated writer at work on its own draft: it adds what a review names."""

from __future__ import annotations

from collections.abc import Sequence

from arena.simulator.mind import Mind
from arena.simulator.phrases.cues import GAP
from arena.simulator.reading.words import cited, closed, content, fragment, overlap, paragraphs
from arena.simulator.writing.ideas import Idea, distinct, from_line, numbered, own_ideas, sourced
from arena.simulator.writing.paragraphs import Piece, fitted
from arena.simulator.writing.rebuttal import answered, matched
from arena.simulator.writing.sentences import backed, stated
from arena.simulator.writing.summary import Clash, own_points, weighed

_REVIEWS = frozenset({"review", "critique", "suggestions", "feedback", "审稿意见", "意见", "批评"})


def draft_of(mind: Mind) -> str:
    """The draft that the prompt is about: the Writer's last turn, or a quoted draft."""
    told = mind.situation.last("Writer")
    if told:
        return told
    labelled = (note.text for note in mind.situation.notes if note.label in ("draft", "稿件"))
    return next(labelled, mind.request.variables.get("draft", ""))


def review_of(mind: Mind) -> str:
    """What the Reviewer said last, or a quoted review."""
    told = mind.situation.last("Reviewer")
    quoted = (note.text for note in mind.situation.notes if note.label.lower() in _REVIEWS)
    return told or next(quoted, "")


def revised(mind: Mind) -> str:
    """The draft with what the review asks for, within the limit of length."""
    draft = GAP.sub("", draft_of(mind))
    rows = [list(row) for row in paragraphs(draft)]
    added: list[Piece] = []
    for line in numbered(review_of(mind)) or [""]:
        added += _met(line, rows, place=50 + len(added), mind=mind)
    return fitted(
        _merged(rows, added), limit=mind.situation.limit, language=mind.situation.language
    )


def _merged(rows: Sequence[Sequence[str]], added: Sequence[Piece]) -> list[Piece]:
    last = len(rows) - 1
    old = [
        Piece(text=text, paragraph=90 if n == last else n, rank=1 if i < 2 else 3)
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    return sorted([*old, *added], key=lambda piece: piece.paragraph)


def _met(line: str, rows: list[list[str]], *, place: int, mind: Mind) -> list[Piece]:
    """What meets one suggestion: new paragraphs, or a sentence put into the draft's rows."""
    labels = mind.labels
    quoted = fragment(line.partition("“")[2].partition("”")[0], mind.situation.language)
    if line.startswith(labels.add):
        return _addition(from_line(line[len(labels.add) :], mind), mind, place=place)
    if quoted and line.startswith(labels.reply.split("“", maxsplit=1)[0]):
        return _reply(quoted, mind, rows=rows, place=place)
    known = [one for one in mind.situation.material if one.number in cited(line)]
    if known:
        _insert(stated(known[0], mind, place="cite"), rows, about=line)
        return []
    fresh = distinct(own_ideas(mind), beside=[" ".join(row) for row in rows])
    return _addition(fresh[0], mind, place=place) if fresh else []


def _reply(quoted: str, mind: Mind, *, rows: Sequence[Sequence[str]], place: int) -> list[Piece]:
    if mind.situation.stage == "summary":
        ours = own_points(mind)
        clash = Clash(ours=mind.rng.choice(ours) if ours else "", theirs=quoted)
        return weighed(clash, mind, place=place)
    there = " ".join(sentence for row in rows for sentence in row)
    return answered(matched([quoted], mind, beside=there)[0], mind, place=place)


def _addition(idea: Idea, mind: Mind, *, place: int) -> list[Piece]:
    whole = sourced(idea, mind)
    claim = closed(whole.claim, mind.voice.language)
    return [
        Piece(text=mind.voice.say("revised", claim=claim), paragraph=place, rank=1),
        Piece(text=backed(whole, mind), paragraph=place, rank=1),
    ]


def _insert(sentence: str, rows: list[list[str]], *, about: str) -> None:
    if not rows:
        rows.append([sentence])
        return
    words = content(about)
    best = max(rows, key=lambda row: overlap(words, content(" ".join(row))))
    best.insert(1 + _nearest(words, best), sentence)


def _nearest(words: frozenset[str], row: Sequence[str]) -> int:
    return max(range(len(row)), key=lambda i: len(words & content(row[i])))

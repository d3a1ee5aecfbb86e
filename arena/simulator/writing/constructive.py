"""The simulated writer: the entry point of all speeches, and constructive speeches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.languages import Stage, other_side
from arena.simulator.mind import Mind
from arena.simulator.words import (
    add_end_mark,
    content_words,
    overlap,
    split_sentences,
    strip_citations,
)
from arena.simulator.writing.ideas import (
    Idea,
    add_source,
    distinct_ideas,
    notice_references,
    numbered_lines,
    own_ideas,
    parse_idea,
    plan_in_prompt,
)
from arena.simulator.writing.outline import missing_claims
from arena.simulator.writing.paragraphs import Piece, fit_pieces
from arena.simulator.writing.rebuttal import rebuttal, replies
from arena.simulator.writing.revision import revise_draft
from arena.simulator.writing.sentences import citing_sentence, filler_sentence, support_sentence
from arena.simulator.writing.summary_speech import summary

#: Probability of asking for material for a claim without a source that no outline marks.
_ASKS = 0.5
#: Share of common words from which a request asks for a claim.
_SAME = 0.8


def write(mind: Mind) -> Mapping[str, Any]:
    """Write the speech of the stage, or ask for material for a claim."""
    situation = mind.situation
    if mind.request.task.endswith(".revise"):
        return {"marker": "finished", "claim": "", "speech": revise_draft(mind)}
    pieces, case = _STAGES[situation.stage](mind)
    claim = _claim_without_source(case, mind)
    if claim:
        return {"marker": "needs_material", "claim": claim, "speech": ""}
    speech = fit_pieces(pieces, limit=situation.limit, language=situation.language)
    return {"marker": "finished", "claim": "", "speech": speech}


def _constructive(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    case = main_case(mind)
    return _pieces(case, mind), case


def _rebuttal(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    answers = replies(mind)
    return rebuttal(answers, mind), [reply.against for reply in answers if reply.against]


def _summary(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    return summary(mind), []


_STAGES: Mapping[Stage, Callable[[Mind], tuple[list[Piece], list[Idea]]]] = {
    "constructive": _constructive,
    "rebuttal": _rebuttal,
    "summary": _summary,
}


def _claim_without_source(case: Sequence[Idea], mind: Mind) -> str:
    """Return a claim for which the writer asks for material, or "".

    The claims that the outline marks are asked for one after the other, as far as the writer
    follows the outline; without such marks it asks at most once per speech.
    """
    if not mind.allows("marker", "needs_material"):
        return ""
    asked = [turn.text for turn in mind.situation.turns if turn.agent == "Writer"]
    marked = missing_claims(plan_in_prompt(mind.situation), mind)
    if marked:
        open_claims = [claim for claim in marked if not _was_asked(claim, asked)]
        return next((claim for claim in open_claims if mind.succeeds(mind.skill.outline)), "")
    bare = [idea.claim for idea in case if idea.source is None]
    return bare[0] if bare and not asked and mind.succeeds(_ASKS) else ""


def _was_asked(claim: str, requests: Sequence[str]) -> bool:
    words = content_words(claim)
    return any(overlap(words, content_words(text)) >= _SAME for text in requests)


def main_case(mind: Mind) -> list[Idea]:
    """Return up to three arguments: those of the plan that are followed, then own ones."""
    lines = numbered_lines(plan_in_prompt(mind.situation))
    planned = [parse_idea(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    followed = [add_source(idea, mind) for idea in planned]
    return distinct_ideas([*followed, *own_ideas(mind)])[:3] if followed else own_ideas(mind)


def _pieces(case: Sequence[Idea], mind: Mind) -> list[Piece]:
    voice = mind.voice
    start = [
        Piece(text=voice.say("open"), paragraph=0, rank=1),
        Piece(text=_definition(mind), paragraph=0, rank=5),
        Piece(text=_line_of_plan(mind, mind.labels.criterion), paragraph=0, rank=4),
    ]
    body = [
        piece for number, idea in enumerate(case) for piece in _argument(idea, number, mind=mind)
    ]
    end = [
        Piece(text=_anticipation(mind), paragraph=90, rank=6),
        Piece(text=voice.say("close"), paragraph=91, rank=2),
    ]
    return [*start, *body, *end]


def _argument(idea: Idea, number: int, *, mind: Mind) -> list[Piece]:
    voice, place = mind.voice, number + 1
    claim = add_end_mark(idea.claim, voice.language)
    lead = voice.say("lead", claim=claim, **voice.ordinal(number))
    return [
        Piece(text=lead, paragraph=place, rank=number),
        Piece(text=support_sentence(idea, mind), paragraph=place, rank=number),
        Piece(text=voice.say("impact"), paragraph=place, rank=7),
        Piece(text=filler_sentence(mind), paragraph=place, rank=8),
    ]


def _definition(mind: Mind) -> str:
    slide = split_sentences(mind.situation.info_slide)
    if slide and mind.succeeds(0.5):
        return mind.voice.say("slide", slide=add_end_mark(slide[0], mind.voice.language))
    return _line_of_plan(mind, mind.labels.definition)


def _line_of_plan(mind: Mind, label: str) -> str:
    """Return the text after a label of the plan, or a phrase where the plan lacks the label."""
    lines = plan_in_prompt(mind.situation).split("\n")
    text = next((line[len(label) :] for line in lines if line.startswith(label)), "")
    place = "define" if label == mind.labels.definition else "criterion"
    return strip_citations(text).strip() or mind.voice.say(place)


def _anticipation(mind: Mind) -> str:
    theirs = notice_references(mind, other_side(mind.situation.side))
    if not theirs or not mind.succeeds(mind.skill.rebuttal / 2):
        return ""
    return citing_sentence(theirs[0], mind, place="anticipate")


def remark(mind: Mind) -> str:
    """Answer a task that simulated models do not know, with one argument about the motion."""
    if not mind.situation.motion:
        return mind.labels.short
    idea = own_ideas(mind)[0]
    claim = " ".join((mind.voice.say("open"), add_end_mark(idea.claim, mind.voice.language)))
    return f"{claim} {support_sentence(idea, mind)}".strip()

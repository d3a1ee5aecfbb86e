"""Arguments of a simulated model: from a plan, from search results, from memory or from schemes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from arena.languages import Side, other_side
from arena.simulator.mind import Mind
from arena.simulator.prompt import ParsedPrompt, PromptReference
from arena.simulator.wording import TABLES
from arena.simulator.words import (
    add_end_mark,
    cited_marks,
    content_words,
    join_sentences,
    overlap,
    split_sentences,
    strip_citations,
    strip_end_mark,
)

_NUMBERED = re.compile(r"^[ \t]*(\d{1,2}(?:\.\d{1,2})?)[.、．)]?[ \t]+(\S.*)$", re.MULTILINE)
#: Sub-points under a numbered line, which support it.
_SUB_POINTS = re.compile(r"(?:\n[ \t]*[-•][ \t]+\S[^\n]*)+")
#: Share of common words from which two arguments are the same.
_SAME = 0.5
#: Own arguments in a speech, at most.
_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """One argument: a claim, its support, and the reference that the support comes from."""

    claim: str
    support: str = ""
    source: PromptReference | None = None


def numbered_lines(text: str) -> list[str]:
    """Return the numbered lines of a text, without their numbers."""
    return [line.strip() for _, line in _NUMBERED.findall(text)]


def plan_in_prompt(situation: ParsedPrompt) -> str:
    """Return the plan in the prompt: the Analyzer's last turn, or a quoted plan, or ""."""
    analysis = situation.last_turn("Analyzer")
    if analysis:
        return analysis
    plans = (note.text for note in situation.quotes if note.label.lower() in _PLANS)
    plan = next((text for text in plans if numbered_lines(text)), "")
    return _SUB_POINTS.sub(lambda points: _join_sub_points(points[0], situation), plan)


_PLANS = frozenset({"plan", "outline", "points", "提纲", "计划", "要点", "方案"})


def _join_sub_points(points: str, situation: ParsedPrompt) -> str:
    texts = [line.strip(" \t-•") for line in points.strip().split("\n")]
    label: str = TABLES[situation.language.code]["labels"]["support"]
    return label + join_sentences(texts, situation.language)


def parse_idea(line: str, mind: Mind) -> Idea:
    """Parse the argument that a line of an outline or of a review describes."""
    claim, _, support = line.partition(mind.labels["support"])
    marks = cited_marks(line)
    source = next((item for item in mind.situation.material if item.mark in marks), None)
    text = _supporting_text(source) if source else strip_citations(support).strip()
    return Idea(claim=strip_citations(claim).strip(), support=text, source=source)


def format_idea(idea: Idea, mind: Mind) -> str:
    """Format an argument as a line of an outline, which `parse_idea` can parse."""
    support = f"{mind.labels['support']}{idea.support}" if idea.support else ""
    return f"{idea.claim}{support}" + (f" [{mind.format_mark(idea.source)}]" if idea.source else "")


def own_ideas(mind: Mind) -> list[Idea]:
    """Return two or three arguments for the own side; general schemes complete too few."""
    ideas = known_ideas(mind)[:_MOST]
    return ideas if len(ideas) >= 2 else distinct_ideas([*ideas, *_general_ideas(mind)])[:2]


def known_ideas(mind: Mind) -> list[Idea]:
    """Return arguments for the own side: those from search results first, then remembered ones.

    General schemes are used only where nothing at all is known about the motion.
    """
    sourced = [_idea_from(item) for item in notice_references(mind, mind.situation.side)]
    mind.rng.shuffle(sourced)
    ideas = distinct_ideas([*sourced, *recall_ideas(mind)])
    known = any(mind.topic.points.values()) or mind.situation.material
    return ideas if known else _general_ideas(mind)


def recall_ideas(mind: Mind) -> list[Idea]:
    """Return the remembered arguments of the own side that are recalled in this request."""
    share, model = mind.skill.memory, mind.request.model
    points = mind.topic.recalled_points(mind.situation.side, model=model, share=share)
    recalled = [point for point in points if mind.succeeds(mind.skill.recall)]
    mind.rng.shuffle(recalled)
    return [add_source(Idea(claim=point.claim, support=point.evidence), mind) for point in recalled]


def notice_references(mind: Mind, side: Side) -> list[PromptReference]:
    """Return the references that the model notices and takes to support a side."""
    noticed = [item for item in mind.situation.material if mind.succeeds(mind.skill.reading)]
    return [item for item in noticed if guess_side(item, mind) == side]


def add_source(idea: Idea, mind: Mind) -> Idea:
    """Add to an argument the reference that fits it best, if the model notices a fitting one."""
    if idea.source:
        return idea
    words = content_words(f"{idea.claim} {idea.support}")
    fits = [overlap(words, content_words(item.excerpt)) for item in mind.situation.material]
    if max(fits, default=0.0) < 0.35 or not mind.succeeds(mind.skill.reading):
        return idea
    best = mind.situation.material[fits.index(max(fits))]
    return replace(idea, support=_supporting_text(best), source=best)


def distinct_ideas(ideas: Iterable[Idea], existing: Sequence[str] = ()) -> list[Idea]:
    """Leave out arguments that repeat an earlier one or an existing text."""
    seen = [content_words(text) for text in existing]
    distinct = []
    for idea in ideas:
        words = content_words(idea.claim)
        if words and all(overlap(words, earlier) < _SAME for earlier in seen):
            distinct.append(idea)
            seen.append(content_words(f"{idea.claim} {idea.support}"))
    return distinct


def guess_side(reference: PromptReference, mind: Mind) -> Side:
    """Return the side that the model takes a reference to support; poor readers err more often."""
    side = mind.topic.supported_side(reference.excerpt) or mind.situation.side
    mistaken = mind.succeeds((1 - mind.skill.reading) * 0.2)
    return other_side(side) if mistaken else side


def _idea_from(reference: PromptReference) -> Idea:
    first, *_ = split_sentences(reference.excerpt) or (reference.excerpt,)
    return Idea(claim=first, support=_supporting_text(reference), source=reference)


def _supporting_text(reference: PromptReference) -> str:
    """Return a reference's text after its first sentence, or the only sentence."""
    first, *rest = split_sentences(reference.excerpt) or (reference.excerpt,)
    return " ".join(rest) if rest else first


def general_ideas(mind: Mind, side: Side) -> list[Idea]:
    """Return the general lines of argument of a side, filled with the motion."""
    about = strip_end_mark(mind.situation.motion).replace("\n", " ")
    schemes = TABLES[mind.language.code]["general"][side]
    return [Idea(claim=claim, support=text.format(motion=about)) for claim, text in schemes]


def _general_ideas(mind: Mind) -> list[Idea]:
    return mind.rng.sample(general_ideas(mind, mind.situation.side), k=2)


_LONGEST = 240


def support_sentence(idea: Idea, mind: Mind) -> str:
    """Return the sentence that supports an argument, with a citation if it has a source; or ""."""
    if idea.source:
        return citing_sentence(idea.source, mind, place="cite")
    if not idea.support:
        return ""
    return mind.voice.say("remember", support=add_end_mark(idea.support, mind.language))


def citing_sentence(source: PromptReference, mind: Mind, *, place: str) -> str:
    """Return a sentence that cites a reference and quotes its second sentence, else its first."""
    sentences = split_sentences(source.excerpt) or (source.excerpt,)
    sentence = sentences[1] if len(sentences) > 1 else sentences[0]
    support = strip_end_mark(sentence)[:_LONGEST].replace("“", "‘").replace("”", "’")
    origin = strip_end_mark(source.origin)
    return mind.voice.say(place, support=support, origin=origin, number=mind.format_mark(source))


def filler_sentence(mind: Mind) -> str:
    """Return an empty phrase, the more often the less fluent the model is; else ""."""
    return mind.voice.say("filler") if mind.succeeds((1 - mind.skill.fluency) * 0.8) else ""

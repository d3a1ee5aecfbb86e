"""Sentences that all simulated speeches use: evidence, citations and fillers."""

from __future__ import annotations

from arena.simulator.mind import Mind
from arena.simulator.reading.situation import PromptReference
from arena.simulator.words import add_end_mark, split_sentences, strip_end_mark
from arena.simulator.writing.ideas import Idea

_LONGEST = 240


def support_sentence(idea: Idea, mind: Mind) -> str:
    """Return the sentence that supports an argument, with a citation if it has a source; or ""."""
    if idea.source:
        return citing_sentence(idea.source, mind, place="cite")
    if not idea.support:
        return ""
    return mind.voice.say("remember", support=add_end_mark(idea.support, mind.voice.language))


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

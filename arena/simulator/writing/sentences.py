"""Sentences that every kind of simulated speech needs: evidence, quotation, filling."""

from __future__ import annotations

from arena.simulator.mind import Mind
from arena.simulator.reading.situation import Found
from arena.simulator.reading.words import closed, opened, split
from arena.simulator.writing.ideas import Idea

_LONGEST = 240


def backed(idea: Idea, mind: Mind) -> str:
    """What supports an argument: a finding with its number, or what is remembered."""
    if idea.source:
        return stated(idea.source, mind, place="cite")
    if not idea.support:
        return ""
    return mind.voice.say("remember", support=closed(idea.support, mind.voice.language))


def stated(source: Found, mind: Mind, *, place: str) -> str:
    """A finding in a sentence that cites it; what it adds to its first sentence, if anything."""
    sentences = split(source.excerpt) or (source.excerpt,)
    told = sentences[1] if len(sentences) > 1 else sentences[0]
    support = opened(told)[:_LONGEST].replace("“", "‘").replace("”", "’")
    origin = opened(source.origin)
    return mind.voice.say(place, support=support, origin=origin, number=str(source.number))


def filler(mind: Mind) -> str:
    """The sentence that a poor speaker says too often, mostly nothing."""
    return mind.voice.say("filler") if mind.succeeds((1 - mind.skill.fluency) * 0.8) else ""

"""Where a simulated model's arguments come from: outline, material, memory, general schemes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from arena.languages import Side, other_side
from arena.simulator.mind import Mind
from arena.simulator.phrases.labels import LABELS
from arena.simulator.reading.situation import Found, Situation
from arena.simulator.reading.words import cited, content, overlap, split, uncited
from arena.simulator.writing.schemes import general

_NUMBERED = re.compile(r"^[ \t]*(\d{1,2}(?:\.\d{1,2})?)[.、．)]?[ \t]+(\S.*)$", re.MULTILINE)
#: Sub-points under a numbered line, which support it.
_SUB_POINTS = re.compile(r"(?:\n[ \t]*[-•][ \t]+\S[^\n]*)+")
_SAME = 0.5
_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """One argument: a claim, what supports it, and the finding that the support is from."""

    claim: str
    support: str = ""
    source: Found | None = None


def numbered(text: str) -> list[str]:
    """The numbered lines of a text, without their numbers."""
    return [line.strip() for _, line in _NUMBERED.findall(text)]


def outline(situation: Situation) -> str:
    """The plan that the prompt holds: the Analyzer's last turn, or a quoted plan, or ""."""
    told = situation.last("Analyzer")
    if told:
        return told
    plans = (note.text for note in situation.notes if note.label.lower() in _PLANS)
    found = next((text for text in plans if numbered(text)), "")
    return _SUB_POINTS.sub(lambda points: _support(points[0], situation), found)


_PLANS = frozenset({"plan", "outline", "points", "提纲", "计划", "要点", "方案"})


def _support(points: str, situation: Situation) -> str:
    told = [line.strip(" \t-•") for line in points.strip().split("\n")]
    blank = "" if situation.language.code == "zh" else " "
    return LABELS[situation.language.code].support + blank.join(told)


def from_line(line: str, mind: Mind) -> Idea:
    """The argument that one line of an outline or of a review describes."""
    claim, _, support = line.partition(mind.labels.support)
    numbers = cited(line)
    source = next((one for one in mind.situation.material if one.number in numbers), None)
    idea = Idea(claim=uncited(claim).strip(), support=uncited(support).strip(), source=source)
    return replace(idea, support=_told(source)) if source else idea


def to_line(idea: Idea, mind: Mind) -> str:
    """An argument as a line of an outline, from which `from_line` takes it again."""
    support = f"{mind.labels.support}{idea.support}" if idea.support else ""
    return f"{idea.claim}{support}" + (f" [{idea.source.number}]" if idea.source else "")


def own_ideas(mind: Mind) -> list[Idea]:
    """Up to three arguments for one's own side; schemes make up for it where there is but one."""
    ideas = known_ideas(mind)[:_MOST]
    return ideas if len(ideas) >= 2 else distinct([*ideas, *_schemes(mind)])[:2]


def known_ideas(mind: Mind) -> list[Idea]:
    """What comes to mind for one's own side: first findings, then memories.

    General schemes stand in only where nothing at all is known of the motion.
    """
    found = [_from_finding(one) for one in noticed(mind, mind.situation.side)]
    mind.rng.shuffle(found)
    ideas = distinct([*found, *remembered(mind)])
    known = any(mind.topic.points.values()) or mind.situation.material
    return ideas if known else _schemes(mind)


def remembered(mind: Mind) -> list[Idea]:
    """The remembered arguments of one's own side that come to mind this time."""
    share, model = mind.skill.memory, mind.request.model
    points = mind.topic.remembered(mind.situation.side, model=model, share=share)
    came = [one for one in points if mind.succeeds(mind.skill.recall)]
    mind.rng.shuffle(came)
    return [sourced(Idea(claim=one.claim, support=one.evidence), mind) for one in came]


def noticed(mind: Mind, side: Side) -> list[Found]:
    """The findings that the model takes notice of and thinks to support a side."""
    seen = [one for one in mind.situation.material if mind.succeeds(mind.skill.reading)]
    return [one for one in seen if judged(one, mind) == side]


def sourced(idea: Idea, mind: Mind) -> Idea:
    """The argument with a finding that supports it, where the material holds one."""
    if idea.source:
        return idea
    words = content(f"{idea.claim} {idea.support}")
    near = [(overlap(words, content(one.excerpt)), one) for one in mind.situation.material]
    best = max(near, key=lambda pair: pair[0], default=None)
    if best is None or best[0] < 0.35 or not mind.succeeds(mind.skill.reading):
        return idea
    return replace(idea, support=_told(best[1]), source=best[1])


def distinct(ideas: Iterable[Idea], beside: Sequence[str] = ()) -> list[Idea]:
    """Arguments without those that repeat an earlier one, or a text that is there already."""
    seen = [content(text) for text in beside]
    found = []
    for idea in ideas:
        words = content(idea.claim)
        if words and all(overlap(words, other) < _SAME for other in seen):
            found.append(idea)
            seen.append(content(f"{idea.claim} {idea.support}"))
    return found


def judged(one: Found, mind: Mind) -> Side:
    """The side that the model thinks a finding supports; a poor reader errs more often."""
    leans = mind.topic.leans(one.excerpt) or mind.situation.side
    mistaken = mind.succeeds((1 - mind.skill.reading) * 0.2)
    return other_side(leans) if mistaken else leans


def _from_finding(one: Found) -> Idea:
    first, *_ = split(one.excerpt) or (one.excerpt,)
    return Idea(claim=first, support=_told(one), source=one)


def _told(one: Found) -> str:
    """What a finding adds to its own first sentence, or that sentence where it adds nothing."""
    first, *rest = split(one.excerpt) or (one.excerpt,)
    return " ".join(rest) if rest else first


def _schemes(mind: Mind) -> list[Idea]:
    table = general(mind.situation.motion, mind.situation.language, mind.situation.side)
    chosen = mind.rng.sample(table, k=min(2, len(table)))
    return [Idea(claim=claim, support=support) for claim, support in chosen]

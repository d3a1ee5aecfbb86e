"""Arguments of a simulated model, from a plan, search results, memory or general schemes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from arena.languages import Side, other_side
from arena.languages.marks import SHOWN_MARKS
from arena.records import Reference
from arena.simulator.measures import find_arguments
from arena.simulator.mind import Mind
from arena.simulator.prompt import find_cited
from arena.simulator.words import (
    fragment,
    join_sentences,
    split_sentences,
    strip_end_mark,
    text_overlap,
)

_NUMBERED = re.compile(r"^[ \t]*(\d{1,2}(?:\.\d{1,2})?)[.、．)]?[ \t]+(\S.*)$", re.MULTILINE)
#: Sub-points under a numbered line, which support it.
_SUB_POINTS = re.compile(r"(?:\n[ \t]*[-•][ \t]+\S[^\n]*)+")
_PLANS = frozenset({"plan", "outline", "points", "提纲", "计划", "要点", "方案"})
#: Share of common words from which two arguments, and two points of the other side, are the same.
_SAME, _ALIKE = 0.5, 0.6
#: The same for a known argument and the reference that fits it.
_FITS = 0.35
#: Own arguments in a speech, at most.
_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """One argument.

    Attributes:
        claim: empty where a point of the other side is only contradicted.
        source: the reference that the support comes from.
        theirs: the point of the other side that it answers, quoted; empty where there is none.
    """

    claim: str = ""
    support: str = ""
    source: Reference | None = None
    theirs: str = ""


def numbered_lines(text: str) -> list[str]:
    """Return the numbered lines of a text, without their numbers."""
    return [line.strip() for _, line in _NUMBERED.findall(text)]


def plan_in_prompt(mind: Mind) -> str:
    """Return the plan in the prompt: the Analyzer's last turn, or a quoted plan, or ""."""
    analysis = mind.situation.last_turn("Analyzer")
    if analysis:
        return analysis

    def join_sub_points(points: re.Match[str]) -> str:
        texts = [line.strip(" \t-•") for line in points[0].strip().split("\n")]
        return mind.labels["support"] + join_sentences(texts, mind.language)

    plans = [note.text for note in mind.situation.quotes if note.label.lower() in _PLANS]
    plan = next((text for text in plans if numbered_lines(text)), "")
    return _SUB_POINTS.sub(join_sub_points, plan)


def parse_idea(line: str, mind: Mind) -> Idea:
    """Parse the argument that a line of an outline or of a review describes."""
    point, answered, own = line.partition(mind.labels["answer"])
    if not answered and not line.startswith(mind.labels["they_say"].partition("{")[0]):
        point, own = "", line
    claim, _, support = own.partition(mind.labels["support"])
    source = next(iter(find_cited(own, mind.situation.material)), None)
    return Idea(
        claim=SHOWN_MARKS.remove(claim).strip(),
        support=_supporting_text(source) if source else SHOWN_MARKS.remove(support).strip(),
        source=source,
        theirs=fragment(point.partition("“")[2].partition("”")[0], mind.language),
    )


def format_idea(idea: Idea, mind: Mind) -> str:
    """Format an argument as a line of an outline, which `parse_idea` can parse."""
    labels = mind.labels
    return "".join(
        (
            labels["they_say"].format(idea.theirs) if idea.theirs else "",
            labels["answer"] if idea.theirs and idea.claim else "",
            idea.claim,
            labels["support"] + idea.support if idea.support else "",
            f" [{mind.format_mark(idea.source)}]" if idea.source else "",
        )
    )


def planned_ideas(mind: Mind) -> list[Idea]:
    """Return the arguments of the plan that the model follows."""
    lines = numbered_lines(plan_in_prompt(mind))
    followed = [parse_idea(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    return [add_source(idea, mind) for idea in followed]


def stage_ideas(mind: Mind) -> list[Idea]:
    """Return what the model itself would say in the stage.

    In a rebuttal it answers points of the other side; in a summary it sets points of the other
    side beside its own; else it argues for its own side.
    """
    side, stage = mind.situation.side, mind.situation.stage
    own, opposing = side_points(side, mind), side_points(other_side(side), mind)
    if stage == "rebuttal" and opposing:
        noticed = [point for point in opposing if mind.succeeds(mind.skill.rebuttal)]
        return answer_points(noticed or opposing[:1], known_ideas(mind))
    if stage == "summary" and own:
        noticed = [point for point in opposing if mind.succeeds(mind.skill.rebuttal)]
        ours = [Idea(claim=point) for point in own[:_MOST]]
        return distinct_ideas([*answer_points(noticed, ours), *ours])[:_MOST]
    return own_ideas(mind)


def answer_points(points: Iterable[str], ideas: Iterable[Idea]) -> list[Idea]:
    """Answer each point with the argument that fits best, each argument used once."""
    left, answered = list(ideas), []
    for point in points:
        left.sort(key=lambda idea: -text_overlap(point, f"{idea.claim} {idea.support}"))
        answered.append(replace(left.pop(0) if left else Idea(), theirs=point))
    return answered


def side_points(side: Side, mind: Mind) -> list[str]:
    """Return a side's points as short quotations, the other side's latest speech first."""
    situation, claims = mind.situation, list[str]()
    for speech in situation.speeches_of(side)[:: 1 if side == situation.side else -1]:
        arguments = find_arguments(speech.text, motion=situation.motion)
        if len(arguments) < 2:
            arguments = find_arguments(speech.text, motion=situation.motion, reasoned=False)
        claims += [fragment(argument.sentence, mind.language) for argument in arguments]
    return list(dict.fromkeys(filter(None, claims)))


def own_ideas(mind: Mind) -> list[Idea]:
    """Return up to three arguments for the own side, or a general one where none is recalled."""
    return known_ideas(mind)[:_MOST] or general_ideas(mind.situation.side, mind)[:1]


def known_ideas(mind: Mind) -> list[Idea]:
    """Return arguments for the own side: those from search results first, then remembered ones.

    General schemes are used only where nothing at all is known about the motion.
    """
    if not any(mind.topic.points.values()) and not mind.situation.material:
        return general_ideas(mind.situation.side, mind)[:2]
    sourced = [
        Idea(claim=_sentences(item)[0], support=_supporting_text(item), source=item)
        for item in notice_references(mind.situation.side, mind)
    ]
    mind.rng.shuffle(sourced)
    return distinct_ideas([*sourced, *recall_ideas(mind)])


def recall_ideas(mind: Mind) -> list[Idea]:
    """Return the remembered arguments of the own side that are recalled in this request."""
    points = [one for one in mind.topic.points[mind.situation.side] if mind.remembers(one.claim)]
    recalled = [point for point in points if mind.succeeds(mind.skill.recall)]
    mind.rng.shuffle(recalled)
    return [add_source(Idea(claim=point.claim, support=point.evidence), mind) for point in recalled]


def general_ideas(side: Side, mind: Mind) -> list[Idea]:
    """Return the general lines of argument of a side, filled with the motion, in random order."""
    motion = strip_end_mark(mind.situation.motion).replace("\n", " ")
    schemes = mind.table["general"][side]
    return [
        Idea(claim=claim, support=support.format(motion=motion))
        for claim, support in mind.rng.sample(schemes, k=len(schemes))
    ]


def notice_references(side: Side, mind: Mind) -> list[Reference]:
    """Return the references that the model notices and takes to support a side."""
    noticed = [item for item in mind.situation.material if mind.succeeds(mind.skill.reading)]
    return [item for item in noticed if guess_side(item, mind) == side]


def guess_side(reference: Reference, mind: Mind) -> Side:
    """Return the side that the model takes a reference to support; poor readers err more often."""
    side = mind.topic.supported_side(reference.excerpt) or mind.situation.side
    mistaken = mind.succeeds((1 - mind.skill.reading) * 0.2)
    return other_side(side) if mistaken else side


def add_source(idea: Idea, mind: Mind) -> Idea:
    """Add to an argument the reference that fits it best, if the model notices a fitting one."""
    text = f"{idea.claim} {idea.support}"
    fits = [text_overlap(text, item.excerpt) for item in mind.situation.material]
    bare = idea.source is None and max(fits, default=0.0) >= _FITS
    if not bare or not mind.succeeds(mind.skill.reading):
        return idea
    best = mind.situation.material[fits.index(max(fits))]
    return replace(idea, support=_supporting_text(best), source=best)


def distinct_ideas(ideas: Iterable[Idea], existing: Iterable[Idea] = ()) -> list[Idea]:
    """Leave out arguments that repeat an earlier or existing one, or answer the same point."""
    earlier, distinct = list(existing), list[Idea]()
    for idea in ideas:
        if not any(_repeats(idea, other) for other in [*earlier, *distinct]):
            distinct.append(idea)
    return distinct


def _repeats(idea: Idea, earlier: Idea) -> bool:
    answered = text_overlap(idea.theirs, earlier.theirs) >= _ALIKE
    return answered or text_overlap(idea.claim, f"{earlier.claim} {earlier.support}") >= _SAME


def _supporting_text(reference: Reference) -> str:
    """Return a reference's text after its first sentence, or the only sentence."""
    first, *rest = _sentences(reference)
    return " ".join(rest) or first


def _sentences(reference: Reference) -> tuple[str, ...]:
    return split_sentences(reference.excerpt) or (reference.excerpt,)

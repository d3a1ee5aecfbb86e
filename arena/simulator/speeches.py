"""The simulated writer: constructive speeches, rebuttals and summaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.languages import Stage, other_side
from arena.simulator.ideas import (
    Idea,
    add_source,
    citing_sentence,
    distinct_ideas,
    filler_sentence,
    format_idea,
    guess_side,
    known_ideas,
    notice_references,
    numbered_lines,
    own_ideas,
    parse_idea,
    plan_in_prompt,
    support_sentence,
)
from arena.simulator.measures import find_arguments
from arena.simulator.mind import Mind
from arena.simulator.prompt import PromptReference, PromptSpeech
from arena.simulator.words import (
    Piece,
    add_end_mark,
    cited_marks,
    first_quotation,
    fit_pieces,
    fragment,
    split_sentences,
    strip_citations,
    text_overlap,
)

#: Probability of asking for material for a claim without a source that no outline marks.
_ASKS = 0.5
#: Share of common words from which a request asks for a claim.
_SAME = 0.8
#: Share of common words from which two points are alike.
_ALIKE = 0.6


def write(mind: Mind) -> Mapping[str, Any]:
    """Write the speech of the stage, or ask for material for a claim."""
    situation = mind.situation
    pieces, case = _STAGES[situation.stage](mind)
    claim = _claim_without_source(case, mind)
    if claim:
        return {"marker": "needs_material", "claim": claim, "speech": ""}
    return finished(pieces, mind)


def finished(pieces: Sequence[Piece], mind: Mind) -> Mapping[str, Any]:
    """Return the fields of a finished speech, made of as many of the pieces as fit its limit."""
    speech = fit_pieces(pieces, limit=mind.situation.limit, language=mind.language)
    return {"marker": "finished", "claim": "", "speech": speech}


def _claim_without_source(case: Sequence[Idea], mind: Mind) -> str:
    """Return a claim for which the writer asks for material, or "".

    The claims that the outline marks are asked for one after the other, as far as the writer
    follows the outline; without such marks it asks at most once per speech.
    """
    if "needs_material" not in mind.choices("marker"):
        return ""
    asked = [turn.text for turn in mind.situation.turns if turn.agent == "Writer"]
    label = mind.labels["missing"]
    lines = [line.strip() for line in plan_in_prompt(mind.situation).split("\n")]
    marked = [line[len(label) :].strip() for line in lines if line.startswith(label)]
    if marked:
        unasked = [
            claim for claim in marked if all(text_overlap(claim, text) < _SAME for text in asked)
        ]
        return next((claim for claim in unasked if mind.succeeds(mind.skill.outline)), "")
    bare = [idea.claim for idea in case if idea.source is None]
    return bare[0] if bare and not asked and mind.succeeds(_ASKS) else ""


def _constructive(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    """Write up to three arguments: those of the plan that are followed, then own ones."""
    lines = numbered_lines(plan_in_prompt(mind.situation))
    planned = [parse_idea(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    followed = [add_source(idea, mind) for idea in planned]
    case = distinct_ideas([*followed, *own_ideas(mind)])[:3] if followed else own_ideas(mind)
    voice = mind.voice
    start = [
        Piece(text=voice.say("open"), paragraph=0, rank=1),
        Piece(text=_definition(mind), paragraph=0, rank=5),
        Piece(text=_line_of_plan(mind, "criterion"), paragraph=0, rank=4),
    ]
    body = [
        piece for number, idea in enumerate(case) for piece in _argument(idea, number, mind=mind)
    ]
    end = [
        Piece(text=_anticipation(mind), paragraph=90, rank=6),
        Piece(text=voice.say("close"), paragraph=91, rank=2),
    ]
    return [*start, *body, *end], case


def _argument(idea: Idea, number: int, *, mind: Mind) -> list[Piece]:
    voice, place = mind.voice, number + 1
    claim = add_end_mark(idea.claim, mind.language)
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
        return mind.voice.say("slide", slide=add_end_mark(slide[0], mind.language))
    return _line_of_plan(mind, "definition")


def _line_of_plan(mind: Mind, label: str) -> str:
    """Return the text after a label of the plan, or a phrase where the plan lacks the label."""
    start = mind.labels[label]
    lines = plan_in_prompt(mind.situation).split("\n")
    text = next((line[len(start) :] for line in lines if line.startswith(start)), "")
    return strip_citations(text).strip() or mind.voice.say(label)


def _anticipation(mind: Mind) -> str:
    theirs = notice_references(mind, other_side(mind.situation.side))
    if not theirs or not mind.succeeds(mind.skill.rebuttal / 2):
        return ""
    return citing_sentence(theirs[0], mind, place="anticipate")


def remark(mind: Mind) -> str:
    """Answer a task that simulated models do not know, with one argument about the motion."""
    if not mind.situation.motion:
        return mind.labels["short"]
    idea = own_ideas(mind)[0]
    claim = " ".join((mind.voice.say("open"), add_end_mark(idea.claim, mind.language)))
    return f"{claim} {support_sentence(idea, mind)}".strip()


#: Replies of a rebuttal, and clashes of a summary, at most.
_REPLIES, _CLASHES = 4, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply to a point: the quotation of the point, and an argument against it, if any."""

    quoted: str
    against: Idea | None = None


def _rebuttal(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    """Write a rebuttal with a paragraph for each reply."""
    voice, answers = mind.voice, replies(mind)
    start = [Piece(text=voice.say("rebut_open"), paragraph=0, rank=2)]
    body = [
        piece
        for place, reply in enumerate(answers, start=1)
        for piece in reply_pieces(reply, mind, place=place)
    ]
    end = [Piece(text=voice.say("rebut_close"), paragraph=91, rank=3)]
    return [*start, *body, *end], [reply.against for reply in answers if reply.against]


def replies(mind: Mind) -> list[Reply]:
    """Return up to four replies: those of the plan that are followed, then own ones."""
    lines = numbered_lines(plan_in_prompt(mind.situation))
    followed = [_parse_reply(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    planned = [reply for reply in followed if reply is not None]
    fresh = [
        point
        for point in answerable_points(mind)
        if all(text_overlap(point, reply.quoted) < _ALIKE for reply in planned)
    ]
    used = " ".join(reply.against.claim for reply in planned if reply.against)
    return [*planned, *match_replies(fresh, mind, used=used)][:_REPLIES]


def answerable_points(mind: Mind) -> list[str]:
    """Return the opponent's points that the model can answer, at least one if there are any."""
    points = opposing_points(mind)
    answerable = [point for point in points if mind.succeeds(mind.skill.rebuttal)]
    return answerable or points[:1]


def opposing_points(mind: Mind) -> list[str]:
    """Return the points of the other side as short quotations, the latest speech first."""
    situation = mind.situation
    claims: list[str] = []
    for speech in reversed(situation.speeches_of(other_side(situation.side))):
        claims += claims_of(speech, mind)
    return list(dict.fromkeys(claims))


def claims_of(speech: PromptSpeech, mind: Mind) -> list[str]:
    """Return the claims of a speech as short quotations, those with a reason if it has two."""
    situation = mind.situation
    arguments = find_arguments(speech.text, motion=situation.motion)
    if len(arguments) < 2:
        arguments = find_arguments(speech.text, motion=situation.motion, reasoned=False)
    claims = (fragment(argument.sentence, situation.language) for argument in arguments)
    return [claim for claim in claims if claim]


def match_replies(points: Sequence[str], mind: Mind, *, used: str = "") -> list[Reply]:
    """Reply to each point with the known argument that fits best, each argument used once.

    Args:
        points: points of the other side.
        used: text whose arguments are not used again.
    """
    pool = [idea for idea in known_ideas(mind) if text_overlap(idea.claim, used) < _SAME]
    matched = []
    for point in points:
        pool.sort(key=lambda idea: -text_overlap(point, f"{idea.claim} {idea.support}"))
        matched.append(Reply(quoted=point, against=pool.pop(0) if pool else None))
    return matched


def reply_pieces(reply: Reply, mind: Mind, *, place: int) -> list[Piece]:
    """Return the pieces of a paragraph that quotes a point and counters it."""
    voice = mind.voice
    pieces = [
        Piece(text=voice.say("they_say", fragment=reply.quoted), paragraph=place, rank=place),
        Piece(text=voice.say("counter"), paragraph=place, rank=place),
    ]
    if reply.against:
        claim = add_end_mark(reply.against.claim, mind.language)
        text = voice.say("against", claim=claim)
        pieces.append(Piece(text=text, paragraph=place, rank=place + 1))
        pieces.append(
            Piece(text=support_sentence(reply.against, mind), paragraph=place, rank=place + 1)
        )
    pieces.append(Piece(text=voice.say("so_what"), paragraph=place, rank=8))
    pieces.append(Piece(text=filler_sentence(mind), paragraph=place, rank=9))
    return pieces


def format_reply(reply: Reply, mind: Mind) -> str:
    """Format a reply as a line of an outline, which `replies` can parse."""
    answer = f"{mind.labels['answer']}{format_idea(reply.against, mind)}" if reply.against else ""
    return mind.labels["they_say"].format(reply.quoted) + answer


def _parse_reply(line: str, mind: Mind) -> Reply | None:
    point, _, answer = line.partition(mind.labels["answer"])
    quoted = fragment(first_quotation(point)[0] or point, mind.language)
    if not quoted:
        return None
    return Reply(
        quoted=quoted, against=add_source(parse_idea(answer, mind), mind) if answer else None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A clash: a point of each side; `theirs` is "" where the other side made none about it."""

    ours: str
    theirs: str = ""


def _summary(mind: Mind) -> tuple[list[Piece], list[Idea]]:
    """Write a summary with a paragraph for each clash, and references cited before."""
    voice = mind.voice
    sources = own_sources(mind)
    body = [
        piece
        for place, clash in enumerate(clashes(mind), start=1)
        for piece in clash_pieces(clash, mind, place=place)
    ]
    proof = [
        Piece(text=citing_sentence(source, mind, place="again"), paragraph=80, rank=4)
        for source in sources[:3]
        if mind.succeeds(mind.skill.reading)
    ]
    opening = Piece(text=voice.say("sum_open"), paragraph=0, rank=2)
    return [opening, *body, *proof, Piece(text=voice.say("sum_close"), paragraph=91, rank=3)], []


def clashes(mind: Mind) -> list[Clash]:
    """Return up to three clashes: those of the plan that are followed, then own ones."""
    lines = numbered_lines(plan_in_prompt(mind.situation))
    planned = [_parse_clash(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    merged = [clash for clash in planned if clash.ours]
    for fresh in notice_clashes(mind):
        same = next(
            (i for i, clash in enumerate(merged) if text_overlap(clash.ours, fresh.ours) >= _ALIKE),
            None,
        )
        if same is None:
            merged.append(fresh)
        elif not merged[same].theirs:
            merged[same] = fresh
    return merged[:_CLASHES]


def notice_clashes(mind: Mind) -> list[Clash]:
    """Pair the own points with the closest points of the other side that the model notices."""
    theirs = [point for point in opposing_points(mind) if mind.succeeds(mind.skill.rebuttal)]
    noticed = []
    for ours in own_points(mind)[:_CLASHES]:
        theirs.sort(key=lambda point: -text_overlap(ours, point))
        noticed.append(Clash(ours=ours, theirs=theirs.pop(0) if theirs else ""))
    return noticed


def own_points(mind: Mind) -> list[str]:
    """Return the points of the own side so far, as short quotations."""
    situation = mind.situation
    claims: list[str] = []
    for speech in situation.speeches_of(situation.side):
        claims += claims_of(speech, mind)
    return list(dict.fromkeys(claims))


def own_sources(mind: Mind) -> list[PromptReference]:
    """Return the references for the own side that its speeches have cited."""
    situation = mind.situation
    used = [
        mark
        for speech in situation.speeches_of(situation.side)
        for mark in cited_marks(speech.text)
    ]
    known = {
        item.mark: item for item in situation.material if guess_side(item, mind) == situation.side
    }
    return [known[mark] for mark in dict.fromkeys(used) if mark in known]


def format_clash(clash: Clash, mind: Mind) -> str:
    """Format a clash as a line of an outline, which `clashes` can parse."""
    ours = mind.labels["ours"].format(clash.ours)
    return f"{ours} {mind.labels['they_say'].format(clash.theirs)}" if clash.theirs else ours


def _parse_clash(line: str, mind: Mind) -> Clash:
    ours, rest = first_quotation(line)
    theirs, _ = first_quotation(rest)
    language = mind.language
    return Clash(ours=fragment(ours or line, language), theirs=fragment(theirs, language))


def clash_pieces(clash: Clash, mind: Mind, *, place: int) -> list[Piece]:
    """Return the pieces of a paragraph that states both points of a clash and weighs them."""
    voice = mind.voice
    order = voice.ordinal(place - 1)
    if not clash.theirs:
        text = voice.say("clash_ours", ours=clash.ours, **order)
        return [Piece(text=text, paragraph=place, rank=place)]
    if not clash.ours or place > _CLASHES:
        text = voice.say("they_say", fragment=clash.theirs)
    else:
        text = voice.say("clash", ours=clash.ours, theirs=clash.theirs, **order)
    return [
        Piece(text=text, paragraph=place, rank=min(place, 5)),
        Piece(text=voice.say("weigh"), paragraph=place, rank=place),
        Piece(text=filler_sentence(mind), paragraph=place, rank=9),
    ]


_STAGES: Mapping[Stage, Callable[[Mind], tuple[list[Piece], list[Idea]]]] = {
    "constructive": _constructive,
    "rebuttal": _rebuttal,
    "summary": _summary,
}

"""The simulated summary: it weighs the clashes of the debate and adds no argument."""

from __future__ import annotations

from dataclasses import dataclass

from arena.simulator.mind import Mind
from arena.simulator.reading.situation import PromptReference
from arena.simulator.words import cited_marks, content_words, fragment, overlap
from arena.simulator.writing.ideas import guess_side, numbered_lines, plan_in_prompt
from arena.simulator.writing.paragraphs import Piece
from arena.simulator.writing.rebuttal import claims_of, opposing_points
from arena.simulator.writing.sentences import citing_sentence, filler_sentence

_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A clash: a point of each side; `theirs` is "" where the other side made none about it."""

    ours: str
    theirs: str = ""


def summary(mind: Mind) -> list[Piece]:
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
    return [
        Piece(text=voice.say("sum_open"), paragraph=0, rank=2),
        *body,
        *proof,
        Piece(text=voice.say("sum_close"), paragraph=91, rank=3),
    ]


def clashes(mind: Mind) -> list[Clash]:
    """Return up to three clashes: those of the plan that are followed, then own ones."""
    lines = numbered_lines(plan_in_prompt(mind.situation))
    planned = [_parse_clash(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    merged = [clash for clash in planned if clash.ours]
    for fresh in notice_clashes(mind):
        same = next((i for i, clash in enumerate(merged) if _alike(clash.ours, fresh.ours)), None)
        if same is None:
            merged.append(fresh)
        elif not merged[same].theirs:
            merged[same] = fresh
    return merged[:_MOST]


def _alike(left: str, right: str) -> bool:
    return overlap(content_words(left), content_words(right)) >= 0.6


def notice_clashes(mind: Mind) -> list[Clash]:
    """Pair the own points with the closest points of the other side that the model notices."""
    theirs = [point for point in opposing_points(mind) if mind.succeeds(mind.skill.rebuttal)]
    noticed = []
    for ours in own_points(mind)[:_MOST]:
        theirs.sort(key=lambda point: -overlap(content_words(ours), content_words(point)))
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
    ours = mind.labels.ours.format(clash.ours)
    return f"{ours} {mind.labels.they_say.format(clash.theirs)}" if clash.theirs else ours


def _parse_clash(line: str, mind: Mind) -> Clash:
    ours, _, rest = line.partition("“")[2].partition("”")
    theirs = rest.partition("“")[2].partition("”")[0]
    language = mind.situation.language
    return Clash(ours=fragment(ours or line, language), theirs=fragment(theirs, language))


def clash_pieces(clash: Clash, mind: Mind, *, place: int) -> list[Piece]:
    """Return the pieces of a paragraph that states both points of a clash and weighs them."""
    voice = mind.voice
    order = voice.ordinal(place - 1)
    if not clash.theirs:
        text = voice.say("clash_ours", ours=clash.ours, **order)
        return [Piece(text=text, paragraph=place, rank=place)]
    if not clash.ours or place > _MOST:
        text = voice.say("they_say", fragment=clash.theirs)
    else:
        text = voice.say("clash", ours=clash.ours, theirs=clash.theirs, **order)
    return [
        Piece(text=text, paragraph=place, rank=min(place, 5)),
        Piece(text=voice.say("weigh"), paragraph=place, rank=place),
        Piece(text=filler_sentence(mind), paragraph=place, rank=9),
    ]

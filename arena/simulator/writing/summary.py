"""The simulated summary: battlegrounds, weighed; nothing new."""

from __future__ import annotations

from dataclasses import dataclass

from arena.simulator.mind import Mind
from arena.simulator.reading.situation import Found
from arena.simulator.reading.words import cited, content, fragment, overlap
from arena.simulator.writing.ideas import judged, numbered, outline
from arena.simulator.writing.paragraphs import Piece
from arena.simulator.writing.rebuttal import claims_of, opposing
from arena.simulator.writing.sentences import filler, stated

_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A battleground: what each side said; `theirs` is "" where they said nothing about it."""

    ours: str
    theirs: str = ""


def summary(mind: Mind) -> list[Piece]:
    """A summary by battlegrounds: those of the outline that are taken up, then one's own."""
    voice = mind.voice
    sources = own_sources(mind)
    body = [
        piece
        for place, one in enumerate(clashes(mind), start=1)
        for piece in weighed(one, mind, place=place)
    ]
    proof = [
        Piece(text=stated(source, mind, place="again"), paragraph=80, rank=4)
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
    """The battlegrounds that the speaker sees, at most three."""
    lines = numbered(outline(mind.situation))
    planned = [_planned(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    found = [one for one in planned if one.ours]
    for fresh in seen(mind):
        same = next((i for i, one in enumerate(found) if _alike(one.ours, fresh.ours)), None)
        if same is None:
            found.append(fresh)
        elif not found[same].theirs:
            found[same] = fresh
    return found[:_MOST]


def _alike(left: str, right: str) -> bool:
    return overlap(content(left), content(right)) >= 0.6


def seen(mind: Mind) -> list[Clash]:
    """One's own points beside the nearest points of the other side, as far as they are noticed."""
    theirs = [point for point in opposing(mind) if mind.succeeds(mind.skill.rebuttal)]
    found = []
    for ours in own_points(mind)[:_MOST]:
        theirs.sort(key=lambda point: -overlap(content(ours), content(point)))
        found.append(Clash(ours=ours, theirs=theirs.pop(0) if theirs else ""))
    return found


def own_points(mind: Mind) -> list[str]:
    """What one's own side has argued so far, as short quotations."""
    situation = mind.situation
    claims: list[str] = []
    for speech in situation.speeches(situation.side):
        claims += claims_of(speech, mind)
    return list(dict.fromkeys(claims))


def own_sources(mind: Mind) -> list[Found]:
    """The findings for one's own side that it cited before and may cite again."""
    situation = mind.situation
    used = [n for speech in situation.speeches(situation.side) for n in cited(speech.text)]
    known = {one.number: one for one in situation.material if judged(one, mind) == situation.side}
    return [known[number] for number in dict.fromkeys(used) if number in known]


def to_line(clash: Clash, mind: Mind) -> str:
    """A battleground as a line of an outline, from which it is read again."""
    ours = mind.labels.ours.format(clash.ours)
    return f"{ours} {mind.labels.they_say.format(clash.theirs)}" if clash.theirs else ours


def _planned(line: str, mind: Mind) -> Clash:
    ours, _, rest = line.partition("“")[2].partition("”")
    theirs = rest.partition("“")[2].partition("”")[0]
    language = mind.situation.language
    return Clash(ours=fragment(ours or line, language), theirs=fragment(theirs, language))


def weighed(clash: Clash, mind: Mind, *, place: int) -> list[Piece]:
    """A battleground as a paragraph: what was said on both sides, and which weighs more."""
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
        Piece(text=filler(mind), paragraph=place, rank=9),
    ]

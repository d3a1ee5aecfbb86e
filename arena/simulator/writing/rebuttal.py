"""The simulated rebuttal: points of the other side, quoted, interpreted and countered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.languages import other_side
from arena.simulator.mind import Mind
from arena.simulator.reading.arguments import arguments
from arena.simulator.reading.situation import Heard
from arena.simulator.reading.words import closed, content, fragment, overlap
from arena.simulator.writing.ideas import Idea, from_line, known_ideas, numbered, outline, sourced
from arena.simulator.writing.paragraphs import Piece
from arena.simulator.writing.sentences import backed, filler

_MOST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer to a point: the words quoted, and the argument set against them, if any."""

    quoted: str
    against: Idea | None = None


def rebuttal(chosen: Sequence[Reply], mind: Mind) -> list[Piece]:
    """A rebuttal of some replies, a paragraph each."""
    voice = mind.voice
    start = [Piece(text=voice.say("rebut_open"), paragraph=0, rank=2)]
    body = [
        piece
        for place, one in enumerate(chosen, start=1)
        for piece in answered(one, mind, place=place)
    ]
    end = [Piece(text=voice.say("rebut_close"), paragraph=91, rank=3)]
    return [*start, *body, *end]


def replies(mind: Mind) -> list[Reply]:
    """What is answered, and with what: first as planned, then as noticed now."""
    lines = numbered(outline(mind.situation))
    planned = [_planned(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    kept = [one for one in planned if one is not None]
    taken = {one.quoted for one in kept}
    fresh = [quoted for quoted in hit(mind) if not _taken(quoted, taken)]
    used = " ".join(one.against.claim for one in kept if one.against)
    return [*kept, *matched(fresh, mind, beside=used)][:_MOST]


def hit(mind: Mind) -> list[str]:
    """The opponent's points that the model sees how to answer, at least one if there are any."""
    points = opposing(mind)
    seen = [point for point in points if mind.succeeds(mind.skill.rebuttal)]
    return seen or points[:1]


def opposing(mind: Mind) -> list[str]:
    """What the other side has argued, as short quotations, the latest speech first."""
    situation = mind.situation
    claims: list[str] = []
    for speech in reversed(situation.speeches(other_side(situation.side))):
        claims += claims_of(speech, mind)
    return list(dict.fromkeys(claims))


def claims_of(speech: Heard, mind: Mind) -> list[str]:
    """What a speech argues, as short quotations; where it gives few reasons, all that it says."""
    situation = mind.situation
    found = arguments(speech.text, motion=situation.motion)
    if len(found) < 2:
        found = arguments(speech.text, motion=situation.motion, reasoned=False)
    claims = (fragment(unit.claim, situation.language) for unit in found)
    return [claim for claim in claims if claim]


def matched(points: Sequence[str], mind: Mind, *, beside: str = "") -> list[Reply]:
    """Each point with the argument that meets it best; none is used twice, or stands in a text."""
    there = content(beside)
    pool = [idea for idea in known_ideas(mind) if overlap(content(idea.claim), there) < 0.8]
    found = []
    for point in points:
        words = content(point)
        pool.sort(key=lambda idea: -overlap(words, content(f"{idea.claim} {idea.support}")))
        found.append(Reply(quoted=point, against=pool.pop(0) if pool else None))
    return found


def answered(reply: Reply, mind: Mind, *, place: int) -> list[Piece]:
    """A paragraph that quotes a point and counters it."""
    voice = mind.voice
    pieces = [
        Piece(text=voice.say("they_say", fragment=reply.quoted), paragraph=place, rank=place),
        Piece(text=voice.say("counter"), paragraph=place, rank=place),
    ]
    if reply.against:
        claim = closed(reply.against.claim, voice.language)
        text = voice.say("against", claim=claim)
        pieces.append(Piece(text=text, paragraph=place, rank=place + 1))
        pieces.append(Piece(text=backed(reply.against, mind), paragraph=place, rank=place + 1))
    pieces.append(Piece(text=voice.say("so_what"), paragraph=place, rank=8))
    pieces.append(Piece(text=filler(mind), paragraph=place, rank=9))
    return pieces


def to_line(reply: Reply, mind: Mind) -> str:
    """A reply as a line of an outline, from which it is read again."""
    from_ideas = f"{mind.labels.answer}{_line(reply.against, mind)}" if reply.against else ""
    return mind.labels.they_say.format(reply.quoted) + from_ideas


def _line(idea: Idea, mind: Mind) -> str:
    support = f"{mind.labels.support}{idea.support}" if idea.support else ""
    return f"{idea.claim}{support}" + (f" [{idea.source.number}]" if idea.source else "")


def _planned(line: str, mind: Mind) -> Reply | None:
    said, _, answer = line.partition(mind.labels.answer)
    quoted = fragment(said.partition("“")[2].partition("”")[0] or said, mind.situation.language)
    if not quoted:
        return None
    return Reply(quoted=quoted, against=sourced(from_line(answer, mind), mind) if answer else None)


def _taken(quoted: str, taken: set[str]) -> bool:
    words = content(quoted)
    return any(overlap(words, content(other)) >= 0.6 for other in taken)

"""The simulated rebuttal: points of the other side, quoted and countered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.languages import other_side
from arena.simulator.mind import Mind
from arena.simulator.reading.arguments import find_arguments
from arena.simulator.reading.situation import PromptSpeech
from arena.simulator.words import add_end_mark, content_words, fragment, overlap
from arena.simulator.writing.ideas import (
    Idea,
    add_source,
    format_idea,
    known_ideas,
    numbered_lines,
    parse_idea,
    plan_in_prompt,
)
from arena.simulator.writing.paragraphs import Piece
from arena.simulator.writing.sentences import filler_sentence, support_sentence

_MOST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply to a point: the quotation of the point, and an argument against it, if any."""

    quoted: str
    against: Idea | None = None


def rebuttal(answers: Sequence[Reply], mind: Mind) -> list[Piece]:
    """Write a rebuttal with a paragraph for each reply."""
    voice = mind.voice
    start = [Piece(text=voice.say("rebut_open"), paragraph=0, rank=2)]
    body = [
        piece
        for place, reply in enumerate(answers, start=1)
        for piece in reply_pieces(reply, mind, place=place)
    ]
    end = [Piece(text=voice.say("rebut_close"), paragraph=91, rank=3)]
    return [*start, *body, *end]


def replies(mind: Mind) -> list[Reply]:
    """Return up to four replies: those of the plan that are followed, then own ones."""
    lines = numbered_lines(plan_in_prompt(mind.situation))
    followed = [_parse_reply(line, mind) for line in lines if mind.succeeds(mind.skill.outline)]
    planned = [reply for reply in followed if reply is not None]
    answered = {reply.quoted for reply in planned}
    fresh = [point for point in answerable_points(mind) if not _is_answered(point, answered)]
    used = " ".join(reply.against.claim for reply in planned if reply.against)
    return [*planned, *match_replies(fresh, mind, used=used)][:_MOST]


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
    claims = (fragment(argument.claim, situation.language) for argument in arguments)
    return [claim for claim in claims if claim]


def match_replies(points: Sequence[str], mind: Mind, *, used: str = "") -> list[Reply]:
    """Reply to each point with the known argument that fits best, each argument used once.

    Args:
        points: points of the other side.
        mind: the model.
        used: text whose arguments are not used again.
    """
    used_words = content_words(used)
    pool = [
        idea for idea in known_ideas(mind) if overlap(content_words(idea.claim), used_words) < 0.8
    ]
    matched = []
    for point in points:
        words = content_words(point)
        pool.sort(key=lambda idea: -overlap(words, content_words(f"{idea.claim} {idea.support}")))
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
        claim = add_end_mark(reply.against.claim, voice.language)
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
    answer = f"{mind.labels.answer}{format_idea(reply.against, mind)}" if reply.against else ""
    return mind.labels.they_say.format(reply.quoted) + answer


def _parse_reply(line: str, mind: Mind) -> Reply | None:
    point, _, answer = line.partition(mind.labels.answer)
    quoted = fragment(point.partition("“")[2].partition("”")[0] or point, mind.situation.language)
    if not quoted:
        return None
    return Reply(
        quoted=quoted, against=add_source(parse_idea(answer, mind), mind) if answer else None
    )


def _is_answered(point: str, answered: set[str]) -> bool:
    words = content_words(point)
    return any(overlap(words, content_words(quoted)) >= 0.6 for quoted in answered)

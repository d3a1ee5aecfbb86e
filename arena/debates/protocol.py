"""The protocol of a debate: stages, order, disclosure, word limits, references, forfeits.

Three stages. Both constructives are made at the same time, blind to each other; Pro opens the
rebuttals and Con the summaries, to balance the advantage of speaking order (Zhang et al. 2024,
arXiv 2408.04472, Task Definition).
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal

from arena.debater import Debater, Draft, Seat, Turn, motion_of
from arena.debates.speech_checks import speech_fault
from arena.errors import (
    PASSING,
    BothSides,
    ContentFault,
    EmptyReply,
    SpeechAwaited,
    WrongLanguage,
)
from arena.languages import SIDES, Contest, Language, Side, Stage, sentences
from arena.prompts import Prompts, quote
from arena.records import Reference, Speech

#: By contest, who speaks when; a side sees only what was said in earlier rounds.
ROUNDS: Mapping[Contest, tuple[tuple[Stage, tuple[Side, ...]], ...]] = {
    "debate": (
        ("constructive", ("pro", "con")),
        ("rebuttal", ("pro",)),
        ("rebuttal", ("con",)),
        ("summary", ("con",)),
        ("summary", ("pro",)),
    ),
    "essay": (("answer", ("pro", "con")),),
    "question": (("answer", ("pro", "con")),),
}

#: What both writers of an essay contest do: speak first, against the motion.
ESSAY_SIDE: Side = "con"
ESSAY_STAGE: Stage = "constructive"

_MARK = re.compile(r"\[(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\]")
#: A citation mark that was cut through.
_HALF_MARK = re.compile(r"\[[\d\s,，、]*$")
_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "protocol")
#: What the prompt that asks again calls each fault.
_FLAGS: Mapping[type[ContentFault], str] = {
    WrongLanguage: "wrong_language",
    BothSides: "both_sides",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How far a debate came: all speeches, a forfeit and whose it is, or a wait for a person.

    Attributes:
        speeches: of a debate that waits, those that both sides may see.
    """

    status: Literal["finished", "forfeit", "waiting"]
    speeches: tuple[Speech, ...]
    reason: str = ""
    forfeited: Literal["", "pro", "con", "both"] = ""


async def play(debaters: Mapping[Side, Debater], contest: Contest = "debate") -> Played:
    """Play a debate (or another contest) between two debaters in their seats.

    Raises:
        InfrastructureFault: a provider failed for good; the debate is void.
        BudgetReached: the spending cap; the debate is left to resume.
        JournalMismatch: its journal was written by other requests.
    """
    said: list[Speech] = []
    for stage, sides in ROUNDS[contest]:
        turn = Turn(stage=stage, disclosed=tuple(said))
        results = await asyncio.gather(
            *(_speech(debaters[side], turn, side, contest) for side in sides),
            return_exceptions=True,
        )
        before, said = said, said + [one for one in results if isinstance(one, Speech)]
        faults: dict[Side, object] = {
            side: one for side, one in zip(sides, results, strict=True) if _failed(one)
        }
        if faults:
            reason = "; ".join(f"{side}, {stage}: {_words(one)}" for side, one in faults.items())
            whose = "both" if len(faults) == len(SIDES) else next(iter(faults))
            return Played(status="forfeit", speeches=tuple(said), reason=reason, forfeited=whose)
        awaited = [
            f"{side}, {stage}: waits for a person"
            for side, one in zip(sides, results, strict=True)
            if isinstance(one, SpeechAwaited)
        ]
        if awaited:  # what the other side said in this round is not disclosed yet
            return Played(status="waiting", speeches=tuple(before), reason="; ".join(awaited))
    return Played(status="finished", speeches=tuple(said))


async def _speech(debater: Debater, turn: Turn, side: Side, contest: Contest) -> Speech:
    # An essay is a constructive against the motion, whoever writes it.
    asked = replace(turn, stage=ESSAY_STAGE) if contest == "essay" else turn
    draft = await debater.speak(asked)
    speech = await finish(draft, debater.seat, asked.stage)
    return replace(speech, side=side, stage=turn.stage)


def _failed(result: Speech | BaseException) -> bool:
    if isinstance(result, Speech | SpeechAwaited):
        return False
    if isinstance(result, PASSING) or not isinstance(result, Exception):
        raise result
    return True  # the model's fault, or a bug of the debater: either way the participant's


def _words(fault: object) -> str:
    return f"{type(fault).__name__}: {fault}"


async def finish(draft: Draft, seat: Seat, stage: Stage) -> Speech:
    """A draft as a speech: its side's, in its language, within the limit, references resolved.

    A model is asked once for what can be mended; a person's words are taken as they are.

    Raises:
        EmptyReply: there is nothing in it.
        WrongLanguage, BothSides: so it was again when the model had been asked once more.
    """
    text = draft.text.strip()
    if not text:
        raise EmptyReply("the speech is empty.")
    trace = list(draft.trace)
    fault = None if draft.final else _fault(text, seat, stage)
    if fault is not None:
        trace.append({"agent": "protocol", "action": "again", "fault": type(fault).__name__})
        text = await _again(text, fault, seat, stage)
    if seat.language.count(text) > seat.words and not draft.final:
        trace.append({"agent": "protocol", "action": "shorten", "from": seat.language.count(text)})
        text = await _shortened(text, seat, stage)
    cut = trim(text, seat.words, seat.language)
    return Speech(
        side=seat.side,
        stage=stage,
        text=cut,
        words=seat.language.count(cut),
        trimmed=cut != text,
        references=cited(cut, draft.known),
        trace=tuple(trace),
    )


def _fault(text: str, seat: Seat, stage: Stage) -> ContentFault | None:
    # An answer may be a number, or a translation into any language.
    return None if stage == "answer" else speech_fault(text, seat.side, seat.language)


async def _again(text: str, fault: ContentFault, seat: Seat, stage: Stage) -> str:
    """The speech as its model gives it when it is told what is wrong with it."""
    variables = {
        **motion_of(seat),
        "stage": seat.language.stages[stage],
        "draft": quote(seat.language.terms["draft"], text),
        "words": str(seat.words),
    }
    flags = frozenset({_FLAGS[type(fault)]})
    prompt = _PROMPTS.render("again", seat.language.code, variables, flags=flags)
    try:
        text = await seat.model.write(prompt, path=f"{stage}/again")
    except ContentFault as other:
        raise type(fault)(f"{fault} Asked again: {_words(other)}") from None
    still = _fault(text, seat, stage)
    if still is not None:
        raise type(still)(f"{still} It was asked again once, because {_words(fault)}")
    return text


async def _shortened(text: str, seat: Seat, stage: Stage) -> str:
    """The text as its own model shortens it; as it was where the model does not."""
    variables = {
        "speech": quote(seat.language.terms["speech"], text),
        "words": str(seat.words),
        "count": str(seat.language.count(text)),
    }
    prompt = _PROMPTS.render("shorten", seat.language.code, variables)
    try:
        shorter = await seat.model.write(prompt, path=f"{stage}/shorten")
    except ContentFault:
        return text
    return text if _fault(shorter, seat, stage) else shorter


def trim(text: str, limit: int, language: Language) -> str:
    """A text cut at the end of the last sentence within the limit (in the language's units).

    A first sentence that is too long by itself is cut within.
    """
    if language.count(text) <= limit:
        return text
    end = 0
    for sentence in sentences(text):
        after = text.index(sentence, end) + len(sentence)
        if language.count(text[:after]) > limit:
            break
        end = after
    return text[:end] or _first(text, limit, language)


def _first(text: str, limit: int, language: Language) -> str:
    ends = range(1, len(text) + 1)  # the longest start that is not over the limit
    fitting = bisect_right(ends, limit, key=lambda end: language.count(text[:end]))
    start = text[:fitting]
    if language.code != "zh" and fitting < len(text) and not text[fitting].isspace():
        start = start.rpartition(" ")[0] or start  # no half words
    return _HALF_MARK.sub("", start).rstrip()


def cited(text: str, known: Sequence[Reference]) -> tuple[Reference, ...]:
    """What the marks `[n]` of a text refer to, by first mention; unknown numbers are flagged.

    >>> [(one.number, one.given) for one in cited("Yes [2, 7].", [Reference(number=2)])]
    [(2, True), (7, False)]
    """
    by_number = {reference.number: reference for reference in known}
    numbers = [int(n) for mark in _MARK.findall(text) for n in re.findall(r"\d+", mark)]
    return tuple(
        by_number.get(number) or Reference(number=number, given=False)
        for number in dict.fromkeys(numbers)
    )

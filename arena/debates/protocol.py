"""The protocol of a debate: stages, order, disclosure, word limits, references, forfeits.

A debate has three stages. The two constructives are written at the same time, neither side sees
the other's; Pro opens the rebuttals and Con the summaries, to balance the advantage of speaking
order (Zhang et al. 2024, arXiv 2408.04472, Task Definition).
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from arena.debater import Debater, Draft, Seat, Turn
from arena.debates.correction import Correction, Review
from arena.errors import PROPAGATED_ERRORS, EmptyReply, SpeechAwaited
from arena.languages import SIDES, Contest, Language, Side, Stage, sentences
from arena.records import Reference, Speech

#: The rounds of each contest: a stage and the sides that speak in it. A side sees only the
#: speeches of earlier rounds.
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

#: Both writers of an essay contest deliver the opening speech against the motion.
ESSAY_SIDE: Side = "con"
ESSAY_STAGE: Stage = "constructive"

#: A citation in a speech: `[2]` or `[2, 7]`.
_CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\]")
#: The start of a citation at the end of a text that was cut.
_PARTIAL_CITATION = re.compile(r"\[[\d\s,，、]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedDebate:
    """The state in which a debate ended: finished, forfeited, or waiting for a person.

    Attributes:
        speeches: the speeches made; of a waiting debate, only those that both sides may see.
        reason: the fault of each forfeiting side, or whose speech is awaited.
        forfeited: the side that forfeited, empty where none did.
    """

    status: Literal["finished", "forfeit", "waiting"]
    speeches: tuple[Speech, ...]
    reason: str = ""
    forfeited: Literal["", "pro", "con", "both"] = ""


async def play(debaters: Mapping[Side, Debater], contest: Contest = "debate") -> PlayedDebate:
    """Play a debate (or another contest) between two debaters in their seats.

    Raises:
        InfrastructureFault: a provider failed for good; the debate is void.
        BudgetReached: the spending cap is reached; the debate can be resumed.
        JournalMismatch: the debate's journal was written by other requests.
    """
    speeches: list[Speech] = []
    for stage, sides in ROUNDS[contest]:
        turn = Turn(stage=stage, disclosed=tuple(speeches))
        results = await asyncio.gather(
            *(_make_speech(debaters[side], turn, side, contest) for side in sides),
            return_exceptions=True,
        )
        by_side = dict(zip(sides, results, strict=True))
        faults = {side: result for side, result in by_side.items() if _is_fault(result)}
        waiting = [side for side, result in by_side.items() if isinstance(result, SpeechAwaited)]
        if waiting and not faults:  # the other side's speech of this round is not disclosed yet
            reason = "; ".join(
                f"{side}, {stage}: waiting for a person to submit the speech" for side in waiting
            )
            return PlayedDebate(status="waiting", speeches=tuple(speeches), reason=reason)
        speeches += [result for result in results if isinstance(result, Speech)]
        if faults:
            return _forfeit(faults, stage, speeches)
    return PlayedDebate(status="finished", speeches=tuple(speeches))


def _forfeit(
    faults: Mapping[Side, object], stage: Stage, speeches: Sequence[Speech]
) -> PlayedDebate:
    reason = "; ".join(f"{side}, {stage}: {_format_fault(fault)}" for side, fault in faults.items())
    whose = "both" if len(faults) == len(SIDES) else next(iter(faults))
    return PlayedDebate(status="forfeit", speeches=tuple(speeches), reason=reason, forfeited=whose)


async def _make_speech(debater: Debater, turn: Turn, side: Side, contest: Contest) -> Speech:
    # An essay is a constructive against the motion, whoever writes it.
    debater_turn = replace(turn, stage=ESSAY_STAGE) if contest == "essay" else turn
    draft = await debater.speak(debater_turn)
    speech = await finish_speech(
        draft,
        debater.seat,
        debater_turn.stage,
        disclosed=turn.disclosed,
        review=lambda text: debater.review(text, debater_turn),
    )
    return replace(speech, side=side, stage=turn.stage)


def _is_fault(result: Speech | BaseException) -> bool:
    if isinstance(result, Speech | SpeechAwaited):
        return False
    if isinstance(result, PROPAGATED_ERRORS) or not isinstance(result, Exception):
        raise result
    return True  # the model's fault, or a bug of the debater: either way the participant's


def _format_fault(fault: object) -> str:
    return f"{type(fault).__name__}: {fault}"


async def finish_speech(
    draft: Draft,
    seat: Seat,
    stage: Stage,
    *,
    disclosed: Sequence[Speech] = (),
    review: Review | None = None,
) -> Speech:
    """Turn a draft into a speech: correct it, keep it to the word limit, resolve its references.

    What a model put around the speech is removed. The model is asked once to correct a speech in
    the wrong language or for both sides, or a refusal, and once to shorten one that is too long. A
    person's text is only cut at the limit.

    Args:
        draft: the draft.
        seat: the speaker's.
        stage: of the speech.
        disclosed: the earlier speeches that the speaker has seen.
        review: reviews a speech that was shortened.

    Raises:
        EmptyReply: the draft is empty.
        Refusal, WrongLanguage, BothSides: the corrected speech has the fault too.
    """
    text = draft.text.strip()
    if not text:
        raise EmptyReply("the speech is empty.")
    correction = Correction(seat=seat, stage=stage, disclosed=disclosed, review=review)
    if not draft.final:
        text = await correction.correct(text)
    cut = trim(text, seat.words, seat.language)
    return Speech(
        side=seat.side,
        stage=stage,
        text=cut,
        words=seat.language.count(cut),
        trimmed=cut != text,
        references=cited_references(cut, draft.known),
        trace=(*draft.trace, *correction.steps),
    )


def trim(text: str, limit: int, language: Language) -> str:
    """Cut a text at the end of the last sentence within a limit.

    A first sentence over the limit is cut between words.

    Args:
        text: the text to cut.
        limit: limit in words (characters in Chinese).
        language: language of the text.
    """
    if language.count(text) <= limit:
        return text
    end = 0
    for sentence in sentences(text):
        after = text.index(sentence, end) + len(sentence)
        if language.count(text[:after]) > limit:
            break
        end = after
    return text[:end] or _cut_sentence(text, limit, language)


def _cut_sentence(text: str, limit: int, language: Language) -> str:
    ends = range(1, len(text) + 1)
    # The longest start that is not over the limit.
    length = bisect_right(ends, limit, key=lambda end: language.count(text[:end]))
    start = text[:length]
    if language.code != "zh" and length < len(text) and not text[length].isspace():
        start = start.rpartition(" ")[0] or start  # no half words
    return _PARTIAL_CITATION.sub("", start).rstrip()


def cited_references(text: str, known: Sequence[Reference]) -> tuple[Reference, ...]:
    """Return the references that a text cites as `[n]`, in the order of first mention.

    A number that is not known becomes a reference with `given=False`.

    >>> references = cited_references("Yes [2, 7].", [Reference(number=2)])
    >>> [(reference.number, reference.given) for reference in references]
    [(2, True), (7, False)]
    """
    by_number = {reference.number: reference for reference in known}
    numbers = [
        int(number)
        for citation in _CITATION.findall(text)
        for number in re.findall(r"\d+", citation)
    ]
    return tuple(
        by_number.get(number) or Reference(number=number, given=False)
        for number in dict.fromkeys(numbers)
    )

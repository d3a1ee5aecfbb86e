"""The protocol of a debate: stages, order, disclosure, word limits, references, early ends.

A debate has three stages. The two constructives are written at the same time, neither side sees
the other's; Pro opens the rebuttals and Con the summaries, to balance the advantage of speaking
order (Zhang et al. 2024, arXiv 2408.04472, Task Definition).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from arena.debater import Debater, Draft, Seat, Turn
from arena.debates.citations import (
    CitingText,
    find_citations,
    list_references,
    resolve_marks,
)
from arena.debates.code_errors import RaisedError, format_fault, is_bug, leading_error
from arena.debates.correction import Correction, Review
from arena.errors import (
    PROPAGATED_ERRORS,
    ContentFault,
    EmptyReply,
    PromptTooLong,
    ProviderRejected,
    SpeechAwaited,
)
from arena.languages import SIDES, Contest, Side, Stage
from arena.languages.trim import trim
from arena.records import Speech

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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedDebate:
    """The state in which a debate ended: finished, forfeited, in an error, or waiting for a person.

    Attributes:
        speeches: the speeches made; of a debate that waits or ended in an error, only those that
            both sides may see.
        reason: the fault of each forfeiting side, or whose speech is awaited.
        forfeited: the side that forfeited, empty where none did.
        errors: the exceptions of the debaters' code that ended it, at most one per side.
        awaited: the speeches of people that it waits for.
    """

    status: Literal["finished", "forfeit", "waiting", "error"]
    speeches: tuple[Speech, ...]
    reason: str = ""
    forfeited: Literal["", "pro", "con", "both"] = ""
    errors: tuple[RaisedError, ...] = ()
    awaited: tuple[tuple[Side, Stage], ...] = ()


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
        by_side = {
            side: leading_error(result) if isinstance(result, BaseException) else result
            for side, result in zip(sides, results, strict=True)
        }
        faults = {
            side: result
            for side, result in by_side.items()
            if isinstance(result, BaseException) and _is_fault(result)
        }
        errors = tuple(
            RaisedError(side=side, stage=stage, error=result)
            for side, result in by_side.items()
            if isinstance(result, BaseException) and is_bug(result)
        )
        if errors:  # no result, whatever the other side did
            return PlayedDebate(status="error", speeches=tuple(speeches), errors=errors)
        waiting = [side for side, result in by_side.items() if isinstance(result, SpeechAwaited)]
        if waiting and not faults:  # the other side's speech of this round is not disclosed yet
            reason = "; ".join(
                f"{side}, {stage}: waiting for a person to submit the speech" for side in waiting
            )
            return PlayedDebate(
                status="waiting",
                speeches=tuple(speeches),
                reason=reason,
                awaited=tuple((side, stage) for side in waiting),
            )
        speeches += [result for result in results if isinstance(result, Speech)]
        if faults:
            return PlayedDebate(
                status="forfeit",
                speeches=tuple(speeches),
                reason="; ".join(
                    f"{side}, {stage}: {format_fault(fault)}" for side, fault in faults.items()
                ),
                forfeited="both" if len(faults) == len(SIDES) else next(iter(faults)),
            )
    return PlayedDebate(status="finished", speeches=tuple(speeches))


async def _make_speech(debater: Debater, turn: Turn, side: Side, contest: Contest) -> Speech:
    # An essay is a constructive against the motion, whoever writes it.
    debater_turn = replace(turn, stage=ESSAY_STAGE) if contest == "essay" else turn
    draft = await debater.speak(debater_turn)
    speech = await finish_speech(
        draft,
        debater.seat,
        debater_turn.stage,
        disclosed=turn.disclosed,
        contest=contest,
        review=lambda text: debater.review(text, debater_turn),
    )
    json.dumps(list(speech.trace))  # raises here, in the debater's name, where it cannot be stored
    return replace(speech, side=side, stage=turn.stage)


def _is_fault(result: BaseException) -> bool:
    """Return whether a side forfeits by its model's fault; raise what is no fault of a side."""
    if isinstance(result, PromptTooLong):  # a person must choose another model, or fewer words
        raise ProviderRejected(str(result)) from None
    if isinstance(result, PROPAGATED_ERRORS):
        raise result
    return isinstance(result, ContentFault)


async def finish_speech(
    draft: Draft,
    seat: Seat,
    stage: Stage,
    *,
    disclosed: Sequence[Speech] = (),
    contest: Contest = "debate",
    review: Review | None = None,
) -> Speech:
    """Turn a draft into a speech: correct it, keep it to the word limit, resolve its references.

    What a model put around the speech is removed. The model is asked once to correct a speech in
    the wrong language or for both sides, or a refusal, and once to shorten one that is too long. A
    person's text is only cut at the limit.

    Args:
        disclosed: the earlier speeches that the speaker has seen.

    Raises:
        EmptyReply: the draft is empty.
        Refusal, WrongLanguage, BothSides: the corrected speech has the fault too.
    """
    text = draft.text.strip()
    if not text:
        raise EmptyReply("the speech is empty.")
    made = tuple(draft.trace)  # a review adds its steps after those of the protocol
    correction = Correction(seat=seat, stage=stage, disclosed=disclosed, review=review)
    steps = correction.steps
    if draft.final:  # a person's own words stay as they are
        citing = CitingText(text=text, citations=find_citations(text, seat.side, disclosed))
    else:
        text = await correction.correct(text)
        citing = resolve_marks(text, seat.side, seat.language, disclosed=disclosed, contest=contest)
    if citing.lettered:
        steps.append({"agent": "protocol", "action": "letter", "marks": citing.lettered})
    steps += seat.model.unit.take_left_out(seat.model.prefix)
    cut = trim(citing.text, seat.words, seat.language)
    citations = [mark for mark in citing.citations if mark.end <= len(cut)]
    return Speech(
        side=seat.side,
        stage=stage,
        text=cut,
        words=seat.language.count(cut),
        trimmed=cut != citing.text,
        references=list_references(citations, draft.known, unknown=contest != "question"),
        trace=(*made, *steps),
    )

"""The dialogues in which the speeches of a debate were made.

The trace of a speech tells the order of its agents' work, the stored answers of the models what
they said. Both are kept for every debate, so that older databases can be read as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.languages import SIDES, STAGES, Language, Side, Stage
from arena.records import Speech
from arena.report.making.answers import Answers, StoredAnswer, read_answers
from arena.report.making.entries import write_entry
from arena.report.making.records import DialogueStep, SpeechDialogue
from arena.report.making.scribe import Scribe, format_fields
from arena.store.database import Store

_Stored = Mapping[tuple[str, str], Sequence[StoredAnswer]]


def read_dialogues(
    store: Store, debate_id: str, speeches: Sequence[Speech], language: Language, contest: str
) -> list[SpeechDialogue]:
    """Read how the speeches of a debate were made, and what was begun but never delivered.

    Args:
        store: database of the debate.
        debate_id: the whole id.
        speeches: of the debate, in order.
        language: the debate's.
        contest: the tournament's contest.

    Returns:
        one dialogue per speech, in order; then those of speeches that were never delivered.
    """
    stored = read_answers(store, debate_id)
    return [
        *(make_dialogue(speech, stored, language, contest) for speech in speeches),
        *_undelivered(speeches, stored, language, contest),
    ]


def make_dialogue(
    speech: Speech, stored: _Stored, language: Language, contest: str
) -> SpeechDialogue:
    """Return how one speech was made, from its trace and the stored answers of the debate."""
    answers = Answers(stored.get((speech.side, _path_stage(speech.stage, contest)), ()))
    sampled = any(step.get("agent") == "Chooser" for step in speech.trace)
    scribe = Scribe(answers, language, speech.text, sampled=sampled)
    steps = [write_entry(scribe, step) for step in speech.trace]
    return SpeechDialogue(side=speech.side, stage=speech.stage, steps=(*steps, *_rest(scribe)))


def _rest(scribe: Scribe) -> Iterator[DialogueStep]:
    """Yield the answers that no step of the trace accounts for."""
    for answer in scribe.answers.rest():
        agent = answer.path.split("/")[2].capitalize()
        act = scribe.words.phrase("rest", answer.path)
        yield scribe.write({"agent": agent}, answer, act, answer.text, format_fields(answer.fields))


def _undelivered(
    speeches: Sequence[Speech], stored: _Stored, language: Language, contest: str
) -> Iterator[SpeechDialogue]:
    delivered = {(speech.side, speech.stage) for speech in speeches}
    stages: Sequence[Stage] = STAGES if contest == "debate" else ("answer",)
    for stage in stages:
        for side in SIDES:
            answers = stored.get((side, _path_stage(stage, contest)), ())
            if answers and (side, stage) not in delivered:
                yield _begun(side, stage, answers, language)


def _begun(
    side: Side, stage: Stage, answers: Sequence[StoredAnswer], language: Language
) -> SpeechDialogue:
    steps = tuple(_rest(Scribe(Answers(answers), language, "")))
    return SpeechDialogue(side=side, stage=stage, steps=steps, delivered=False)


def _path_stage(stage: Stage, contest: str) -> Stage:
    """Return the stage in the paths of calls: an essay is asked for as a constructive."""
    return "constructive" if contest == "essay" else stage

"""The dialogues in which the speeches of a debate were made.

The trace of a speech tells the order of its agents' work, the stored answers of the models what
they said. Both are kept for every debate, so that older databases can be read as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from arena.languages import SIDES, STAGES, Language, Stage
from arena.languages.language import MakingWords, making_words
from arena.report.dialogues.dialogue_writer import (
    AgentAnswers,
    DialogueWriter,
    StoredAnswer,
    format_fields,
    read_answers,
)
from arena.report.dialogues.entries import write_entry
from arena.report.dialogues.records import DialogueStep, DraftChanges, SpeechDialogue
from arena.text import plain

if TYPE_CHECKING:
    from arena.records import Speech
    from arena.store.database import Store

_Stored = Mapping[tuple[str, str], Sequence[StoredAnswer]]


def read_dialogues(
    store: Store, debate_id: str, speeches: Sequence[Speech], language: Language, contest: str
) -> list[SpeechDialogue]:
    """Read how the speeches of a debate were made, then what was begun but never delivered."""
    stored = read_answers(store, debate_id)
    return [
        *(make_dialogue(speech, stored, language, contest) for speech in speeches),
        *_undelivered(speeches, stored, language, contest),
    ]


def make_dialogue(
    speech: Speech, stored: _Stored, language: Language, contest: str
) -> SpeechDialogue:
    """Return how one speech was made, from its trace and the stored answers of the debate."""
    answers = AgentAnswers(stored.get((speech.side, _path_stage(speech.stage, contest)), ()))
    sampled = any(step.get("agent") == "Chooser" for step in speech.trace)
    writer = DialogueWriter(answers, language, speech.text, sampled=sampled)
    steps = [write_entry(writer, step) for step in speech.trace]
    return SpeechDialogue(side=speech.side, stage=speech.stage, steps=(*steps, *_rest(writer)))


def _rest(writer: DialogueWriter) -> Iterator[DialogueStep]:
    """Yield the answers that no step of the trace accounts for."""
    for answer in writer.answers.rest():
        agent = answer.path.split("/")[2].capitalize()
        act = writer.phrase("rest", answer.path)
        yield writer.write({"agent": agent}, answer, act, answer.text, format_fields(answer.fields))


def _undelivered(
    speeches: Sequence[Speech], stored: _Stored, language: Language, contest: str
) -> Iterator[SpeechDialogue]:
    delivered = {(speech.side, speech.stage) for speech in speeches}
    stages: Sequence[Stage] = STAGES if contest == "debate" else ("answer",)
    for stage in stages:
        for side in SIDES:
            answers = stored.get((side, _path_stage(stage, contest)), ())
            if answers and (side, stage) not in delivered:
                steps = tuple(_rest(DialogueWriter(AgentAnswers(answers), language, "")))
                yield SpeechDialogue(side=side, stage=stage, steps=steps, delivered=False)


def _path_stage(stage: Stage, contest: str) -> Stage:
    """Return the stage in the paths of calls: an essay is asked for as a constructive."""
    return "constructive" if contest == "essay" else stage


_BAR = "    │ "
#: Characters of a text that is repeated rather than referred to.
_SHORT = 40
_SIGNS = {"removed": "- ", "added": "+ "}


def format_dialogue(dialogue: SpeechDialogue, language: Language) -> Iterator[str]:
    """Yield the lines of a dialogue, without a heading.

    Args:
        language: the debate's, for the words around the texts.
    """
    words = making_words(language)
    several = len({step.model for step in dialogue.steps if step.model}) > 1
    number: int | None = None
    for step in dialogue.steps:
        if step.round not in (None, number):
            yield f"  {words.phrase('round', step.round)}"
            number = step.round
        yield from _format_step(step, words, several=several)


def _format_step(step: DialogueStep, words: MakingWords, *, several: bool) -> Iterator[str]:
    remarks = [step.model] if several and step.model else []
    remarks += [words.phrase("attempts", step.attempts)] if step.attempts > 1 else []
    acts = ", ".join(filter(None, (step.act, _format_relation(step, words))))
    number = f"{step.turn}. " if step.turn is not None else ""
    head = f"{number}{step.agent}: {acts}" if acts else f"{number}{step.agent}"
    head += f" ({', '.join(remarks)})" if remarks else ""
    yield f"  {' '.join(plain(head).split())}"
    if step.changes is not None:
        yield from _format_changes(step.changes, words)
    if step.delivered and not _is_short(step.text):
        yield f"    {words.phrase('text_below')}"
    elif step.text and step.changes is None:
        yield from _quote(step.text)
    for detail in step.details:
        yield from _quote(f"{detail.label}: {detail.text}" if detail.label else detail.text)


def _is_short(text: str) -> bool:
    """Tell whether a text, such as the answer to a question, is as short as a reference to it."""
    return len(text) <= _SHORT and "\n" not in text


def _format_relation(step: DialogueStep, words: MakingWords) -> str:
    """Format which turn a turn takes up, as an arrow to its number; "" where it takes up none."""
    if step.answers is None or step.stance not in words.phrases:
        return ""
    return words.phrase(step.stance, step.answers)


def _format_changes(changes: DraftChanges, words: MakingWords) -> Iterator[str]:
    if not changes.changes:
        yield f"    {words.phrase('same')}"
        return
    counts = (changes.kept, changes.count("removed"), changes.count("added"))
    yield f"    {words.phrase('changes', *counts)}"
    for change in changes.changes:
        yield from _quote(change.text, _SIGNS[change.kind])


def _quote(text: str, sign: str = "") -> Iterator[str]:
    for line in plain(text).splitlines():
        yield f"{_BAR}{sign}{line}".rstrip()

"""The making of a speech as text for a terminal.

What models said stands behind a bar at the margin: no line of it can pass for one of this program.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.languages import Language
from arena.languages.making_words import MakingWords, making_words
from arena.report.making.changes import DraftChanges
from arena.report.making.records import DialogueStep, SpeechDialogue
from arena.text import plain

_BAR = "    │ "
#: Characters of a text that is repeated rather than referred to.
_SHORT = 40
_SIGNS = {"removed": "- ", "added": "+ "}


def format_dialogue(dialogue: SpeechDialogue, language: Language) -> Iterator[str]:
    """Yield the lines of a dialogue, without a heading.

    Args:
        dialogue: of one speech.
        language: the debate's, for the words around the texts.
    """
    words = making_words(language)
    several = len({step.model for step in dialogue.steps if step.model}) > 1
    number: int | None = None
    for step in dialogue.steps:
        if step.round != number and step.round is not None:
            yield f"  {words.phrase('round', step.round)}"
        number = step.round if step.round is not None else number
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

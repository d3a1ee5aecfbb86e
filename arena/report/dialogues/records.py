"""The records of a speech's making: dialogues of agents in steps, with the changes to drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from arena.languages import Side, Stage, sentences

#: The number at the start of a line, and the blank after it, where a sentence would seem to end.
_NUMBER = re.compile(r"^(\s*\d+[.)])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceChange:
    """A sentence that a draft no longer has, or has now."""

    kind: Literal["removed", "added"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftChanges:
    """The changes from one draft to the next.

    Attributes:
        kept: number of sentences of the earlier draft that the later one has in the same order.
        changes: in the order of the text; what was removed stands before what replaces it.
    """

    kept: int
    changes: tuple[SentenceChange, ...]

    def count(self, kind: Literal["removed", "added"]) -> int:
        """Count the sentences that were removed, or added."""
        return sum(change.kind == kind for change in self.changes)


def compare_drafts(earlier: str, later: str) -> DraftChanges:
    """Compare two drafts sentence by sentence; blanks and paragraphs do not matter.

    >>> compare_drafts("One. Two. Three.", "One. 2. Three.").changes
    (SentenceChange(kind='removed', text='Two.'), SentenceChange(kind='added', text='2.'))
    """
    first, second = _split(earlier), _split(later)
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    kept = sum(end - start for code, start, end, _, _ in codes if code == "equal")
    changes = tuple(
        change
        for code, *spans in codes
        if code != "equal"
        for change in _changes(first[spans[0] : spans[1]], second[spans[2] : spans[3]])
    )
    return DraftChanges(kept=kept, changes=changes)


def _split(text: str) -> list[str]:
    """Return the sentences of a text; the number of a point belongs to its sentence."""
    lines = (_NUMBER.sub(r"\1\0", line) for line in text.splitlines())
    parts = (sentence for line in lines for sentence in sentences(line))
    return [" ".join(part.replace("\0", " ").split()) for part in parts]


def _changes(removed: Sequence[str], added: Sequence[str]) -> Iterator[SentenceChange]:
    for text in removed:
        yield SentenceChange(kind="removed", text=text)
    for text in added:
        yield SentenceChange(kind="added", text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A labelled text that belongs to a step, such as the reasoning before a decision."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueStep:
    """What one agent did and said. Its texts come from models and are shown as data.

    Attributes:
        agent: its name, in the language of the debate like the other words.
        round: round of an inner debate or a discussion; None outside them.
        turn: number of a turn that others may take up; None where turns have none.
        answers: number of the turn that it takes up; None where it takes up none.
        stance: its stance to that turn: `supports` or `opposes`; empty where it takes up none.
        text: what it said; empty where it said nothing, or where `changes` tell it.
        changes: of a draft that follows another: what changed; None for other steps.
        delivered: whether the text is the speech, word for word.
        path: of its call in `calls`; empty where it made none.
        model: that it called; empty where it made no call.
        attempts: how often its answer was asked for; 0 where it made no call.
    """

    agent: str
    act: str = ""
    round: int | None = None
    turn: int | None = None
    answers: int | None = None
    stance: str = ""
    text: str = ""
    changes: DraftChanges | None = None
    delivered: bool = False
    details: tuple[Detail, ...] = ()
    path: str = ""
    model: str = ""
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechDialogue:
    """How one speech was made.

    Attributes:
        delivered: False for a speech that was begun but never delivered: its steps are the answers
            of its agents, in the order of each agent's own work.
    """

    side: Side
    stage: Stage
    steps: tuple[DialogueStep, ...]
    delivered: bool = True

"""The records of a speech's making: dialogues of agents in steps."""

from __future__ import annotations

from dataclasses import dataclass

from arena.languages import Side, Stage
from arena.report.making.changes import DraftChanges


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
        act: what it did, in a few words; may be empty.
        round: round of an inner debate or a discussion; None outside them.
        turn: number of a turn that others may take up; None where turns have none.
        answers: number of the turn that it takes up; None where it takes up none.
        stance: its stance to that turn: `supports` or `opposes`; empty where it takes up none.
        text: what it said; empty where it said nothing, or where `changes` tell it.
        changes: of a draft that follows another: what changed; None for other steps.
        delivered: whether the text is the speech, word for word.
        details: what else is known of the step.
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

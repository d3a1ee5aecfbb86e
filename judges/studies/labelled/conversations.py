"""Conversations of several turns, put before a judge as a task and an answer to it."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

_USER, _ASSISTANT, _SYSTEM = "user", "assistant", "system"
#: The words around several turns: what is compared, and the heading of each turn.
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "last": "The task is a conversation of {turns} turns, and each answer has a part for every "
        "turn. Compare the answers to turn {turns} alone; the turns before it are its context.",
        "all": "The task is a conversation of {turns} turns, and each answer has a part for every "
        "turn. Compare the answers to all turns together.",
        "turn": "Turn {turn}:",
    },
    "zh": {
        "last": "任务是一段共 {turns} 轮的对话，每篇回答对每一轮都有一部分。只比较对第 {turns} "
        "轮的回答；之前各轮是它的上下文。",
        "all": "任务是一段共 {turns} 轮的对话，每篇回答对每一轮都有一部分。"
        "请把各轮的回答合在一起比较。",
        "turn": "第 {turn} 轮：",
    },
}


class TurnFault(Exception):
    """A conversation that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a user asked turn by turn, and what a model answered."""

    questions: tuple[str, ...]
    answers: tuple[str, ...]

    def up_to(self, turn: int) -> Conversation:
        """Return the first turns."""
        return Conversation(questions=self.questions[:turn], answers=self.answers[:turn])


def read_conversation(value: object) -> Conversation:
    """Read a list of turns: objects with `role` and `content`, user and assistant in turn.

    A system message in front belongs to the first question. The list may also be the text of one,
    as CSV files have it.

    >>> read_conversation('[{"role": "user", "content": "Why?"},'
    ...     ' {"role": "assistant", "content": "So."}]')
    Conversation(questions=('Why?',), answers=('So.',))

    Raises:
        TurnFault: it is no such list, or its turns are out of step.
    """
    messages = [_read_message(message, n) for n, message in enumerate(_as_list(value), start=1)]
    system = messages[0][1] if messages and messages[0][0] == _SYSTEM else ""
    spoken = messages[1:] if system else messages
    for place, (role, _) in enumerate(spoken):
        due = _ASSISTANT if place % 2 else _USER
        if role != due:
            number = place + 1 + bool(system)
            raise TurnFault(f"turns out of step: message {number} is by {role!r}, due is {due!r}")
    if not spoken or len(spoken) % 2:
        raise TurnFault(
            "turns out of step: the last question has no answer" if spoken else "has no turns"
        )
    texts = [text for _, text in spoken]
    first = "\n\n".join(filter(None, (system, texts[0])))
    return Conversation(questions=(first, *texts[2::2]), answers=tuple(texts[1::2]))


def format_background(turns: int, language: str, *, last_only: bool) -> str:
    """Return what a judge is told about a task of several turns; empty for a single one.

    It stands outside the quoted task, whose words have no force.

    Args:
        last_only: whether the answer to the last turn alone is judged.
    """
    words = _WORDS[language]["last" if last_only else "all"]
    return words.format(turns=turns) if turns > 1 else ""


def format_turns(texts: Sequence[str], language: str) -> str:
    """Return the texts of some turns, each below its heading; a single one as it is."""
    if len(texts) == 1:
        return texts[0]
    heading = _WORDS[language]["turn"]
    return "\n\n".join(
        f"{heading.format(turn=number)}\n{text}" for number, text in enumerate(texts, start=1)
    )


def check_same_questions(first: Conversation, second: Conversation) -> None:
    """Raise a `TurnFault` where two conversations do not have the same questions."""
    mine, theirs = len(first.questions), len(second.questions)
    if mine != theirs:
        raise TurnFault(
            f"turns out of step: {mine} in the first conversation, {theirs} in the second"
        )
    both = zip(first.questions, second.questions, strict=True)
    for turn, (own, other) in enumerate(both, start=1):
        if own.strip() != other.strip():
            raise TurnFault(
                f"turns out of step: the question of turn {turn} differs between the conversations"
            )


def _as_list(value: object) -> Sequence[Any]:
    """Return a list; of a text, what it stands for in JSON, or as Python prints it."""
    content = value
    if isinstance(value, str):
        for load in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                content = load(value)
                break
    if isinstance(content, list | tuple):
        return content
    raise TurnFault("is no list of turns; accepted: a list of objects with role and content")


def _read_message(message: object, number: int) -> tuple[str, str]:
    """Return the role and the text of a message."""
    if not isinstance(message, Mapping) or not {"role", "content"} <= message.keys():
        raise TurnFault(f"message {number} is no object with role and content")
    role, content = str(message["role"]).strip().lower(), message["content"]
    if role not in (_USER, _ASSISTANT) and not (role == _SYSTEM and number == 1):
        raise TurnFault(
            f"message {number} is by {role!r}; accepted: {_USER}, {_ASSISTANT} and, in front, "
            f"{_SYSTEM}"
        )
    if isinstance(content, list):  # parts, as some published conversations have them
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        texts = [part for part in parts if isinstance(part, str)]
        content = "\n".join(texts) if len(texts) == len(content) else None
    if not isinstance(content, str):
        raise TurnFault(f"message {number}: its content is no text")
    return role, content

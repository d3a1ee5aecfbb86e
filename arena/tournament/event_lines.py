"""Events that happen again and again: one line for the first of a kind, then counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from arena.text import plain

Event = Literal["void", "forfeit", "waiting", "failed", "error", "search", "dropped", "set aside"]

#: The line of an event, with its example and its reason, and what many of them are called; of
#: what is said once and for all, no count is printed.
_WORDS: dict[Event, tuple[str, str]] = {
    "void": ("debate {} is void: {}", "void debates"),
    "forfeit": ("debate {} is a forfeit: {}", "forfeits"),
    "waiting": ("debate {} waits: {}", "waiting debates"),
    "failed": ("a ballot of {1} (debate {0})", "failed ballots"),
    "error": ("{} ended in an error in the code of {}", "errors"),
    "search": (
        "debate {}: a search failed, so the speech is written without its results: {}",
        "failed searches",
    ),
    "dropped": ("{1}", ""),
    "set aside": ("debate {}: {}", "journals set aside"),
}
#: Causes of one kind of event that are told apart; the words of models have no end.
_MOST_CAUSES = 12
_LONGEST = 1000
_OTHER = "other causes"
#: What differs between events of one cause: the place in a debate, ids of requests, hashes, and
#: numbers that stand alone (those in names of models and in addresses do not).
_VARIABLE = re.compile(
    r"\b(?:pro|con), (?:constructive|rebuttal|summary)\b|"
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b(?=\w*\d)[0-9a-f]{8,}\b"
    r"|\b(?=\w*\d)(?=\w*[A-Za-z])\w{16,}\b"
    r"|(?<![\w./:-])\d+(?:[.,:]\d+){0,2}(?![\w/:-]|[.,]\d)"
)


@dataclass(slots=True, kw_only=True)
class Cause:
    """Events of one kind that have one cause.

    Attributes:
        example: the first of them: the id of a debate.
        count: how many there are.
    """

    reason: str
    example: str
    count: int = 1


class Causes:
    """Events of one kind, grouped by cause."""

    def __init__(self, events: Iterable[tuple[str, str]] = ()) -> None:
        self._groups: dict[str, Cause] = {}
        for example, reason in events:
            self.add(example, reason)

    def add(self, example: str, reason: str) -> Cause:
        """Count an event, and return its cause."""
        key = normalise(reason)
        if key not in self._groups and len(self._groups) >= _MOST_CAUSES:
            key, reason = _OTHER, f"{_OTHER}, such as: {reason}"
        if (cause := self._groups.get(key)) is not None:
            cause.count += 1
            return cause
        self._groups[key] = Cause(reason=reason, example=example)
        return self._groups[key]

    def __iter__(self) -> Iterator[Cause]:
        return iter(sorted(self._groups.values(), key=lambda cause: -cause.count))

    @property
    def count(self) -> int:
        """The number of all events."""
        return sum(cause.count for cause in self._groups.values())


class EventLines:
    """Prints the first event of each cause, and counts when they have grown tenfold.

    Args:
        print_line: prints a line.
    """

    def __init__(self, print_line: Callable[[str], None]) -> None:
        self._print_line = print_line
        self._causes: dict[Event, Causes] = {}

    def add(self, event: Event, example: str, reason: str) -> bool:
        """Count an event; return whether it is the first of its cause.

        Args:
            example: the debate, by the first characters of its id.
            reason: why it happened.
        """
        reason = one_line(reason)
        cause = self._causes.setdefault(event, Causes()).add(example, reason)
        line, many = _WORDS[event]
        if cause.count == 1:
            self._print_line(line.format(example, reason))
        elif many and _is_power_of_ten(cause.count):
            self._print_line(f"{cause.count:,} {many} by now: {cause.reason}")
        return cause.count == 1

    def all_causes(self) -> dict[Event, Causes]:
        """Return the events of all kinds by cause."""
        return {**self._causes}

    def causes(self, event: Event) -> Causes:
        """Return the events of a kind by cause."""
        return self._causes.get(event, Causes())


def normalise(reason: str) -> str:
    """Replace what differs between events of one cause.

    >>> normalise("openai/gpt-5: limit of 200 tokens, request 3f2a9c77e01b")
    'openai/gpt-5: limit of # tokens, request #'
    """
    return _VARIABLE.sub("#", reason)


def one_line(text: str) -> str:
    """Put a text on one line, safe for a terminal and not too long."""
    line = " ".join(plain(text).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _is_power_of_ten(number: int) -> bool:
    return str(number).strip("0") == "1"


def own_reason(reason: str, side: str) -> str:
    """Return the part of a forfeit's reason that is about a side, without the stage."""
    parts = [part.partition(": ")[2] for part in reason.split("; ") if part.startswith(f"{side}, ")]
    return parts[0] if parts else reason

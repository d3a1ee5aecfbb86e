"""What the steps of one speech share: its answers, its drafts so far, and the words to use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from arena.languages import Language
from arena.languages.making_words import making_words
from arena.languages.marks import MARKS
from arena.records import Step
from arena.report.making.answers import Answers, StoredAnswer
from arena.report.making.changes import DraftChanges, compare_drafts
from arena.report.making.records import Detail, DialogueStep

#: The share of a draft's sentences that have to stand in the draft before.
_LEAST_KEPT = 1 / 3


class Scribe:
    """Writes the dialogue of one speech.

    Args:
        answers: of the speech's agents.
        language: of the debate.
        speech: the text that was delivered; empty where none was.
        sampled: whether its drafts are samples to choose from, none of which follows another.

    Attributes:
        part: the part of the speech that is being written, where it is written in parts.
    """

    def __init__(
        self, answers: Answers, language: Language, speech: str, *, sampled: bool = False
    ) -> None:
        self.answers, self.language, self.sampled = answers, language, sampled
        self.words, self.part = making_words(language), ""
        self._speech = _normalise(speech)
        self._drafts: dict[tuple[object, ...], list[str]] = {}

    def take(self, step: Step, agent: str = "") -> StoredAnswer | None:
        """Take the answer that belongs to a step; None where none is stored."""
        return self.answers.take(
            agent or str(step.get("agent", "")), reasoning=str(step.get("reasoning") or "")
        )

    def read_draft(self, step: Step, answer: StoredAnswer | None) -> str:
        """Return the text that a step delivers; from the trace where no answer is stored."""
        return (answer.draft if answer else "") or str(step.get("answer") or "")

    def write(
        self,
        step: Step,
        answer: StoredAnswer | None,
        act: str,
        text: str = "",
        details: Iterable[Detail] = (),
    ) -> DialogueStep:
        """Return a step's entry in the dialogue; arguments as the fields of `DialogueStep`."""
        number, answers = step.get("round"), step.get("answers")
        related = isinstance(answers, int) and answers > 0
        return DialogueStep(
            agent=self.words.agent(str(step.get("agent", ""))),
            act=act,
            round=number if isinstance(number, int) and number else None,
            turn=step.get("turn"),
            answers=answers if related else None,
            stance=str(step.get("stance", "")) if related else "",
            text=text.strip(),
            delivered=self._is_speech(text),
            details=tuple(detail for detail in details if detail.text.strip()),
            path=answer.path if answer else "",
            model=answer.model if answer else "",
            attempts=answer.attempts if answer else 0,
        )

    def detail(self, phrase: str, text: object, *values: object) -> Detail:
        """Return a detail under a phrase as its label."""
        return Detail(label=self.words.phrase(phrase, *values), text=str(text or "").strip())

    def count_draft(self, *series: object) -> int:
        """Return the number that the next draft of a series has."""
        return len(self._drafts.get(series, ())) + 1

    def add_draft(self, entry: DialogueStep, *series: object) -> DialogueStep:
        """Add a draft to a series of drafts, and say what changed since the one before.

        Args:
            entry: with the draft as its text.
            series: what the drafts share: the agent, the part of the speech.
        """
        earlier = self._drafts.setdefault(series, [])
        if not entry.text:
            return entry
        changes = compare_drafts(earlier[-1], entry.text) if earlier else None
        earlier.append(entry.text)
        if self.sampled:
            return entry
        return replace(entry, changes=changes) if changes and _is_revision(changes) else entry

    def is_draft(self, text: str) -> bool:
        """Tell whether a text is one of the drafts so far."""
        drafts = (draft for series in self._drafts.values() for draft in series)
        return _normalise(text) in map(_normalise, drafts)

    def _is_speech(self, text: str) -> bool:
        return bool(self._speech) and _normalise(text) == self._speech


def _is_revision(changes: DraftChanges) -> bool:
    """Tell whether a draft keeps enough of the one before for its changes to be readable."""
    return _LEAST_KEPT * (changes.kept + changes.count("added")) <= changes.kept


def _normalise(text: str) -> str:
    """Return a text without citation marks and blanks: a speech's marks get their letters late."""
    return "".join(MARKS.remove(text).split())


def format_fields(fields: Mapping[str, object]) -> Iterable[Detail]:
    """Yield the fields of a step that no debater of this project writes, or of an answer."""
    for label, value in fields.items():
        if value not in (None, "", [], {}):
            yield Detail(label=str(label), text=value if isinstance(value, str) else repr(value))

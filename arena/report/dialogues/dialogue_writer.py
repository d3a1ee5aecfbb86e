"""What the steps of one speech share: its answers, its drafts so far, and the words to use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from arena.languages.language import making_words
from arena.languages.marks import MARKS
from arena.llm.answers import strip_fences
from arena.llm.lenient_json import find_objects
from arena.llm.thinking import strip_thinking
from arena.read.calls import read_exchanges
from arena.report.dialogues.records import Detail, DialogueStep, DraftChanges, compare_drafts

if TYPE_CHECKING:
    from arena.languages import Language
    from arena.records import Step
    from arena.store.database import Store

#: Fields in which a model may have put the text that should follow its structured answer.
_TEXT_FIELDS = ("speech", "text", "draft")
_PATH = re.compile(r"(?P<agent>.*?)(?:/(?P<number>\d+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """The last answer that an agent gave at one place.

    Attributes:
        path: of the call within the debate, `pro/constructive/writer/2`.
        attempts: how often it was asked for.
    """

    path: str
    model: str
    fields: Mapping[str, Any]
    text: str
    attempts: int

    def field(self, *names: str) -> str:
        """Return the first of some fields that holds words; '' where none does."""
        values = (self.fields.get(name) for name in names)
        return next((value for value in values if isinstance(value, str) and value.strip()), "")

    @property
    def draft(self) -> str:
        """The text that it delivers."""
        return self.text or self.field("answer", *_TEXT_FIELDS)


#: Stands where no answer is stored.
NO_ANSWER = StoredAnswer(path="", model="", fields={}, text="", attempts=0)


class AgentAnswers:
    """The answers of one speech's agents, taken one by one in the order of the work.

    Args:
        answers: of the speech, in any order.
    """

    def __init__(self, answers: Iterable[StoredAnswer]) -> None:
        self._queues: dict[str, list[StoredAnswer]] = {}
        for answer in sorted(answers, key=_place):
            self._queues.setdefault(_place(answer)[0], []).append(answer)

    def take(self, agent: str, *, reasoning: str = "") -> StoredAnswer:
        """Take an agent's next answer; `NO_ANSWER` where it has given no more.

        Args:
            reasoning: of that answer, where the trace has it: samples that were requested at the
                same time stand in the trace without those that failed.
        """
        queue = self._queues.get(agent.lower(), [])
        if not queue:
            return NO_ANSWER
        matches = (n for n, item in enumerate(queue) if item.fields.get("reasoning") == reasoning)
        return queue.pop(next(matches, 0) if reasoning else 0)

    def rest(self) -> Iterator[StoredAnswer]:
        """Yield the answers that nobody has taken."""
        for queue in self._queues.values():
            yield from queue


def read_answers(store: Store, unit: str) -> dict[tuple[str, str], list[StoredAnswer]]:
    """Read the answers of a debate, by the side and the stage in their paths."""
    return gather_answers(read_exchanges(store, unit))


def gather_answers(
    calls: Iterable[Mapping[str, Any]],
) -> dict[tuple[str, str], list[StoredAnswer]]:
    """Gather the last answers of calls, by the side and the stage in their paths.

    Args:
        calls: with path, attempt, model and answer, as `exchanges` holds them.
    """
    answers: dict[tuple[str, str], list[StoredAnswer]] = {}
    ordered = sorted(calls, key=lambda call: (call["path"], call["attempt"]))
    for path, attempts in groupby(ordered, key=lambda call: str(call["path"])):
        side, _, rest = path.partition("/")
        *earlier, last = attempts
        fields, text = split_answer(str(last["answer"]))
        answer = StoredAnswer(
            path=path,
            model=str(last["model"]),
            fields=fields,
            text=text,
            attempts=len(earlier) + 1,
        )
        answers.setdefault((side, rest.partition("/")[0]), []).append(answer)
    return answers


def split_answer(answer: str) -> tuple[Mapping[str, Any], str]:
    r"""Split an answer into the fields of its structured part and the text around that part.

    >>> split_answer('{"marker": "finished"}\nThank you.')
    ({'marker': 'finished'}, 'Thank you.')
    """
    body, _ = strip_thinking(answer)
    objects = find_objects(body)
    if not objects:
        return {}, strip_fences(body)
    first = objects[0]
    text = strip_fences(f"{body[: first.start]}{body[first.end :]}")
    return first.value, text if any(map(str.isalnum, text)) else ""


def _place(answer: StoredAnswer) -> tuple[str, int]:
    """Return the agent in an answer's path, and which of its calls it is."""
    match = _PATH.fullmatch("/".join(answer.path.split("/")[2:]))
    assert match is not None
    return match["agent"], int(match["number"] or 0)


#: The share of a draft's sentences that have to stand in the draft before.
_LEAST_KEPT = 1 / 3


class DialogueWriter:
    """Writes the dialogue of one speech.

    Args:
        speech: the text that was delivered; empty where none was.
        sampled: whether its drafts are samples to choose from, none of which follows another.

    Attributes:
        phrase: returns a phrase of the language by its name, filled in with values.
        part: the part of the speech that is being written, where it is written in parts.
    """

    def __init__(
        self, answers: AgentAnswers, language: Language, speech: str, *, sampled: bool = False
    ) -> None:
        self.answers, self.language, self.sampled = answers, language, sampled
        self.words, self.part = making_words(language), ""
        self.phrase = self.words.phrase
        self._speech = _normalise(speech)
        self._drafts: dict[tuple[object, ...], list[str]] = {}

    def take(self, step: Step, agent: str = "") -> StoredAnswer:
        """Take the answer that belongs to a step; `NO_ANSWER` where none is stored."""
        return self.answers.take(
            agent or str(step.get("agent", "")), reasoning=str(step.get("reasoning") or "")
        )

    def read_draft(self, step: Step, answer: StoredAnswer) -> str:
        """Return the text that a step delivers; from the trace where no answer is stored."""
        return answer.draft or str(step.get("answer") or "")

    def write(
        self,
        step: Step,
        answer: StoredAnswer,
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
            path=answer.path,
            model=answer.model,
            attempts=answer.attempts,
        )

    def detail(self, phrase: str, text: object, *values: object) -> Detail:
        """Return a detail under a phrase as its label."""
        return Detail(label=self.phrase(phrase, *values), text=str(text or "").strip())

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

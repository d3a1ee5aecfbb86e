"""The stored answers of the models that made a speech, in the order in which agents gave them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from arena.llm.json_objects import find_objects
from arena.llm.reading import strip_fences, strip_thinking
from arena.store.database import Store

_EXCHANGES = """
    SELECT requests_and_answers AS blob FROM exchanges WHERE unit = $id ORDER BY part
"""
#: Fields in which a model may have put the text that should follow its structured answer.
_TEXT_FIELDS = ("speech", "text", "draft")
_PATH = re.compile(r"(?P<agent>.*?)(?:/(?P<number>\d+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """The last answer that an agent gave at one place.

    Attributes:
        path: of the call within the debate, `pro/constructive/writer/2`.
        model: provider and name.
        fields: of its structured part; empty where it is plain text.
        text: the text outside the structured part.
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


class Answers:
    """The answers of one speech's agents, taken one by one in the order of the work.

    Args:
        answers: of the speech, in any order.
    """

    def __init__(self, answers: Iterable[StoredAnswer]) -> None:
        self._queues: dict[str, list[StoredAnswer]] = {}
        for answer in sorted(answers, key=_place):
            self._queues.setdefault(_place(answer)[0], []).append(answer)

    def take(self, agent: str, *, reasoning: str = "") -> StoredAnswer | None:
        """Take an agent's next answer; None where it has given no more.

        Args:
            agent: its name in the trace.
            reasoning: of that answer, where the trace has it: samples that were requested at the
                same time stand in the trace without those that failed.
        """
        queue = self._queues.get(agent.lower(), [])
        if not queue:
            return None
        matches = (n for n, item in enumerate(queue) if item.fields.get("reasoning") == reasoning)
        return queue.pop(next(matches, 0) if reasoning else 0)

    def rest(self) -> Iterator[StoredAnswer]:
        """Yield the answers that nobody has taken."""
        for queue in self._queues.values():
            yield from queue


def read_answers(store: Store, unit: str) -> dict[tuple[str, str], list[StoredAnswer]]:
    """Read the answers of a debate, by the side and the stage in their paths."""
    return gather_answers(
        call
        for row in store.rows(_EXCHANGES, {"id": unit})
        for call in json.loads(zlib.decompress(row["blob"]))
    )


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
        answer = _read_answer(path, list(attempts))
        answers.setdefault((side, rest.partition("/")[0]), []).append(answer)
    return answers


def _read_answer(path: str, attempts: Sequence[Mapping[str, Any]]) -> StoredAnswer:
    last = attempts[-1]
    fields, text = split_answer(str(last["answer"]))
    return StoredAnswer(
        path=path, model=str(last["model"]), fields=fields, text=text, attempts=len(attempts)
    )


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

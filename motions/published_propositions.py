"""Propositions in the layout of Debate-to-Write, read as entries of a motion file.

Hu, Chan, Li and Yin 2024, arXiv 2406.19643: each proposition has a `statement` and a `topic`, in
the text of the paper's Figure 11 as in a JSON list or JSON Lines.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from motions.formats import read_text
from motions.records import Fault, MotionError
from motions.schema import Text, plain

_ACCEPTED = (
    'accepted: a JSON list or JSON Lines of {"statement": "…", "topic": "…"}, or the text of the '
    'paper\'s Figure 11, "statement": "…", "topic": "…" one after another'
)
_QUOTE = r"[\"“”]"
#: The key that opens an entry of the figure, and a whole entry.
_KEY = re.compile(rf"{_QUOTE}statement{_QUOTE}\s*:")
_ENTRY = re.compile(
    rf"{_KEY.pattern}\s*{_QUOTE}(?P<statement>.*?){_QUOTE}\s*,"
    rf"\s*{_QUOTE}topic{_QUOTE}\s*:\s*{_QUOTE}(?P<topic>.*?){_QUOTE}",
    re.DOTALL,
)
#: A character that the paper's typesetting left as its number: `2̆019`, a 2 with a breve, for ’.
_NUMBERED = re.compile("([0-9a-f])\u0306([0-9a-f]{3})", re.IGNORECASE)
#: What says that something is to be done: the mark of a question of policy.
_DEMANDS = re.compile(r"\b(?:should|must|ought)\b", re.IGNORECASE)


class _Proposition(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)
    statement: Text
    topic: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """One entry of a published list, unchecked; `number` is its place, counted from 1."""

    number: int
    line: int
    content: object


def read_published_propositions(path: Path, *, name: str) -> list[Mapping[str, str]]:
    """Read a published list of propositions as entries of a motion file.

    The category is `policy` where a statement says what should be done, else `value`.

    Args:
        name: begins the ids; letters, digits and hyphens.

    Raises:
        MotionError: the file cannot be read, has none of the layouts, or has faults; all faults
            are listed.
    """
    entries: list[Mapping[str, str]] = []
    faults: list[Fault] = []
    seen: dict[str, int] = {}
    of_topic: dict[str, int] = {}
    for item in _items(path):
        try:
            found = _Proposition.model_validate(item.content)
        except ValidationError as error:
            faults.append(_fault(path, item, _problem(error)))
            continue
        text = _NUMBERED.sub(lambda match: chr(int(match[1] + match[2], 16)), found.statement)
        text, topic = " ".join(text.split()), _slug(found.topic)
        first = seen.setdefault(plain(text), item.number)
        if first != item.number:
            problem = f"says the same as item {first}; accepted: each once. Remove one of the two"
            faults.append(_fault(path, item, problem))
            continue
        of_topic[topic] = of_topic.get(topic, 0) + 1
        category = "policy" if _DEMANDS.search(text) else "value"
        identity = f"{name}-{topic}-{of_topic[topic]:02}"
        entries.append({"id": identity, "category": category, "topic": found.topic, "text": text})
    if faults:
        raise MotionError.of(faults)
    return entries


def _items(path: Path) -> Iterator[_Item]:
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise MotionError(f"{path}: {what}; {_ACCEPTED}. Correct the path.")
    text = read_text(path)
    if isinstance(text, Fault):
        raise MotionError.of([text])
    text = text.removeprefix("\ufeff")
    is_json = text.lstrip()[:1] in {"[", "{"}
    items = list(_json_items(path, text) if is_json else _figure_items(path, text))
    if not items:
        raise MotionError(f"{path}: no proposition in it; {_ACCEPTED}. Check the file.")
    yield from items


def _json_items(path: Path, text: str) -> Iterator[_Item]:
    """Yield the items of a JSON list, or of JSON Lines."""
    if text.lstrip().startswith("["):
        for number, content in enumerate(_load(path, text, line=0), start=1):
            yield _Item(number=number, line=0, content=content)
        return
    numbered = [(line, row) for line, row in enumerate(text.splitlines(), start=1) if row.strip()]
    for number, (line, row) in enumerate(numbered, start=1):
        yield _Item(number=number, line=line, content=_load(path, row, line=line))


def _load(path: Path, text: str, *, line: int) -> Any:  # noqa: ANN401 - what JSON holds
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f"{path}, line {line}" if line else str(path)
        raise MotionError(f"{where}: not valid JSON: {error}; {_ACCEPTED}.") from None


def _figure_items(path: Path, text: str) -> Iterator[_Item]:
    """Yield the entries of the figure; each key `statement` must open one."""
    starts = [match.start() for match in _KEY.finditer(text)]
    for number, start in enumerate(starts, start=1):
        end = starts[number] if number < len(starts) else len(text)
        line = text.count("\n", 0, start) + 1
        entry = _ENTRY.match(text[start:end])
        if entry is None:
            begun = " ".join(text[start : min(end, start + 60)].split())
            raise MotionError(f"{path}, line {line}: no whole entry: {begun} …; {_ACCEPTED}.")
        yield _Item(number=number, line=line, content=entry.groupdict())


def _fault(path: Path, item: _Item, problem: str) -> Fault:
    return Fault(file=str(path), line=item.line, problem=f"item {item.number}: {problem}.")


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    what = f"{field}: {first['msg'].lower()}" if field else "no object"
    return f'{what}; accepted: {{"statement": "…", "topic": "…"}}'


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "topic"

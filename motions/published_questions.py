"""Question sets of other projects in the layouts in which they are published, read as ours.

Three layouts, told apart by the file:

- counter-intuitive arithmetic (`CIAR.json` of the project Multi-Agents-Debate): a JSON list of
  objects with `question`, `answer`, `explanation`, `incorrect answer`, `incorrect explanation`;
- Common MT (the test suite of He et al. 2020): CSV files with the columns `chinese_source`,
  `english_target_correct`, `english_target_wrong`;
- the debates that Multi-Agents-Debate publishes on Common MT: a folder of JSON objects with
  `source`, `correct reference`, `incorrect reference`.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from motions.formats import read_text
from motions.records import Fault, MotionError
from motions.schema import Loose, Text

#: One line of a question set of ours.
QuestionLine = Mapping[str, Any]

_COLUMNS = ("chinese_source", "english_target_correct", "english_target_wrong")
_ACCEPTED = (
    "accepted: a JSON list of questions as CIAR.json has, a CSV file with the columns "
    f"{', '.join(_COLUMNS)}, or a JSON object with source, correct reference and incorrect "
    "reference (or a folder of them)"
)
_TASKS = {"en": "Translate this Chinese sentence into English: {}", "zh": "请把这句话译成英文：{}"}


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


_Texts = Annotated[list[Text], BeforeValidator(_as_list)]


class _Arithmetic(BaseModel):
    """An item of counter-intuitive arithmetic."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)
    question: Text
    answer: Annotated[list[Text], Field(min_length=1), BeforeValidator(_as_list)]
    explanation: Loose = ""
    wrong: _Texts = Field(default=[], alias="incorrect answer")
    wrong_explanation: Loose = Field(default="", alias="incorrect explanation")

    def lines(self, identity: str) -> Iterator[QuestionLine]:
        """Yield the item as a line of a question set, in English."""
        yield {
            "id": identity,
            "language": "en",
            "topic": "arithmetic",
            "question": self.question,
            "answers": self.answer,
            "wrong_answers": self.wrong,
            "explanation": self.explanation,
            "wrong_explanation": self.wrong_explanation,
        }

    @property
    def parts(self) -> tuple[str, list[str], list[str]]:
        """The question, the right answers and the wrong ones."""
        return self.question, self.answer, self.wrong


class _Sentence(BaseModel):
    """A sentence of Common MT, in either layout."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)
    source: Text
    correct: Text = Field(alias="correct reference")
    wrong: Text = Field(alias="incorrect reference")

    def lines(self, identity: str) -> Iterator[QuestionLine]:
        """Yield the sentence as lines of a question set: the task in either language."""
        for code, task in _TASKS.items():
            yield {
                "id": identity,
                "language": code,
                "topic": "ambiguity",
                "question": task.format(self.source),
                "references": [self.correct],
                "wrong_references": [self.wrong],
            }

    @property
    def parts(self) -> tuple[str, list[str], list[str]]:
        """The sentence, the right references and the wrong ones."""
        return self.source, [self.correct], [self.wrong]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """One item of a published file, unchecked; `place` tells it from the others in messages."""

    file: str
    line: int
    place: str
    identity: str
    form: type[_Arithmetic] | type[_Sentence]
    content: object

    def fault(self, problem: str, *, field: str = "") -> Fault:
        """Return a fault of this item."""
        where = f"{self.place}: " if self.place else ""
        return Fault(file=self.file, line=self.line, field=field, problem=f"{where}{problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedQuestions:
    """What published files hold.

    Attributes:
        lines: of a question set, ready to be written as JSON Lines.
        questions: their number; a question may have a line in each language.
    """

    lines: tuple[QuestionLine, ...]
    questions: int
    faults: tuple[Fault, ...]


def read_published_questions(paths: Iterable[Path]) -> PublishedQuestions:
    """Read published question sets.

    Args:
        paths: files, or folders of JSON files, which are read in the order of their numbers.

    Raises:
        MotionError: A file cannot be read, or has none of the layouts.
    """
    lines: list[QuestionLine] = []
    faults: list[Fault] = []
    seen: dict[str, _Item] = {}
    questions = 0
    for item in _items(paths):
        record = _parse(item)
        fault = record if isinstance(record, Fault) else _find_fault(item, record, seen)
        if fault or isinstance(record, Fault):
            faults += [fault] if fault else []
            continue
        questions += 1
        lines += record.lines(item.identity)
    return PublishedQuestions(lines=tuple(lines), questions=questions, faults=tuple(faults))


def _parse(item: _Item) -> _Arithmetic | _Sentence | Fault:
    try:
        return item.form.model_validate(item.content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        return item.fault(f"{first['msg'].lower()}.", field=field)


def _find_fault(
    item: _Item, record: _Arithmetic | _Sentence, seen: dict[str, _Item]
) -> Fault | None:
    """Return the fault of an item that is repeated or contradicts itself; remember its question."""
    question, right, wrong = record.parts
    first = seen.setdefault(question, item)
    if first is not item:
        where = f"{first.place} of {Path(first.file).name}"
        return item.fault(f"asks the same as {where}; accepted: each question once.")
    if both := sorted(set(right) & set(wrong)):
        return item.fault(f"{both[0]!r} is given both as right and as wrong.")
    return None


def _items(paths: Iterable[Path]) -> Iterator[_Item]:
    for path in paths:
        for file in _files(path):
            text = read_text(file)
            if isinstance(text, Fault):
                raise MotionError.of([text])
            yield from (_csv_items if file.suffix.lower() == ".csv" else _json_items)(file, text)


def _files(path: Path) -> list[Path]:
    """Return a file, or the JSON files of a folder in the order of their numbers."""
    if path.is_dir():
        files = sorted(path.glob("*.json"), key=lambda file: (len(file.stem), file.stem))
        if files:
            return files
        raise MotionError(f"{path}: no .json file in this folder; {_ACCEPTED}.")
    if not path.is_file():
        raise MotionError(f"{path}: no such file; {_ACCEPTED}.")
    return [path]


def _csv_items(file: Path, text: str) -> Iterator[_Item]:
    reader = csv.reader(text.splitlines(keepends=True))
    try:
        head, *rows = [(reader.line_num, row) for row in reader if row] or [(0, [])]
    except csv.Error as error:
        place = f"line {reader.line_num + 1}"
        raise MotionError(f"{file}, {place}: not valid CSV: {error}; {_ACCEPTED}.") from None
    columns = [name.strip() for name in head[1]]
    if missing := [name for name in _COLUMNS if name not in columns]:
        raise MotionError(f"{file}: no column {', '.join(missing)}; {_ACCEPTED}.")
    names = dict(zip(_COLUMNS, ("source", "correct reference", "incorrect reference"), strict=True))
    for number, (line, row) in enumerate(rows, start=1):
        cells = dict(zip(columns, row, strict=False))
        yield _Item(
            file=str(file),
            line=line,
            place=f"row {number}",
            identity=f"{_slug(file)}-{number:03}",
            form=_Sentence,
            content={names[name]: cell for name, cell in cells.items() if name in names},
        )


def _json_items(file: Path, text: str) -> Iterator[_Item]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MotionError(f"{file}: not valid JSON: {error}; {_ACCEPTED}.") from None
    if isinstance(content, Mapping) and "source" in content:
        yield _Item(
            file=str(file),
            line=0,
            place="",
            identity=f"{_slug(file.parent)}-{_slug(file)}",
            form=_Sentence,
            content=content,
        )
        return
    if not isinstance(content, list):
        raise MotionError(f"{file}: neither a list nor an object with a source; {_ACCEPTED}.")
    for number, item in enumerate(content, start=1):
        yield _Item(
            file=str(file),
            line=0,
            place=f"item {number}",
            identity=f"{_slug(file)}-{number:03}",
            form=_Arithmetic,
            content=item,
        )


def _slug(path: Path) -> str:
    """Return the stem of a file as the beginning of an id."""
    slug = re.sub(r"[^a-z0-9]+", "-", path.resolve().stem.lower()).strip("-")
    return slug or "question"

"""Question sets: questions with their accepted answers or translations, as JSON Lines."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from motions.formats import jsonl_entries, read_text
from motions.records import (
    Answers,
    Brief,
    Entry,
    Fault,
    Language,
    Motion,
    MotionError,
    MotionSet,
    Wording,
)
from motions.schema import Loose, MotionId, Text, derived_id, language_of

_SUFFIX = ".jsonl"
#: The sets that are the beginning of another one: its questions whose ids begin with their name.
_BEGINNINGS = {"puzzles10": "puzzles50", "wordplay10": "wordplay50"}


class _Fields(BaseModel):
    """The fields of every line; lines with the same id are one question in several languages."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    id: MotionId | None = None
    language: Language | None = None
    topic: Loose = ""
    question: Text
    explanation: Loose = ""
    wrong_explanation: Loose = ""

    def expected(self) -> Answers:
        """Return the right answers and the wrong ones."""
        translation = isinstance(self, TranslationFields)
        right = "references" if translation else "answers"
        return Answers(
            accepted=tuple(getattr(self, right)),
            wrong=tuple(getattr(self, f"wrong_{right}")),
            explanation=self.explanation,
            wrong_explanation=self.wrong_explanation,
            translation=translation,
        )


class QuestionFields(_Fields):
    """A line that asks for an answer."""

    answers: Annotated[list[Text], Field(min_length=1)]
    wrong_answers: list[Text] = []


class TranslationFields(_Fields):
    """A line that asks for a translation: right readings and wrong ones."""

    references: Annotated[list[Text], Field(min_length=1)]
    wrong_references: Annotated[list[Text], Field(min_length=1)]


def shipped_questions() -> tuple[str, ...]:
    """Return the names of the shipped question sets, in alphabetical order."""
    items = files("motions").iterdir()
    whole = [PurePath(item.name).stem for item in items if item.name.endswith(_SUFFIX)]
    return tuple(sorted([*whole, *_BEGINNINGS]))


def load_questions(source: str | Path) -> MotionSet:
    """Load a question set; its questions are motions of the category "question".

    Args:
        source: The name of a shipped set, or the path of a JSON Lines file. Each line has
            `question` and `answers` (a list), and may have `id`, `language`, `topic`,
            `wrong_answers`, `explanation` and `wrong_explanation`. A line
            that asks for a translation has `references` and `wrong_references` instead of answers.

    Raises:
        MotionError: There is no such set, or its lines have faults; all faults are listed.
    """
    beginning = str(source) in _BEGINNINGS
    file = _find_file(_BEGINNINGS[str(source)] if beginning else source)
    text = read_text(file)
    if isinstance(text, Fault):
        raise MotionError.of([text])
    name = str(source) if beginning else PurePath(file.name).stem
    faults: list[Fault] = []
    questions: dict[str, tuple[str, dict[str, Wording]]] = {}
    for entry in jsonl_entries(text, str(file)):
        if isinstance(entry, Fault):
            faults.append(entry)
            continue
        try:
            _add(entry, questions)
        except MotionError as error:
            faults += error.faults
    if not questions and not faults:
        faults.append(Fault(file=str(file), line=1, problem="no question in the file. Add one."))
    if faults:
        raise MotionError.of(faults)
    motions = (
        Motion(
            motion_id=identity,
            motion_set=name,
            category="question",
            topic=topic,
            wordings=wordings,
        )
        for identity, (topic, wordings) in questions.items()
        if not beginning or identity.startswith(f"{name}-")
    )
    return MotionSet(name=name, motions=tuple(motions))


def _find_file(source: str | Path) -> Traversable:
    if isinstance(source, str) and source in shipped_questions():
        return files("motions") / f"{source}{_SUFFIX}"
    path = Path(source)
    if path.is_file() and path.suffix.lower() == _SUFFIX:
        return path
    raise MotionError(
        f"No question set {str(source)!r}; accepted: a shipped set "
        f"({', '.join(shipped_questions())}), or the path of a {_SUFFIX} file."
    )


def _add(entry: Entry, questions: dict[str, tuple[str, dict[str, Wording]]]) -> None:
    """Check an entry, and add its wording to the questions: topic and wordings by id."""
    fields = _parse(entry)
    code = fields.language or language_of(fields.question)
    identity = fields.id or derived_id(fields.question)
    _, wordings = questions.setdefault(identity, (fields.topic, {}))
    if code in wordings:
        problem = f"{identity!r} is repeated in {code!r}; accepted: once. Remove one of the two."
        raise MotionError.of([entry.fault(("question",), problem)])
    wordings[code] = Wording(
        text=fields.question,
        info_slide="",
        brief=Brief(pro=(), con=()),
        answers=fields.expected(),
    )


def _parse(entry: Entry) -> QuestionFields | TranslationFields:
    names = set(entry.fields) if isinstance(entry.fields, dict) else set()
    translation = bool(names & {"references", "wrong_references"})
    form = TranslationFields if translation else QuestionFields
    try:
        return form.model_validate(entry.fields)
    except ValidationError as error:
        accepted = ", ".join(form.model_fields)
        hint = "" if translation else " A translation has references and wrong_references."
        raise MotionError.of(
            [
                entry.fault(
                    fault["loc"], f"{fault['msg'].lower()}. Accepted fields: {accepted}.{hint}"
                )
                for fault in error.errors(include_url=False)
            ]
        ) from None

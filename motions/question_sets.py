"""Question sets: questions with their accepted answers or translations, as JSON Lines."""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from motions.building import derived_id, language_of
from motions.entries import Entry
from motions.errors import Fault, MotionError
from motions.jsonl_file import jsonl_entries
from motions.reading import read_text
from motions.records import Answers, Brief, Language, Motion, MotionSet, Wording
from motions.schema import Loose, MotionId, Text

_SUFFIX = ".jsonl"


class _Fields(BaseModel):
    """What all lines have; lines of one id are one question in several languages."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    id: MotionId | None = None
    language: Language | None = None
    topic: Loose = ""
    question: Text
    explanation: Loose = ""
    wrong_explanation: Loose = ""


class QuestionFields(_Fields):
    """A line that asks for an answer."""

    answers: Annotated[list[Text], Field(min_length=1)]
    wrong_answers: list[Text] = []

    def expected(self) -> Answers:
        """What is right, and what is not."""
        return Answers(
            accepted=tuple(self.answers),
            wrong=tuple(self.wrong_answers),
            explanation=self.explanation,
            wrong_explanation=self.wrong_explanation,
        )


class TranslationFields(_Fields):
    """A line that asks for a translation: right readings and wrong ones."""

    references: Annotated[list[Text], Field(min_length=1)]
    wrong_references: Annotated[list[Text], Field(min_length=1)]

    def expected(self) -> Answers:
        """What is right, and what is not."""
        return Answers(
            accepted=tuple(self.references),
            wrong=tuple(self.wrong_references),
            explanation=self.explanation,
            wrong_explanation=self.wrong_explanation,
            translation=True,
        )


def shipped_questions() -> tuple[str, ...]:
    """Returns the names of the shipped question sets, in alphabetical order."""
    found = files("motions").iterdir()
    return tuple(sorted(PurePath(one.name).stem for one in found if one.name.endswith(_SUFFIX)))


def load_questions(source: str | Path) -> MotionSet:
    """Loads a question set: its questions are motions of the category "question".

    Args:
        source: The name of a shipped set, or the path of a JSON Lines file. Each line has
            `question` and `answers` (a list), and may have `id`, `language`, `topic`,
            `wrong_answers`, `explanation` and `wrong_explanation`. One that asks for a
            translation has `references` and `wrong_references` in the place of answers.

    Raises:
        MotionError: There is no such set, or its lines are not right; all faults are listed.
    """
    place = _place(source)
    text = read_text(place)
    if isinstance(text, Fault):
        raise MotionError.of([text])
    name = PurePath(place.name).stem
    faults: list[Fault] = []
    found: dict[str, tuple[str, dict[str, Wording]]] = {}
    for entry in jsonl_entries(text, str(place)):
        if isinstance(entry, Fault):
            faults.append(entry)
            continue
        try:
            _add(entry, found)
        except MotionError as error:
            faults += error.faults
    if not found and not faults:
        faults.append(Fault(file=str(place), line=1, problem="no question in the file. Add one."))
    if faults:
        raise MotionError.of(faults)
    return MotionSet(name=name, motions=tuple(_motions(found.items(), name)))


def _place(source: str | Path) -> Traversable:
    if isinstance(source, str) and source in shipped_questions():
        return files("motions") / f"{source}{_SUFFIX}"
    path = Path(source)
    if path.is_file() and path.suffix.lower() == _SUFFIX:
        return path
    raise MotionError(
        f"No question set {str(source)!r}; accepted: a shipped set "
        f"({', '.join(shipped_questions())}), or the path of a {_SUFFIX} file."
    )


def _add(entry: Entry, found: dict[str, tuple[str, dict[str, Wording]]]) -> None:
    fields = _parse(entry)
    code = fields.language or language_of(fields.question)
    identity = fields.id or derived_id(fields.question)
    _, wordings = found.setdefault(identity, (fields.topic, {}))
    if code in wordings:
        problem = f"{identity!r} stands twice in {code!r}; accepted is once. Remove one of the two."
        raise MotionError.of([entry.fault(("question",), problem)])
    wordings[code] = Wording(
        text=fields.question,
        info_slide="",
        brief=Brief(pro=(), con=()),
        answers=fields.expected(),
    )


def _parse(entry: Entry) -> QuestionFields | TranslationFields:
    given = set(entry.fields) if isinstance(entry.fields, dict) else set()
    translation = bool(given & {"references", "wrong_references"})
    form = TranslationFields if translation else QuestionFields
    try:
        return form.model_validate(entry.fields)
    except ValidationError as error:
        accepted = ", ".join(form.model_fields)
        other = "" if translation else " A translation has references and wrong_references."
        raise MotionError.of(
            [
                entry.fault(
                    one["loc"], f"{one['msg'].lower()}. Accepted fields: {accepted}.{other}"
                )
                for one in error.errors(include_url=False)
            ]
        ) from None


def _motions(
    found: Iterable[tuple[str, tuple[str, dict[str, Wording]]]], name: str
) -> Iterator[Motion]:
    for identity, (topic, wordings) in found:
        yield Motion(
            motion_id=identity,
            motion_set=name,
            category="question",
            topic=topic,
            wordings=wordings,
        )

"""The records of motions, independent of file formats, and the error of this package."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of a motion file.

    Attributes:
        file: The file's path.
        line: Counted from 1; 0 where the fault has no line.
        motion: The id that the motion has in the file, or "".
        field: The field, named as in the file, for example "en.pro.1.claim", or "".
        problem: What is wrong, what was given, what is accepted and what to do.
    """

    file: str
    problem: str
    line: int = 0
    motion: str = ""
    field: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"

    @property
    def place(self) -> str:
        """The file, line, motion and field, as far as they are known."""
        parts = (
            self.file,
            self.line and f"line {self.line}",
            self.motion and f"motion {self.motion}",
            self.field and f"field {self.field}",
        )
        return ", ".join(str(part) for part in parts if part)


class MotionError(Exception):
    """A motion or a motion set cannot be used.

    The message says what is wrong and where, what was given, what is accepted and what to do.

    Attributes:
        faults: All faults of the files, in their order; empty where the error is not in a file.
    """

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)

    @classmethod
    def of(cls, faults: Sequence[Fault]) -> "MotionError":
        """Return the error of one or more faults; its message has the first, and their number."""
        more = f" ({len(faults) - 1} more: `arena motions check` lists them.)"
        return cls(f"{faults[0]}{more if len(faults) > 1 else ''}", faults)


#: The place of a value within a motion: keys, and positions in lists from 0.
FieldPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One motion of a file, not yet checked.

    Attributes:
        line_of: Returns the line of a field; for a missing field, the line of the table or list
            that should hold it.
    """

    file: str
    fields: object
    line_of: Callable[[FieldPath], int]

    def fault(self, path: FieldPath, problem: str) -> Fault:
        """Return a fault of one field, or of the whole motion where the path is empty."""
        motion = self.fields.get("id") if isinstance(self.fields, dict) else None
        return Fault(
            file=self.file,
            line=self.line_of(path),
            motion=motion if isinstance(motion, str) else "",
            field=field_name(path),
            problem=problem,
        )


def field_name(path: FieldPath) -> str:
    """Return the name of a field as users write and read it: positions in lists count from 1.

    >>> field_name(("en", "pro", 0, "claim"))
    'en.pro.1.claim'
    """
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in path)


Category = Literal["fact", "policy", "value"]
Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefPoint:
    """One argument of a brief.

    Attributes:
        source: Publication and year, or "" for what is widely known.
    """

    claim: str
    evidence: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The arguments of both sides; both are empty when a motion comes without a brief."""

    pro: tuple[BriefPoint, ...]
    con: tuple[BriefPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The right answers to a question, and the usual mistakes.

    Attributes:
        accepted: Right answers; of a translation, right references.
        wrong: The usual mistakes; of a translation, references that misread the text.
        wrong_explanation: The misunderstanding behind the usual mistakes.
        translation: Whether a translation is asked for; it is right if its meaning is.
    """

    accepted: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    explanation: str = ""
    wrong_explanation: str = ""
    translation: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A motion in one language; an info slide of "" means that there is none.

    Attributes:
        answers: Of a question; `None` for what is debated.
    """

    text: str
    info_slide: str
    brief: Brief
    answers: Answers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """One motion, in one or more languages.

    Attributes:
        motion_id: Stable and unique within its set, for example "arena66-fact-01".
        category: "fact", "policy" or "value"; "question" in question sets.
        topic: One word or a few, for example "work"; "" where none is given.
        wordings: By language code, "en" or "zh".
    """

    motion_id: str
    motion_set: str
    category: Category | Literal["question"]
    topic: str
    wordings: Mapping[str, Wording] = field(hash=False)

    def wording(self, language: str) -> Wording:
        """Return the motion in one language.

        Raises:
            MotionError: The motion is not available in that language.
        """
        if language not in self.wordings:
            raise MotionError(
                f"Motion {self.motion_id} of set {self.motion_set!r} has no wording in "
                f"{language!r}; it has: {', '.join(sorted(self.wordings))}. "
                "Choose one of these or add the language to the motion's file."
            )
        return self.wordings[language]


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSet:
    """A named sequence of motions."""

    name: str
    motions: tuple[Motion, ...]

"""The records of motions, independent of file formats."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from motions.errors import MotionError

Category = Literal["fact", "policy", "value"]
Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One argument of a brief.

    Attributes:
        claim: The argument, in one sentence.
        evidence: What supports it.
        source: Publication and year, or "" for what is widely known.
    """

    claim: str
    evidence: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The arguments of both sides; both are empty when a motion comes without a brief."""

    pro: tuple[Point, ...]
    con: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The right answers to a question, and the usual mistakes.

    Attributes:
        accepted: Right answers; of a translation, right references.
        wrong: The usual mistakes; of a translation, references that misread the text.
        explanation: Why the accepted answers are right.
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
        motion_set: Name of the set that it belongs to.
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

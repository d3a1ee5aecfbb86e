"""The fields of a motion in any file format: their types, and messages on their faults."""

import reprlib
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from motions.entries import FieldPath, field_name
from motions.records import Brief, Category, Language, Point, Wording

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Loose = Annotated[str, StringConstraints(strip_whitespace=True)]
MotionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

LANGUAGES: tuple[Language, ...] = get_args(Language)
#: The fields that hold a motion's text; one of them is needed.
TEXTS = ("text", *(f"text_{code}" for code in LANGUAGES), *(f"{code}.text" for code in LANGUAGES))


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PointFields(_Strict):
    """One argument of a brief."""

    claim: Text
    evidence: Text
    source: Loose = ""


Points = Annotated[list[PointFields], Field(default_factory=list)]


class WordingFields(_Strict):
    """A motion in one language."""

    text: Text
    info_slide: Loose = ""
    pro: Points
    con: Points

    def record(self) -> Wording:
        """Return the wording as a record."""
        sides = {
            side: tuple(Point(**point.model_dump()) for point in points)
            for side, points in (("pro", self.pro), ("con", self.con))
        }
        return Wording(text=self.text, info_slide=self.info_slide, brief=Brief(**sides))


class MotionFields(_Strict):
    """A motion: each wording as fields of its own, as fields with a language, or as a table."""

    id: MotionId | None = None
    category: Category
    topic: Loose = ""
    language: Language | None = None
    text: Text | None = None
    info_slide: Loose = ""
    pro: Points
    con: Points
    text_en: Text | None = None
    info_slide_en: Loose = ""
    pro_en: Points
    con_en: Points
    text_zh: Text | None = None
    info_slide_zh: Loose = ""
    pro_zh: Points
    con_zh: Points
    en: WordingFields | None = None
    zh: WordingFields | None = None


_CHOICES = {"category": get_args(Category), "language": LANGUAGES}
_TYPES = {
    "string_too_short": "text that is not blank",
    "string_type": "text, in quotes",
    "string_pattern_mismatch": "letters, digits, '-', '_' and '.', without spaces",
    "list_type": "a list of points (in TOML each under its own [[double brackets]])",
    "model_type": "fields with values",
    "model_attributes_type": "fields with values",
}


def is_field(path: FieldPath) -> bool:
    """Return whether a path leads to a field with a text, not to a table or a list, or nowhere."""
    *parents, last = path
    form = _form_at(tuple(parents))
    if form is None or last not in form.model_fields:
        return False
    return form is PointFields or last not in ("en", "zh", *_point_lists())


def sibling_fields(path: FieldPath) -> str:
    """Return the names of the fields that are accepted in the place of a path's last part."""
    form = _form_at(path[:-1]) or MotionFields
    return ", ".join(form.model_fields)


def explain(fault: dict[str, Any]) -> str:
    """Return the message on a fault of pydantic: the value, what is accepted, what to do."""
    path: FieldPath = fault["loc"]
    if fault["type"] == "extra_forbidden":
        return f"unknown field; accepted here: {sibling_fields(path)}. Rename or remove it."
    if fault["type"] == "missing":
        return f"missing; accepted: {_choices(path) or 'text that is not blank'}. Add it."
    return f"given {reprlib.repr(fault['input'])}; accepted: {_accepted(fault)}. Correct it."


def _accepted(fault: dict[str, Any]) -> str:
    if fault["type"] == "literal_error":
        return _choices(fault["loc"])
    return _TYPES.get(fault["type"], str(fault["msg"]).lower())


def _choices(path: FieldPath) -> str:
    return ", ".join(_CHOICES.get(field_name(path), ()))


def _point_lists() -> list[str]:
    return [name for name in MotionFields.model_fields if name.startswith(("pro", "con"))]


def _form_at(path: FieldPath) -> type[BaseModel] | None:
    """Return the model of the fields at a path: the motion, a wording or a point; or `None`."""
    match path:
        case ():
            return MotionFields
        case ("en" | "zh",):
            return WordingFields
        case ("en" | "zh", "pro" | "con", int()):
            return PointFields
        case (str() as name, int()) if name in _point_lists():
            return PointFields
        case _:
            return None

"""The fields of a motion in any file format; here alone the content of a motion is checked."""

import hashlib
import re
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from motions.records import (
    Brief,
    BriefPoint,
    Category,
    Entry,
    Fault,
    FieldPath,
    Language,
    Motion,
    MotionError,
    Wording,
    field_name,
)

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
            side: tuple(BriefPoint(**point.model_dump()) for point in points)
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
    accepted = _TYPES.get(fault["type"], str(fault["msg"]).lower())
    if fault["type"] == "literal_error":
        accepted = _choices(path)
    return f"given {reprlib.repr(fault['input'])}; accepted: {accepted}. Correct it."


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


_IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[^\W\d_\u3400-\u9fff\uf900-\ufaff]+")
_SLUG_LENGTH = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A motion, and the entry that it was built from.

    Attributes:
        texts: The field of its text, by language.
        own_id: Whether its id is written in the file, not derived from the text.
    """

    motion: Motion
    entry: Entry
    texts: Mapping[str, FieldPath]
    own_id: bool

    def text_field(self, language: str) -> FieldPath:
        """Return the field that would hold the text in a language that the motion lacks."""
        tables = any(len(path) > 1 for path in self.texts.values())
        return (language, "text") if tables else (f"text_{language}",)


def build(entry: Entry, motion_set: str) -> Built:
    """Check an entry, and build a motion of the set from it.

    Raises:
        MotionError: A field is missing, unknown or wrong; the motion has no text, or two in one
            language; a brief has points on one side only. All faults are listed.
    """
    fields = _parse(entry)
    inputs = list(_wording_inputs(fields))
    if faults := list(_find_faults(fields, inputs, entry)):
        raise MotionError.of(faults)
    wordings: dict[str, Wording] = {wording.language: wording.form().record() for wording in inputs}
    first = next(wordings[code].text for code in LANGUAGES if code in wordings)
    motion = Motion(
        motion_id=fields.id or derived_id(first),
        motion_set=motion_set,
        category=fields.category,
        topic=fields.topic,
        wordings=wordings,
    )
    texts: dict[str, FieldPath] = {wording.language: wording.path("text") for wording in inputs}
    return Built(motion=motion, entry=entry, texts=texts, own_id=fields.id is not None)


def language_of(text: str) -> Language:
    """Return the language of a text: Chinese where it has more ideographs than Latin words.

    >>> language_of("AI应该受到监管"), language_of("The word 道 cannot be translated")
    ('zh', 'en')
    """
    return "zh" if len(_IDEOGRAPH.findall(text)) > len(_LATIN_WORD.findall(text)) else "en"


def plain(text: str) -> str:
    """Return a text in the form that is compared: without regard to case and spacing."""
    return " ".join(text.casefold().split())


def derived_id(text: str, *more: str) -> str:
    """Return an id for a motion that has none: some of its words, and a hash of its text.

    >>> derived_id("Cats are better than dogs")
    'cats-are-better-than-002facd2bc'

    Args:
        text: The motion.
        more: Further texts that the hash covers.
    """
    hashed = "\0".join([plain(text), *more]).encode("utf-8", "replace")
    words = "-".join(re.findall(r"[a-z0-9]+", plain(text)))
    slug = words if len(words) <= _SLUG_LENGTH else words[: _SLUG_LENGTH + 1].rpartition("-")[0]
    return f"{slug or 'motion'}-{hashlib.sha256(hashed).hexdigest()[:10]}"


def _parse(entry: Entry) -> MotionFields:
    try:
        return MotionFields.model_validate(entry.fields)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise MotionError.of(
            [entry.fault(fault["loc"], explain(dict(fault))) for fault in faults]
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _WordingInput:
    """One wording as the file has it, complete or not.

    Attributes:
        content: Its fields, under the names that `WordingFields` has for them.
        table: The table that it is written as: "en" or "zh"; "" where it is none.
        suffix: The end of its fields' names where it is no table: "_en", "_zh" or "".
    """

    language: Language
    content: Mapping[str, Any]
    table: str = ""
    suffix: str = ""

    def path(self, name: str) -> FieldPath:
        return (self.table, name) if self.table else (f"{name}{self.suffix}",)

    def form(self) -> WordingFields:
        return WordingFields.model_construct(**self.content)


def _wording_inputs(fields: MotionFields) -> Iterator[_WordingInput]:
    for code in LANGUAGES:
        table: WordingFields | None = getattr(fields, code)
        if table is not None:
            yield _WordingInput(language=code, content=dict(table), table=code)
    for suffix in ("", *(f"_{code}" for code in LANGUAGES)):
        content = {name: getattr(fields, f"{name}{suffix}") for name in WordingFields.model_fields}
        if any(content.values()):
            named = fields.language or language_of(fields.text or "")
            code = next((code for code in LANGUAGES if suffix == f"_{code}"), named)
            yield _WordingInput(language=code, content=content, suffix=suffix)


def _find_faults(
    fields: MotionFields, inputs: list[_WordingInput], entry: Entry
) -> Iterator[Fault]:
    if not inputs:
        accepted = "text, text_en, text_zh, or a table en or zh with a text"
        yield entry.fault(("text",), f"missing; accepted: {accepted}. Add one.")
    elif fields.language and not fields.text:
        yield entry.fault(
            ("language",),
            f"given {fields.language!r} without the field 'text', whose language it states; "
            "accepted: both or neither. Rename the field of the text to 'text', or remove the "
            "language.",
        )
    seen: dict[str, _WordingInput] = {}
    for wording in inputs:
        if wording.language in seen:
            known = field_name(seen[wording.language].path("text"))
            yield entry.fault(
                wording.path("text"),
                f"the text in {wording.language!r} is already given in {known}; accepted: one text "
                "in each language. Remove one, or name its language.",
            )
        seen[wording.language] = wording
        yield from _find_wording_faults(wording, entry)


def _find_wording_faults(wording: _WordingInput, entry: Entry) -> Iterator[Fault]:
    if not wording.content["text"]:
        extra = next(name for name, value in wording.content.items() if value)
        text = field_name(wording.path("text"))
        problem = f"given without a text; accepted: together with {text!r}. Add that field."
        yield entry.fault(wording.path(extra), problem)
    sides = [side for side in ("pro", "con") if not wording.content[side]]
    if len(sides) == 1:
        yield entry.fault(
            wording.path(sides[0]),
            "the brief has no points on this side; accepted: at least one on each side, or no "
            "brief at all. Add a point with a claim and its evidence.",
        )
